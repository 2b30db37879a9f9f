"""Cholesky factors and triangular inverses, with one jitter policy.

Notation: M = L L^T positive definite, H = L^-1 lower triangular, M^-1 = H^T H.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Self

import numpy as np
from scipy.linalg import blas, lapack

from kernelect.exceptions import SingularSystem
from kernelect.numerics.deadline import check_time
from kernelect.numerics.products import symmetrize_from_lower
from kernelect.numerics.threads import factorising
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


#: Multiples of the mean diagonal tried in turn when a factorisation breaks down.
JITTERS = (0.0, 1e-14, 1e-12, 1e-10, 1e-8, 1e-6)


@dataclass(frozen=True)
class CholeskyFactor:
    """The lower factor of M + jitter * I; the strict upper triangle is not referenced.

    Attributes
    ----------
    lower : ndarray of shape (n, n), Fortran order
    jitter : float
        What was added to the diagonal, usually 0.
    """

    lower: Array
    jitter: float = 0.0

    def solve(self, right: Array) -> Array:
        """Return M^-1 right."""
        solution, _ = lapack.dpotrs(self.lower, np.asfortranarray(right), lower=1)
        return np.asarray(solution, dtype=float)

    def half_solve(self, right: Array) -> Array:
        """Return L^-1 right, whose squared columns sum to right^T M^-1 right."""
        solution, _ = lapack.dtrtrs(self.lower, np.asfortranarray(right), lower=1)
        return np.asarray(solution, dtype=float)

    def inverse(self) -> Array:
        """Return M^-1 itself, both triangles, for its diagonal and for adjoints."""
        check_time()
        # LAPACK's dpotri does the same in up to 2.6 times the time (400 rows): its dtrtri is slow.
        inverse, _ = lapack.dlauum(triangular_inverse(self.lower), lower=1, overwrite_c=1)
        return symmetrize_from_lower(np.asarray(inverse, dtype=float))

    def inverse_diagonal(self) -> Array:
        """Return the diagonal of M^-1, at a third of the cost of the inverse."""
        return self.inverted().inverse_diagonal()

    def inverted(self) -> InverseFactor:
        """Return the factor's inverse, from which everything else also follows."""
        return InverseFactor(triangular_inverse(self.lower))

    def log_determinant(self) -> float:
        """Return ln |M|."""
        return 2.0 * float(np.log(self.lower.diagonal()).sum())


def factorize(matrix: Array, ridge: Array | float = 0.0, scale: Array | None = None) -> CholeskyFactor:
    """Factorise ``diag(scale) matrix diag(scale) + diag(ridge)``; ``matrix`` itself is not changed.

    If the factorisation fails (duplicate rows, rank-deficient kernels), jitter grows from 1e-14 to
    1e-6 of the mean diagonal; after that the matrix counts as singular.
    """
    check_time()
    n = len(matrix)
    diagonal = np.diagonal(matrix) * (1.0 if scale is None else scale**2) + ridge
    mean_diagonal(matrix)  # refuses NaN and infinity
    size = float(np.mean(diagonal))
    work = np.empty((n, n), order="F")
    for jitter in JITTERS:
        # A symmetric matrix is its own transpose: the view in Fortran order copies fastest.
        copied = matrix.T if matrix.flags.c_contiguous else matrix
        if scale is None:
            work[...] = copied
        else:
            np.multiply(copied, scale[:, None], out=work)
            work *= scale
        np.fill_diagonal(work, diagonal + jitter * size)
        with factorising(n):
            lower, info = lapack.dpotrf(work, lower=1, clean=0, overwrite_a=1)
        if info == 0:
            return CholeskyFactor(lower, jitter * size)
    raise not_positive_definite(n)


def factorize_overwriting(matrix: Array) -> CholeskyFactor | None:
    """Factorise a C-ordered matrix in its own memory, without jitter; return ``None`` if that fails.

    Use it for many small blocks in a row, where the checks of :func:`factorize` would cost as much
    as the work. After a ``None`` the caller uses :func:`factorize`.
    """
    check_time()
    lower, info = lapack.dpotrf(matrix.T, lower=1, clean=0, overwrite_a=1)
    return CholeskyFactor(lower) if info == 0 else None


def mean_diagonal(matrix: Array) -> float:
    """Return the mean of the diagonal, which is the scale of a kernel matrix and must be finite."""
    scale = float(np.mean(np.diagonal(matrix)))
    if np.isfinite(scale):
        return scale
    raise SingularSystem(
        "The kernel matrix holds NaN or infinite entries. Check the inputs for extreme values and scale them."
    )


def not_positive_definite(n: int) -> SingularSystem:
    """Return the error for a matrix that no jitter can repair."""
    return SingularSystem(
        f"The {n} x {n} kernel matrix is not positive definite even with jitter {JITTERS[-1]:g} on its diagonal. "
        "Likely causes: a precomputed kernel that is not positive semi-definite, or regularization set to almost 0."
    )


@dataclass(frozen=True, kw_only=True)
class Bordered:
    """The system of a machine with an intercept, M bordered by a row and a column of ones, from one Cholesky factor.

    Notation (Cawley & Talbot 2007, eqs 7-12): M (n, n) the Gram matrix with the ridge on its diagonal, rho = M^-1 1,
    total = 1^T rho, P = M^-1 - rho rho^T / total the leading block of the bordered inverse, c = diag P.
    """

    factor: CholeskyFactor
    ones_solution: Array  # (n,) rho
    ones_total: float

    @classmethod
    def of(cls, gram: Array, ridge: Array) -> Self:
        """Return the system of a Gram matrix and a ridge (n,)."""
        factor = factorize(gram, ridge)
        rho = factor.solve(np.ones(len(gram)))
        return cls(factor=factor, ones_solution=rho, ones_total=float(rho.sum()))

    def bordered_inverse(self) -> Array:
        """Return P. The inverse itself is needed, for its diagonal and for adjoints."""
        P = self.factor.inverse()
        rho = self.ones_solution
        P = blas.dger(-1.0 / self.ones_total, rho, rho, a=P, overwrite_a=1)
        return np.asarray(P, dtype=float)

    def bordered_diagonal(self) -> Array:
        """Return c = diag P in n^3/3: the squared columns of L^-1 sum to diag M^-1.

        (The paper writes row sums; with S = L^-1 it is sum_{j >= i} s_ji^2.)
        """
        return self.factor.inverse_diagonal() - self.ones_solution * (self.ones_solution / self.ones_total)

    def bordered_solve(self, right: Array) -> Array:
        """Return P right without forming P."""
        solved = self.factor.solve(right)
        return np.asarray(solved - np.outer(self.ones_solution, solved.sum(axis=0) / self.ones_total), dtype=float)
