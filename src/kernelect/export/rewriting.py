"""Graphs made over: equal parts joined, single precision given up, numbers replaced."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np

from kernelect.export.graph import Narrow, Node, narrowed, walk
from kernelect.model.trees import Trees


def rewritten(nodes: Sequence[Node], change: Callable[[Node, tuple[Node, ...]], Node]) -> list[Node]:
    """Return nodes after every one before them was replaced by ``change(node, its new arguments)``."""
    new: dict[int, Node] = {}
    for node in walk(nodes):
        new[id(node)] = change(node, tuple(new[id(arg)] for arg in node.args))
    return [new[id(node)] for node in nodes]


def with_args(node: Node, args: tuple[Node, ...]) -> Node:
    """Return a node with other arguments."""
    if all(one is two for one, two in zip(args, node.args, strict=True)):
        return node
    return replace(node, args=args)  # type: ignore[type-var]


def widened(nodes: Sequence[Node]) -> list[Node]:
    """Return nodes that are computed in double up to the end."""
    return [
        narrowed(node)
        for node in rewritten(nodes, lambda node, args: args[0] if isinstance(node, Narrow) else with_args(node, args))
    ]


def shared_nodes(nodes: Sequence[Node]) -> list[Node]:
    """Return nodes that compute the same, with equal parts joined."""
    known: dict[Hashable, Node] = {}

    def joined(node: Node, args: tuple[Node, ...]) -> Node:
        key = (type(node), tuple(id(arg) for arg in args), _own(node))
        if key not in known:
            known[key] = with_args(node, args)
        return known[key]

    return rewritten(nodes, joined)


def _own(node: Node) -> Hashable:
    """Return what a node is besides its arguments."""
    return tuple(_frozen(getattr(node, each.name)) for each in fields(node) if each.name != "args")  # type: ignore[arg-type]


def _frozen(value: Any) -> Hashable:
    if isinstance(value, np.ndarray):
        return value.shape, value.tobytes()
    if isinstance(value, Mapping):
        return tuple((key, _frozen(each)) for key, each in value.items())
    return id(value) if isinstance(value, Trees) else value
