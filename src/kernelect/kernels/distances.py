"""Scaled squared distances D_ik = sum_j gamma_j (x_ij - z_kj)^2, by rows, and their adjoints.

The products |x|^2 + |z|^2 - 2 x.z are fast, but they cancel badly far from 0. Rows are therefore
centred first, on a point amid ``X`` alone: ``X`` is the side that a model stores, and what is
computed for one row of ``Z`` must not depend on the other rows of its batch. Rows that are still
far from the centre (outliers, wild rows of a batch) are compared by their differences instead.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kernelect.kernels.scale import middle, typical_row
from kernelect.numerics import product, row_blocks
from kernelect.typing import Array, Indices

#: Squared scaled distance from the centre beyond which differences are taken one by one: up to here
#: the products keep ten digits after the point.
FAR = 1e6

#: Squares of differences stop growing here, so that 0 times such a square is 0.
_LARGEST_SQUARE = 1e300


@dataclass(frozen=True)
class _Pairs:
    """Rows ready for distances; inputs of width 0 are set to 0, because nothing they hold may matter."""

    X: Array
    Z: Array
    gamma: Array
    centre: Array
    A: Array  # (X - centre) sqrt(gamma), 0 in far rows
    B: Array
    a: Array  # squared norms of A
    b: Array
    far_x: Indices
    far_z: Indices

    @classmethod
    def of(cls, X: Array, Z: Array, gamma: Array) -> _Pairs:
        same, used = X is Z, gamma > 0.0
        if not used.all():
            X = np.where(used, X, 0.0)
            Z = X if same else np.where(used, Z, 0.0)
        root, centre = np.sqrt(gamma), middle(X)
        A, a = _scaled(X, centre, root)
        if len(a) and not np.median(a) <= FAR:  # a few rows carry the mean away from all others
            centre = typical_row(X)
            A, a = _scaled(X, centre, root)
        B, b = (A, a) if same else _scaled(Z, centre, root)
        far_x = _cleared(A, a)
        return cls(X, Z, gamma, centre, A, B, a, b, far_x, far_x if same else _cleared(B, b))

    @property
    def same(self) -> bool:
        return self.X is self.Z


def _scaled(X: Array, centre: Array, root: Array) -> tuple[Array, Array]:
    with np.errstate(over="ignore"):
        A = (X - centre) * root
        return A, np.einsum("ij,ij->i", A, A)


def _cleared(A: Array, a: Array) -> Indices:
    """Return the far rows, after setting them to 0."""
    far = np.flatnonzero(~(a <= FAR))
    A[far], a[far] = 0.0, 0.0
    return far


def map_distances(X: Array, Z: Array, gamma: Array, profile: Callable[[Array], Array]) -> Array:
    """Return ``profile(D)`` for all pairs, one block of rows after the other.

    ``profile`` may write into its argument.
    """
    pairs = _Pairs.of(X, Z, gamma)
    out = np.empty((len(X), len(Z)))
    for rows in row_blocks(len(X), len(Z)):
        block = product(pairs.A[rows], pairs.B.T, out=out[rows])
        block *= -2.0
        block += pairs.a[rows, None]
        block += pairs.b
        np.maximum(block, 0.0, out=block)
        if pairs.same:  # a point is at distance exactly 0 from itself
            block[np.arange(len(block)), np.arange(rows.start, rows.stop)] = 0.0
        _fill_far(pairs, rows, block)
        values = profile(block)
        if values is not block:
            out[rows] = values
    return out


def _fill_far(pairs: _Pairs, rows: slice, block: Array) -> None:
    """Write the distances of far rows into a block of rows."""
    inside = pairs.far_x[(pairs.far_x >= rows.start) & (pairs.far_x < rows.stop)]
    if len(inside):
        block[inside - rows.start] = _distances_by_differences(pairs.X[inside], pairs.Z, pairs.gamma)
    if len(pairs.far_z):
        block[:, pairs.far_z] = _distances_by_differences(pairs.X[rows], pairs.Z[pairs.far_z], pairs.gamma)


def _distances_by_differences(X: Array, Z: Array, gamma: Array) -> Array:
    D = np.zeros((len(X), len(Z)))
    for j in range(len(gamma)):
        D += _squares(X, Z, gamma, j)
    return D


def _squares(X: Array, Z: Array, gamma: Array, j: int) -> Array:
    """Return gamma_j (x_ij - z_kj)^2 for all pairs, however large."""
    with np.errstate(over="ignore"):
        difference = np.subtract.outer(X[:, j], Z[:, j]) * np.sqrt(gamma[j])
        return np.minimum(difference * difference, _LARGEST_SQUARE)


def squared_differences(X: Array, Z: Array, gamma: Array, weights: Array) -> Array:
    """Return gamma_j sum_ik weights_ik (x_ij - z_kj)^2 for every input j, in O(d n m).

    The slow definition is a loop over j of ``np.sum(weights * (X[:, j, None] - Z[:, j]) ** 2)``.
    """
    pairs = _Pairs.of(X, Z, gamma)
    if not len(pairs.far_x) and not len(pairs.far_z):
        return gamma * _near(pairs, weights)
    near = weights.copy()
    near[pairs.far_x], near[:, pairs.far_z] = 0.0, 0.0
    return gamma * _near(pairs, near) + _far(pairs, weights)


def _near(pairs: _Pairs, weights: Array) -> Array:
    A = _centred(pairs.X, pairs.centre, pairs.far_x)
    B = A if pairs.same else _centred(pairs.Z, pairs.centre, pairs.far_z)
    return np.asarray(
        weights.sum(axis=1) @ A**2 + weights.sum(axis=0) @ B**2 - 2.0 * np.einsum("ij,ij->j", A, product(weights, B)),
        dtype=float,
    )


def _centred(X: Array, centre: Array, cleared: Indices) -> Array:
    with np.errstate(over="ignore"):
        A = X - centre
    A[cleared] = 0.0
    return np.asarray(A, dtype=float)


def _far(pairs: _Pairs, weights: Array) -> Array:
    """Return what the pairs with a far row add; a pair of two far rows counts once."""
    near_x = np.setdiff1d(np.arange(len(pairs.X)), pairs.far_x)
    parts = [(pairs.far_x, np.arange(len(pairs.Z))), (near_x, pairs.far_z)]
    return np.array(
        [
            sum(
                float(np.sum(weights[np.ix_(i, k)] * _squares(pairs.X[i], pairs.Z[k], pairs.gamma, j)))
                for i, k in parts
            )
            for j in range(len(pairs.gamma))
        ]
    )


def point_gradients(X: Array, Z: Array, gamma: Array, weights: Array) -> Array:
    """Return sum_i weights_ik dD_ik/dz_kj = -2 gamma_j sum_i weights_ik (x_ij - z_kj), (m, d)."""
    used, centre = gamma > 0.0, middle(X)
    with np.errstate(over="ignore"):
        A, B = np.where(used, X - centre, 0.0), np.where(used, Z - centre, 0.0)
    return np.asarray(-2.0 * gamma * (product(weights.T, A) - weights.sum(axis=0)[:, None] * B), dtype=float)
