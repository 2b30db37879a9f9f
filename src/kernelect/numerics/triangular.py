"""Inverses of triangular matrices, and what follows from them.

Notation: M = L L^T positive definite, H = L^-1 lower triangular, M^-1 = H^T H.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.linalg import blas, lapack

from kernelect.numerics.blocks import symmetrize_from_lower
from kernelect.typing import Array

#: Rows below which LAPACK's own routine is used.
_LEAF = 96


def triangular_inverse(lower: Array) -> Array:
    """Return the inverse of a lower triangular matrix, zeros above its diagonal.

    It works by halves, [[A, 0], [C, D]]^-1 = [[A^-1, 0], [-D^-1 C A^-1, D^-1]]. Nearly all work is
    in products, which take half the time of LAPACK's ``trtri`` at a few hundred rows. The strict
    upper triangle of ``lower`` is not referenced.
    """
    n = len(lower)
    if n <= _LEAF:
        return np.asfortranarray(lapack.dtrtri(lower, lower=1)[0] * _lower_ones(n))
    half = (n // 2 + 7) // 8 * 8
    first, last = triangular_inverse(lower[:half, :half]), triangular_inverse(lower[half:, half:])
    corner = blas.dtrmm(-1.0, first, lower[half:, :half], side=1, lower=1)
    out = np.zeros((n, n), order="F")
    out[:half, :half], out[half:, half:] = first, last
    out[half:, :half] = blas.dtrmm(1.0, last, corner, lower=1, overwrite_b=1)
    return out


@cache
def _lower_ones(n: int) -> Array:
    """Return ones on and below the diagonal."""
    return np.asfortranarray(np.tri(n))


@dataclass(frozen=True)
class InverseFactor:
    """H = L^-1, for a matrix whose inverse diagonal is needed in any case."""

    half: Array  # (n, n) H, Fortran order

    def solve(self, right: Array) -> Array:
        """Return M^-1 right for a vector."""
        return np.asarray(blas.dtrmv(self.half, blas.dtrmv(self.half, right, lower=1), lower=1, trans=1), dtype=float)

    def half_solve(self, right: Array) -> Array:
        """Return H right, whose squared columns sum to right^T M^-1 right."""
        return np.asarray(blas.dtrmm(1.0, self.half, right, lower=1), dtype=float)

    def inverse(self) -> Array:
        """Return M^-1 itself, both triangles."""
        return symmetrize_from_lower(np.asarray(lapack.dlauum(self.half, lower=1)[0], dtype=float))

    def inverse_diagonal(self) -> Array:
        """Return the diagonal of M^-1."""
        return np.einsum("ij,ij->j", self.half, self.half)

    def log_determinant(self) -> float:
        """Return ln |M|."""
        return -float(2.0 * np.sum(np.log(np.diagonal(self.half))))
