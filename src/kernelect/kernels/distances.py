"""Scaled squared distances D_ik = sum_j gamma_j (x_ij - z_kj)^2, by rows, and their adjoint."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kernelect.numerics import product, row_blocks
from kernelect.typing import Array


def map_distances(X: Array, Z: Array, gamma: Array, profile: Callable[[Array], Array]) -> Array:
    """Return ``profile(D)`` for all pairs, one block of rows after the other.

    Inputs are centred first: |x|^2 + |z|^2 - 2 x.z cancels badly for data far from 0.
    ``profile`` may write into its argument.
    """
    same, centre, root = X is Z, X.mean(axis=0), np.sqrt(gamma)
    A = (X - centre) * root
    B = A if same else (Z - centre) * root
    a, b = np.einsum("ij,ij->i", A, A), np.einsum("ij,ij->i", B, B)
    out = np.empty((len(A), len(B)))
    for rows in row_blocks(len(A), len(B)):
        block = product(A[rows], B.T, out=out[rows])
        block *= -2.0
        block += a[rows, None]
        block += b
        np.maximum(block, 0.0, out=block)
        if same:  # a point is at distance exactly 0 from itself
            block[np.arange(len(block)), np.arange(rows.start, rows.stop)] = 0.0
        values = profile(block)
        if values is not block:
            out[rows] = values
    return out


def squared_differences(X: Array, Z: Array, weights: Array) -> Array:
    """Return sum_ik weights_ik (x_ij - z_kj)^2 for every input j, in O(d n m).

    The slow definition is a loop over j of ``np.sum(weights * (X[:, j, None] - Z[:, j]) ** 2)``.
    """
    centre = X.mean(axis=0)
    A = X - centre
    B = A if X is Z else Z - centre
    return np.asarray(
        weights.sum(axis=1) @ A**2 + weights.sum(axis=0) @ B**2 - 2.0 * np.einsum("ij,ij->j", A, product(weights, B)),
        dtype=float,
    )
