"""Products over inputs in the operations of a graph, with as few exponentials as possible."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kernelect.export.evaluate import evaluate
from kernelect.export.graph import Apply, Node, Raw, added, apply, const, multiplied, reduced, take
from kernelect.export.program import ExportedColumn, Program
from kernelect.export.scaled import Scaled
from kernelect.typing import Array

#: Inputs of a group of factors, at most, and the largest product of a group: it is finite in single precision.
_MOST_INPUTS, _LARGEST = 16, 1e30

#: A factor below this is nothing.
_NOTHING = 1e-30

#: From f's argument to f, as nodes.
Traceable = Callable[[Node], Node]


def product_over_inputs(profile: Traceable, x: Node, vectors: Array, widths: Array) -> Node:
    """Return prod_j f(t_j), (n,), of the profile f at t_j = sqrt(widths_j) |x_j - z_j|.

    If f is a exp(b), the product is prod_j a_j exp(sum_j b_j), with one exponential for many inputs.
    """

    def factors(inputs: slice, end: float = np.inf) -> Node:
        scaled = Scaled.of(
            take(x, np.arange(len(widths))[inputs]),
            np.ascontiguousarray(vectors[:, inputs]),
            widths=widths[inputs],
        )
        t = apply("abs", scaled.differences()) * (np.sqrt(widths[inputs]) * scaled.unit)[None]
        return profile(t if np.isinf(end) else apply("min", t, np.full((1, 1), end)))

    everything = factors(slice(None))
    plain, exponents = _split(everything)
    if not plain:
        return apply("exp", reduced("sum", added(exponents)))
    end, size = _groups(profile) if exponents else (np.inf, 0)
    if not size:
        return reduced("prod", everything)
    total = const(np.ones(len(vectors)))
    for first in range(0, len(widths), size):
        plain, exponents = _split(factors(slice(first, first + size), end))
        total = total * (reduced("prod", multiplied(plain)) * apply("exp", reduced("sum", added(exponents))))
    return total


def _split(node: Node) -> tuple[list[Node], list[Node]]:
    """Return the factors of a product that are no exponentials, and the exponents of those that are."""
    if isinstance(node, Apply) and node.op == "exp":
        return [], [node.args[0]]
    if not isinstance(node, Apply) or node.op != "mul" or any(arg.shape != node.shape for arg in node.args):
        return [node], []
    first, last = (_split(arg) for arg in node.args)
    return first[0] + last[0], first[1] + last[1]


def _groups(profile: Traceable) -> tuple[float, int]:
    """Return a distance from which on a factor is nothing, and how many inputs form a group; 0 if none can."""
    ends = np.exp2(np.arange(11.0))
    t = Raw((0,))
    left = np.flatnonzero(~(np.abs(_values(profile(t), ends)) < _NOTHING))
    if len(left) == 0 or left[-1] == len(ends) - 1:
        return np.inf, 0
    end = float(ends[left[-1] + 1])
    largest = max(float(np.abs(_values(multiplied(_split(profile(t))[0]), np.array([end])))[0]), 10.0)
    return end, min(_MOST_INPUTS, int(np.log10(_LARGEST) / np.log10(largest)))


def _values(node: Node, t: Array) -> Array:
    """Return the values of a function of one number."""
    column = ExportedColumn(name="t", place=0, kind="number")
    return evaluate(Program(columns=(column,), result=node), t[:, None])[0][:, 0]
