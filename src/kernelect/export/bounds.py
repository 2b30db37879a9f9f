"""Numbers that inputs and kernel values do not go beyond: far ones in double, near ones in single precision.

A row that lies 1e12 spreads away is still predicted as in Python by an export in double; in single precision its
square would overflow, and infinities cancel to NaN.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kernelect.export.graph import Const, Node, apply
from kernelect.export.rewriting import rewritten, with_args


@dataclass(frozen=True, eq=False)
class Bound(Const):
    """A bound, and the nearer one for single precision."""

    single: float = 0.0


def within(arg: Node, double: float, single: float) -> Node:
    """Return a node kept between -bound and bound, in either precision."""
    return below(apply("max", arg, _bound(arg, -double, -single)), double, single)


def below(arg: Node, double: float, single: float) -> Node:
    """Return a node that ends at a bound, in either precision."""
    return apply("min", arg, _bound(arg, double, single))


def _bound(arg: Node, double: float, single: float) -> Bound:
    return Bound(np.full((1,) * len(arg.shape), double), single=single)


def for_single(nodes: Sequence[Node]) -> list[Node]:
    """Return nodes with the bounds of single precision."""

    def nearer(node: Node, args: tuple[Node, ...]) -> Node:
        return Const(np.full(node.shape, node.single)) if isinstance(node, Bound) else with_args(node, args)

    return rewritten(nodes, nearer)
