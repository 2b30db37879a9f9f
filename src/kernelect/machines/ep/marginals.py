"""Marginals of a Gaussian posterior whose sites are given, from the Gram matrix of all rows.

Notation as in machines/ep/machine.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kernelect.numerics import CholeskyFactor, InverseFactor, factorize, matrix_vector
from kernelect.typing import Array, Indices

#: Below this T_i Sigma_ii = 1 - beta_i, the marginal variance is found another way.
_WEAK = 1e-5

#: Least T_i, times the largest K_ii, in a factorisation: no effect, and entries that can still be divided by T_i^1/2.
_NO_PRECISION = 1e-200


@dataclass(frozen=True, kw_only=True)
class Marginals:
    """The posterior with given sites, row by row, (n,) each, and the factor of what was solved."""

    dual: Array
    mean: Array
    variance: Array
    cavity_variance: Array
    factor: Any


def dense_marginals(gram: Array, tau: Array, nu: Array, copies: Array) -> Marginals:
    """Return the marginals of sites with precision ``tau`` and shift ``nu``, of which each row has ``copies``."""
    diagonal, shift = np.diagonal(gram).copy(), copies * nu
    factor: InverseFactor | None = None
    dual, variance, cavity_variance = shift, diagonal, diagonal
    if tau.any():
        root = np.sqrt(np.maximum(copies * tau, _NO_PRECISION / diagonal.max()))
        lower = factorize(gram, 1.0, root)
        factor = lower.inverted()
        dual = shift - root * factor.solve(root * matrix_vector(gram, shift))
        variance, cavity_variance = _variances(lower, factor, diagonal=diagonal, tau=tau, total=root**2)
    return Marginals(
        dual=dual,
        mean=matrix_vector(gram, dual),
        variance=variance,
        cavity_variance=cavity_variance,
        factor=factor,
    )


def _variances(
    lower: CholeskyFactor, inverse: InverseFactor, *, diagonal: Array, tau: Array, total: Array
) -> tuple[Array, Array]:
    """Return posterior and cavity variances; ``total`` is T.

    From T^1/2 Sigma T^1/2 = I - B^-1: Sigma_ii = (1 - beta)/T and, without cancellation,
    v_- = (1 - beta)/(T - tau + tau beta). If T_i Sigma_ii is so small that 1 - beta has
    lost its digits, Sigma_ii = K_ii - k_i^T R k_i instead, unless that cancels more.
    """
    beta = inverse.inverse_diagonal()
    weak = (1.0 - beta < _WEAK) & (total * diagonal < 1.0)
    taken = np.maximum(np.where(weak, 1.0, 1.0 - beta), np.finfo(float).eps)
    variance = taken / np.where(weak, 1.0, total)
    cavity = taken / np.where(weak, 1.0, total - tau + tau * beta)
    if weak.any():
        rows = np.flatnonzero(weak)
        explained = _explained(lower, inverse, rows, diagonal[rows], total[rows])
        direct = np.maximum(diagonal[rows] - explained, 1e-15 * diagonal[rows])
        variance[rows] = direct
        cavity[rows] = direct / (1.0 - tau[rows] * direct)
    return variance, cavity


def _explained(lower: CholeskyFactor, inverse: InverseFactor, rows: Indices, diagonal: Array, total: Array) -> Array:
    """Return k_i^T R k_i of some training rows: the squares of H T^1/2 k_i, with no product of matrices.

    From H B = L^T and B = I + T^1/2 K T^1/2: H T^1/2 K T^1/2 = L^T - H. Column i has row i of L above the
    diagonal, column i of -H below it, and L_ii - 1/L_ii on it, whose digits come from
    L_ii^2 - 1 = T_i K_ii - sum_j<i L_ij^2.
    """
    places, root = np.arange(len(rows)), np.sqrt(total)
    above = np.where(np.arange(len(lower.lower)) < rows[:, None], lower.lower[rows], 0.0) / root[:, None]
    below = inverse.half[:, rows] / root
    below[rows, places] = 0.0
    above_squared = np.einsum("ij,ij->i", above, above)
    own = root * (diagonal - above_squared) * inverse.half[rows, rows]
    return above_squared + np.einsum("ij,ij->j", below, below) + own**2
