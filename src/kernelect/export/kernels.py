"""Kernels in the operations of a graph: values between one row and the vectors of a model."""

from __future__ import annotations

import math
from functools import singledispatch
from typing import Any

import numpy as np

from kernelect.exceptions import MissingCapability
from kernelect.export.bounds import within
from kernelect.export.graph import Node, apply, const, narrowed, reduced, reshaped, stretched, take, times
from kernelect.export.scaled import LARGEST_INPUT, Scaled, units
from kernelect.kernels import (
    Agreement,
    Category,
    Constant,
    Kernel,
    Linear,
    Matern,
    OnColumns,
    Polynomial,
    Product,
    ProductLaplace,
    ProductMatern,
    RationalQuadratic,
    Sum,
)
from kernelect.kernels.scale import spread_rows
from kernelect.kernels.stationary import ARD, RBF, Stationary
from kernelect.machines.base import CANCELLING
from kernelect.typing import Array, Indices

#: Inputs after which the exponential of a product of Matern kernels is taken, and the largest distance in one
#: input: beyond, nothing is left of the kernel, and the product of so many of them is finite in single precision.
_GROUP, _FARTHEST = 16, 80.0

#: Largest squared distance of a radial kernel with a polynomial in it: it is 0 from there on.
_RADIAL = 1e8

#: Largest value of a polynomial kernel, in double and in single precision: sums of them are finite.
_LARGEST, _LARGEST_SINGLE = 1e280, 1e30

#: Vectors at which it is measured how much coefficients cancel each other.
_SOME = 100


@singledispatch
def kernel_values(kernel: Kernel, vectors: Array, x: Node) -> Node:
    """Return kernel values between the vectors and a row's inputs, (n,) or (1,) where all are alike."""
    raise MissingCapability(
        f"{type(kernel).__name__} has no form without Python: only the kernels of "
        "kernelect.kernels, their sums and products can be exported."
    )


@singledispatch
def kernel_diagonal(kernel: Kernel, vectors: Array, x: Node) -> Node:
    """Return k(x, x), (1,), of inputs that stop growing where those of :func:`kernel_values` do."""
    return const(1.0)


@kernel_values.register
def _(kernel: Constant, vectors: Array, x: Node) -> Node:
    return const(float(kernel.constant))


@kernel_diagonal.register
def _(kernel: Constant, vectors: Array, x: Node) -> Node:
    return const(float(kernel.constant))


@kernel_values.register
def _(kernel: Sum, vectors: Array, x: Node) -> Node:
    return _joined("add", [kernel_values(part, vectors, x) for part in kernel.parts])


@kernel_values.register
def _(kernel: Product, vectors: Array, x: Node) -> Node:
    return _joined("mul", [kernel_values(part, vectors, x) for part in kernel.parts])


@kernel_diagonal.register
def _(kernel: Sum, vectors: Array, x: Node) -> Node:
    return _joined("add", [kernel_diagonal(part, vectors, x) for part in kernel.parts])


@kernel_diagonal.register
def _(kernel: Product, vectors: Array, x: Node) -> Node:
    return _joined("mul", [kernel_diagonal(part, vectors, x) for part in kernel.parts])


def _joined(op: str, nodes: list[Node]) -> Node:
    total = nodes[0]
    for node in nodes[1:]:
        total = apply(op, total, node)
    return total


@kernel_values.register
def _(kernel: OnColumns, vectors: Array, x: Node) -> Node:
    columns = np.array(kernel.columns, dtype=np.intp)
    return kernel_values(kernel.kernel, np.ascontiguousarray(vectors[:, columns]), take(x, columns))


@kernel_diagonal.register
def _(kernel: OnColumns, vectors: Array, x: Node) -> Node:
    columns = np.array(kernel.columns, dtype=np.intp)
    return kernel_diagonal(kernel.kernel, np.ascontiguousarray(vectors[:, columns]), take(x, columns))


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


@kernel_values.register(RBF)
@kernel_values.register(ARD)
def _(kernel: RBF | ARD, vectors: Array, x: Node) -> Node:
    return apply("exp", -_squared_distance(kernel, vectors, x))


