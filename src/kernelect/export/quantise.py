"""Vectors and coefficients as whole numbers of 16 or 8 bits, each column in a unit of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kernelect.exceptions import InvalidArgument
from kernelect.export.graph import Apply, Const, Node, VectorTimes, is_wide
from kernelect.export.rewriting import rewritten, with_args
from kernelect.typing import Array

#: Tables with fewer rows than this keep their numbers: there is nothing to gain.
_FEW = 8


def quantised(nodes: Sequence[Node], bits: Any) -> list[Node]:
    """Return nodes whose tables of vectors and coefficients are whole numbers times one unit per column.

    Parameters
    ----------
    nodes : sequence of Node
    bits : 16 or 8
    """
    if bits not in (16, 8):
        raise InvalidArgument(f"bits={bits!r} must be 16 or 8, or None for numbers as they are.")
    wide: dict[int, bool] = {}
    return rewritten(nodes, lambda node, args: _changed(node, args, int(bits), wide))


def _changed(node: Node, args: tuple[Node, ...], bits: int, wide: dict[int, bool]) -> Node:
    if isinstance(node, VectorTimes) and _is_table(node.args[1]) and not is_wide(node, wide):
        matrix = node.args[1]
        assert isinstance(matrix, Const)
        codes, unit = _codes(matrix.values, bits)
        return Apply("mul", (VectorTimes((args[0], codes)), Const(unit[0])), node.shape)
    if isinstance(node, Apply) and len(node.shape) == 2 and not is_wide(node, wide):
        args = tuple(_stored(arg, bits) for arg in args)
    return with_args(node, args)


def _is_table(node: Node) -> bool:
    return isinstance(node, Const) and node.bits is None and len(node.shape) == 2 and node.shape[0] >= _FEW


def _stored(node: Node, bits: int) -> Node:
    if not _is_table(node):
        return node
    assert isinstance(node, Const)
    codes, unit = _codes(node.values, bits)
    return Apply("mul", (codes, Const(unit)), node.shape)


def _codes(values: Array, bits: int) -> tuple[Const, Array]:
    """Return whole numbers and the unit (1, d) of every column."""
    largest = np.abs(values).max(axis=0, keepdims=True)
    unit = np.where(largest > 0.0, largest, 1.0) / (2 ** (bits - 1) - 1)
    return Const(np.rint(values / unit), bits), unit
