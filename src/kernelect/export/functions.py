"""Functions of a dictionary in the operations of a graph."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np

from kernelect.dictionaries.functions import DesignColumns, Harmonics, Monomials
from kernelect.dictionaries.kernel_functions import CentredKernels
from kernelect.dictionaries.union import JoinedCandidates
from kernelect.exceptions import MissingCapability
from kernelect.export.graph import Node, concatenated, const, narrowed, stretched, take, times
from kernelect.export.kernels import kernel_values
from kernelect.export.tracing import sine_of_turns
from kernelect.typing import Array


@singledispatch
def function_values(functions: Any, x: Node) -> Node:
    """Return the values of a dictionary's functions at a row's inputs, (n,)."""
    raise MissingCapability(
        f"{type(functions).__name__} are functions of Python, which cannot be exported: use kernels, "
        "polynomials, Fourier series or columns of X."
    )


@function_values.register
def _(functions: CentredKernels, x: Node) -> Node:
    return stretched(kernel_values(functions.kernel, functions.centres, x), len(functions))


@function_values.register
def _(functions: Monomials, x: Node) -> Node:
    standardised = narrowed((x - functions.scale.centre) / functions.scale.spread)
    bordered = concatenated([standardised, const(1.0)])
    most = max(len(inputs) for inputs in functions.powers)
    one = standardised.shape[0]  # the place of the 1 that fills shorter products up
    factors = np.array([[*inputs, *[one] * (most - len(inputs))] for inputs in functions.powers], dtype=np.intp)
    total: Node = const(np.ones(len(functions)))
    for column in factors.reshape(len(functions), most).T:
        total = total * take(bordered, column)
    return total


@function_values.register
def _(functions: DesignColumns, x: Node) -> Node:
    return narrowed(take(x, functions.columns))


@function_values.register
def _(functions: Harmonics, x: Node) -> Node:
    inputs, order, is_sine = (np.array(values) for values in zip(*functions.waves, strict=True))
    turns = order * ((take(x, inputs) - functions.lower[inputs]) / functions.period[inputs])
    return narrowed(sine_of_turns(turns + np.where(is_sine, 0.0, 0.25)))


@function_values.register
def _(functions: JoinedCandidates, x: Node) -> Node:
    return concatenated([function_values(part, x) for part in functions.parts])


def function_sum(functions: Any, coefficients: Array, x: Node) -> Node:
    """Return sum_i coefficients_i f_i(x), (k,)."""
    return times(function_values(functions, x), coefficients)
