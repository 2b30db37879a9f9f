"""Equal parts of a graph joined into one, so that they are stored and computed once."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from kernelect.export.graph import Apply, Const, Horner, Lookup, Node, Raw, Reduce, Reshape, Take, rewritten, with_args


def shared(nodes: Sequence[Node]) -> list[Node]:
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
    if isinstance(node, Const):
        return node.shape, node.bits, np.ascontiguousarray(node.values).tobytes()
    if isinstance(node, Raw):
        return node.columns
    if isinstance(node, Lookup):
        return node.column, node.table(list(node.rows)).tobytes(), tuple(node.rows)
    if isinstance(node, Apply | Reduce):
        return node.op
    if isinstance(node, Horner):
        return node.coefficients
    if isinstance(node, Take):
        return node.places.tobytes()
    return node.shape if isinstance(node, Reshape) else None