@kernel_values.register
def _(kernel: Matern, vectors: Array, x: Node) -> Node:
    s = apply("sqrt", apply("min", 4.0 * kernel.nu * _squared_distance(kernel, vectors, x), _RADIAL))
    polynomial = 1.0 + s if kernel.nu == 1.5 else 1.0 + s * (1.0 + s / 3.0)
    return polynomial * apply("exp", -s)


@kernel_values.register
def _(kernel: RationalQuadratic, vectors: Array, x: Node) -> Node:
    # The logarithm of one more than u, with what rounding took from 1 + u: a large shape multiplies it.
    alpha = float(kernel.alpha)
    u = _squared_distance(kernel, vectors, x) / alpha
    more = 1.0 + u
    return apply("exp", -alpha * (apply("log", more) - ((more - 1.0) - u) / more))


@kernel_values.register
def _(kernel: ProductLaplace, vectors: Array, x: Node) -> Node:
    widths, vectors, x = _used(kernel, vectors, x)
    if not len(widths):
        return const(np.ones(len(vectors)))
    scaled = Scaled.of(x, vectors, widths=widths)
    return apply("exp", -reduced("sum", apply("abs", scaled.differences()) * (np.sqrt(widths) * scaled.unit)[None]))


@kernel_values.register
def _(kernel: ProductMatern, vectors: Array, x: Node) -> Node:
    widths, vectors, x = _used(kernel, vectors, x)
    total = const(np.ones(len(vectors)))
    for first in range(0, len(widths), _GROUP):
        group = np.arange(first, min(first + _GROUP, len(widths)))
        scaled = Scaled.of(take(x, group), np.ascontiguousarray(vectors[:, group]), widths=widths[group])
        s = apply("abs", scaled.differences()) * (np.sqrt(6.0 * widths[group]) * scaled.unit)[None]
        s = apply("min", s, np.full((1, 1), _FARTHEST))
        total = total * (reduced("prod", 1.0 + s) * apply("exp", -reduced("sum", s)))
    return total


@kernel_values.register
def _(kernel: Category, vectors: Array, x: Node) -> Node:
    widths, vectors, x = _used(kernel, vectors, x)
    if not len(widths):
        return const(np.ones(len(vectors)))
    # Codes are compared in double: they may be any numbers.
    alike = apply("equal", reshaped(x, (1, len(widths))), vectors)
    return apply("exp", narrowed(reduced("sum", (alike - 1.0) * widths[None])))


@kernel_values.register
def _(kernel: Agreement, vectors: Array, x: Node) -> Node:
    return narrowed(reduced("sum", apply("equal", reshaped(x, (1, vectors.shape[1])), vectors)))


@kernel_diagonal.register
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


def _centred(kernel: Linear | Polynomial, vectors: Array, x: Node) -> Scaled:
    centre = _centre(kernel, vectors.shape[1])
    return Scaled.of(x, vectors, centre, _farthest(kernel, units(vectors, centre), 0.5))


def _farthest(kernel: Linear | Polynomial, unit: Array, power: float) -> tuple[float, float]:
    """Return where inputs stop growing, in double and in single precision: clipped kernel values would cancel wrongly.

    With a ``power`` of 1/2 also k(x, x) and squares of kernel values are finite, as a variance needs them; 1 is enough
    for values of the kernel with vectors.
    """
    if isinstance(kernel, Linear):
        return LARGEST_INPUT
    size = float(kernel.gamma) * float(np.sum(unit**2))
    double, single = (
        max(min(limit, (value ** (1.0 / kernel.degree) / size) ** power), 1.0)
        for limit, value in zip(LARGEST_INPUT, (_LARGEST, _LARGEST_SINGLE), strict=True)
    )
    return double, single


def _centre(kernel: Linear | Polynomial, n_inputs: int) -> Array:
    centre = np.asarray(0.0 if kernel.centre is None else kernel.centre, dtype=float)
    return np.array(np.broadcast_to(centre, n_inputs))


def _inner(scaled: Scaled) -> Node:
    """Return the inner products of a row and the vectors, (n,)."""
    return times(scaled.row, (scaled.vectors * scaled.unit**2).T)


