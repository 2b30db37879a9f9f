"""The system of a machine with an intercept, M bordered by a row and a column of ones, from one Cholesky factor.

Notation (Cawley & Talbot 2007, eqs 7-12): M (n, n) the Gram matrix with the ridge on its diagonal, rho = M^-1 1,
total = 1^T rho, P = M^-1 - rho rho^T / total the leading block of the bordered inverse, c = diag P.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.linalg import blas

from kernelect.numerics.cholesky import CholeskyFactor, factorize
from kernelect.typing import Array


@dataclass(frozen=True, kw_only=True)
class Bordered:
    """The factorised system."""

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
