"""Kernels in the operations of a graph: values between one row and the vectors of a model."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial, singledispatch
from typing import Any

import numpy as np

from kernelect.exceptions import MissingCapability
from kernelect.explain.profiles import power_series
from kernelect.explain.terms import centre_of
from kernelect.export.bounds import below
from kernelect.export.factors import product_over_inputs
from kernelect.export.graph import (
    Const,
    Node,
    added,
    apply,
    const,
    multiplied,
    narrowed,
    reduced,
    reshaped,
    stretched,
    take,
    times,
)
from kernelect.export.scaled import LARGEST_INPUT, Scaled, units
from kernelect.export.tracing import traced
from kernelect.kernels import (
    Agreement,
    Constant,
    InnerProduct,
    Kernel,
    OnColumns,
    OverInputs,
    Product,
    Stationary,
    Sum,
)
from kernelect.kernels.scale import spread_rows
from kernelect.machines.base import CANCELLING
from kernelect.typing import Array, Indices

#: Largest squared distance, in double and in single precision, if a profile has no value at infinity.
_FARTHEST = (1e300, 1e30)

#: Largest value of a function of inner products, in double and in single precision: sums of them are finite.
_LARGEST_VALUE = (1e280, 1e30)

#: Vectors at which it is measured how much coefficients cancel each other.
_SOME = 100


def kernel_values(kernel: Kernel, vectors: Array, x: Node) -> Node:
    """Return kernel values between the vectors and a row's inputs, (n,) or (1,) if all are alike."""
    return _composed(_values, kernel, vectors, x)


def kernel_diagonal(kernel: Kernel, vectors: Array, x: Node) -> Node:
    """Return k(x, x), (1,), of inputs that stop growing where those of :func:`kernel_values` do."""
    return _composed(_diagonal, kernel, vectors, x)


def _composed(single: Callable[..., Node], kernel: Kernel, vectors: Array, x: Node) -> Node:
    """Return what ``single`` makes of the kernels that a kernel is made of, put together as they are."""
    if isinstance(kernel, Sum | Product):
        parts = [_composed(single, part, vectors, x) for part in kernel.parts]
        return added(parts) if isinstance(kernel, Sum) else multiplied(parts)
    if isinstance(kernel, OnColumns):
        return _composed(single, kernel.kernel, *_on_columns(kernel, vectors, x))
    return const(float(kernel.constant)) if isinstance(kernel, Constant) else single(kernel, vectors, x)


def _on_columns(kernel: OnColumns, vectors: Array, x: Node) -> tuple[Array, Node]:
    columns = np.array(kernel.columns, dtype=np.intp)
    return np.ascontiguousarray(vectors[:, columns]), take(x, columns)


@singledispatch
def _values(kernel: Kernel, vectors: Array, x: Node) -> Node:
    raise MissingCapability(
        f"{type(kernel).__name__} has no form without Python: only kernels that derive from Stationary, OverInputs or "
        "InnerProduct, their sums and products can be exported."
    )


@singledispatch
def _diagonal(kernel: Kernel, vectors: Array, x: Node) -> Node:
    return const(1.0)


def _used(kernel: Any, vectors: Array, x: Node) -> tuple[Array, Array, Node]:
    """Return the widths that are not 0, and vectors and row without the inputs of the others."""
    widths = np.broadcast_to(np.asarray(kernel.gamma, dtype=float), vectors.shape[1])
    places: Indices = np.flatnonzero(widths > 0.0)
    return widths[places], np.ascontiguousarray(vectors[:, places]), take(x, places)


def _squared_distance(kernel: Stationary, vectors: Array, x: Node) -> Node:
    """Return D = sum_j gamma_j (x_j - z_j)^2, (n,)."""
    widths, vectors, x = _used(kernel, vectors, x)
    if not len(widths):
        return const(np.zeros(len(vectors)))
    scaled = Scaled.of(x, vectors, widths=widths)
    return reduced("sum", apply("square", scaled.differences()) * (widths * scaled.unit**2)[None])


def profile_node(kernel: Stationary | OverInputs | InnerProduct, argument: Node) -> Node:
    """Return a kernel's profile of a node."""
    return traced(kernel.profile, argument, type(kernel).__name__)


@_values.register
def _(kernel: Stationary, vectors: Array, x: Node) -> Node:
    D, end = _squared_distance(kernel, vectors, x), profile_node(kernel, const(np.inf))
    has_end = isinstance(end, Const) and np.isfinite(end.values).all()
    return profile_node(kernel, D if has_end else below(D, *_FARTHEST))


@_values.register
def _(kernel: OverInputs, vectors: Array, x: Node) -> Node:
    widths, vectors, x = _used(kernel, vectors, x)
    if not len(widths):
        return const(np.ones(len(vectors)))
    if kernel.compares_codes:  # in double: codes may be any numbers
        alike = apply("equal", reshaped(x, (1, len(widths))), vectors)
        return narrowed(reduced("prod", apply("where", alike, 1.0, kernel.profile(np.sqrt(widths))[None])))
    return product_over_inputs(partial(profile_node, kernel), x, vectors, widths)


@_values.register
def _(kernel: Agreement, vectors: Array, x: Node) -> Node:
    return narrowed(reduced("sum", apply("equal", reshaped(x, (1, vectors.shape[1])), vectors)))


@_diagonal.register
def _(kernel: Agreement, vectors: Array, x: Node) -> Node:
    return const(float(x.shape[0]))