def _squared_norm(kernel: Linear | Polynomial, vectors: Array, x: Node) -> Node:
    """Return |x - c|^2, (1,)."""
    scaled = _centred(kernel, vectors, x)
    return reduced("sum", apply("square", scaled.row * scaled.unit))


@kernel_values.register
def _(kernel: Linear, vectors: Array, x: Node) -> Node:
    return _inner(_centred(kernel, vectors, x))


@kernel_diagonal.register
def _(kernel: Linear, vectors: Array, x: Node) -> Node:
    return _squared_norm(kernel, vectors, x)


@kernel_values.register
def _(kernel: Polynomial, vectors: Array, x: Node) -> Node:
    return _power(kernel, _inner(_centred(kernel, vectors, x)))


@kernel_diagonal.register
def _(kernel: Polynomial, vectors: Array, x: Node) -> Node:
    return _power(kernel, _squared_norm(kernel, vectors, x))


def _power(kernel: Polynomial, inner: Node) -> Node:
    largest, single = (value ** (1.0 / kernel.degree) for value in (_LARGEST, _LARGEST_SINGLE))
    base = within(float(kernel.gamma) * inner + float(kernel.coef0), largest, single)
    total = base
    for _ in range(kernel.degree - 1):
        total = total * base
    return total


def kernel_sum(kernel: Kernel, vectors: Array, coefficients: Array, x: Node) -> Node:
    """Return sum_i coefficients_i k(x, z_i), (k,); linear kernels become one weight per input or level."""
    if isinstance(kernel, Sum):
        return _joined("add", [kernel_sum(part, vectors, coefficients, x) for part in kernel.parts])
    factors = list(kernel.parts) if isinstance(kernel, Product) else [kernel]
    constants = [part for part in factors if isinstance(part, Constant)]
    others = [part for part in factors if not isinstance(part, Constant)]
    coefficients = float(np.prod([float(part.constant) for part in constants])) * coefficients
    if not others:
        return const(coefficients.sum(axis=0))
    if len(others) == 1 and isinstance(others[0], OnColumns):
        columns = np.array(others[0].columns, dtype=np.intp)
        return kernel_sum(others[0].kernel, np.ascontiguousarray(vectors[:, columns]), coefficients, take(x, columns))
    if len(others) == 1 and isinstance(others[0], Agreement):
        return _agreement_sum(vectors, coefficients, x)
    if len(others) == 1 and isinstance(others[0], Linear):
        scaled = _centred(others[0], vectors, x)
        return times(scaled.row, (scaled.vectors * scaled.unit**2).T @ coefficients)
    left = Product.of(*others) if len(others) > 1 else others[0]
    values = stretched(_far_values(left, vectors, x), len(vectors))
    reference = _reference(left, vectors, coefficients)
    if reference is None:
        return times(values, coefficients)
    # As Expansion.decide does in Python, and for the same reason.
    middle, totals = take(values, np.array([reference])), [math.fsum(column) for column in coefficients.T]
    return times(values - middle, coefficients) + middle * np.array(totals)


def _far_values(kernel: Kernel, vectors: Array, x: Node) -> Node:
    """Return kernel values of which no squares are taken: inputs may be larger."""
    if not isinstance(kernel, Polynomial):
        return kernel_values(kernel, vectors, x)
    centre = _centre(kernel, vectors.shape[1])
    return _power(kernel, _inner(Scaled.of(x, vectors, centre, _farthest(kernel, units(vectors, centre), 1.0))))


def _reference(kernel: Kernel, vectors: Array, coefficients: Array) -> int | None:
    """Return the vector whose kernel value is like those of most others, where coefficients cancel each other."""
    some = vectors[spread_rows(vectors, _SOME)]
    cross = kernel.cross(vectors, some)
    size = np.abs(coefficients).sum(axis=0).max(initial=0.0) * np.abs(cross).max(initial=0.0)
    if size <= CANCELLING * np.abs(cross.T @ coefficients).max(initial=0.0):
        return None
    return int(np.argmin(np.abs(cross - np.median(cross, axis=0)).mean(axis=1)))