def _agreement_sum(vectors: Array, coefficients: Array, x: Node) -> Node:
    """Return the sum for the kernel of agreements: one weight per level of every input."""
    levels, inputs, weights = [], [], []
    for j, column in enumerate(vectors.T):
        found, number = np.unique(column, return_inverse=True)
        levels.append(found)
        inputs.append(np.full(len(found), j))
        weights.append(np.array([np.bincount(number, each, len(found)) for each in coefficients.T]).T)
    alike = apply("equal", take(x, np.concatenate(inputs)), np.concatenate(levels))
    return times(narrowed(alike), np.concatenate(weights))


def _centred(kernel: InnerProduct, vectors: Array, x: Node, power: float = 0.5) -> Scaled:
    """Return inputs that stop growing, in either precision, before a kernel value is so large that it cancels wrongly.

    With a ``power`` of 1/2 also k(x, x) and squares of kernel values are finite, as a variance needs them; 1 is enough
    for values of the kernel with vectors.
    """
    centre = centre_of(kernel, vectors.shape[1])
    size = float(np.sum(units(vectors, centre) ** 2))
    double, single = (
        max(min(limit, (_largest_argument(kernel, value) / size) ** power), 1.0)
        for limit, value in zip(LARGEST_INPUT, _LARGEST_VALUE, strict=True)
    )
    return Scaled.of(x, vectors, centre, (double, single))


def _largest_argument(kernel: InnerProduct, limit: float) -> float:
    """Return how large an inner product may be, of either sign, before the kernel's value passes a limit."""
    sizes = 10.0 ** np.arange(-300.0, 301.0)
    with np.errstate(over="ignore", invalid="ignore"):
        largest = np.maximum(np.abs(kernel.profile(sizes)), np.abs(kernel.profile(-sizes)))
    return float(sizes[max(int(np.sum(largest <= limit)) - 1, 0)])


def _inner(scaled: Scaled) -> Node:
    """Return the inner products of a row and the vectors, (n,)."""
    return times(scaled.row, (scaled.vectors * scaled.unit**2).T)


@_values.register
def _(kernel: InnerProduct, vectors: Array, x: Node) -> Node:
    return profile_node(kernel, _inner(_centred(kernel, vectors, x)))


@_diagonal.register
def _(kernel: InnerProduct, vectors: Array, x: Node) -> Node:
    scaled = _centred(kernel, vectors, x)
    return profile_node(kernel, reduced("sum", apply("square", scaled.row * scaled.unit)))


def kernel_sum(kernel: Kernel, vectors: Array, coefficients: Array, x: Node) -> Node:
    """Return sum_i coefficients_i k(x, z_i), (k,); linear kernels become one weight per input or level."""
    if isinstance(kernel, Sum):
        return added([kernel_sum(part, vectors, coefficients, x) for part in kernel.parts])
    factors = list(kernel.parts) if isinstance(kernel, Product) else [kernel]
    constants = [part for part in factors if isinstance(part, Constant)]
    others = [part for part in factors if not isinstance(part, Constant)]
    coefficients = float(np.prod([float(part.constant) for part in constants])) * coefficients
    if not others:
        return const(coefficients.sum(axis=0))
    if len(others) == 1 and isinstance(others[0], OnColumns):
        own, inputs = _on_columns(others[0], vectors, x)
        return kernel_sum(others[0].kernel, own, coefficients, inputs)
    if len(others) == 1 and isinstance(others[0], Agreement):
        return _agreement_sum(vectors, coefficients, x)
    if len(others) == 1 and isinstance(others[0], InnerProduct):
        line = power_series(others[0].profile)
        if line is not None and len(line) == 2:
            return _line_sum(others[0], line, vectors, coefficients, x)
    left = Product.of(*others) if len(others) > 1 else others[0]
    values = stretched(_far_values(left, vectors, x), len(vectors))
    reference = _reference(left, vectors, coefficients)
    if reference is None:
        return times(values, coefficients)
    # As Expansion.decide does in Python, and for the same reason.
    middle, totals = take(values, np.array([reference])), [math.fsum(column) for column in coefficients.T]
    return times(values - middle, coefficients) + middle * np.array(totals)


def _line_sum(kernel: InnerProduct, line: Array, vectors: Array, coefficients: Array, x: Node) -> Node:
    """Return the sum for a kernel line[0] + line[1] T: one weight per input."""
    scaled = _centred(kernel, vectors, x)
    total = times(scaled.row, line[1] * (scaled.vectors * scaled.unit**2).T @ coefficients)
    return total + line[0] * coefficients.sum(axis=0) if line[0] else total


def _far_values(kernel: Kernel, vectors: Array, x: Node) -> Node:
    """Return kernel values of which no squares are taken: inputs may be larger."""
    if isinstance(kernel, InnerProduct):
        return profile_node(kernel, _inner(_centred(kernel, vectors, x, power=1.0)))
    return kernel_values(kernel, vectors, x)


def _reference(kernel: Kernel, vectors: Array, coefficients: Array) -> int | None:
    """Return the vector whose kernel value is like those of most others, if coefficients cancel each other."""
    some = vectors[spread_rows(vectors, _SOME)]
    cross = kernel.cross(vectors, some)
    size = np.abs(coefficients).sum(axis=0).max(initial=0.0) * np.abs(cross).max(initial=0.0)
    if size <= CANCELLING * np.abs(cross.T @ coefficients).max(initial=0.0):
        return None
    return int(np.argmin(np.abs(cross - np.median(cross, axis=0)).mean(axis=1)))
