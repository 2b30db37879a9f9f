"""The chosen model, solved from the design matrix itself rather than from its Gram matrix.

Notation: Phi (N, m) the chosen columns, centred and weighted; R of Phi = Q R by blocks of rows,
R = U diag(sigma) V^T; p = U^T Q^T T. Then
    w = V diag(sigma / (sigma^2 + lambda)) p,    H^-1 = V diag(1 / (sigma^2 + lambda)) V^T
without ever squaring a condition number. This works down to a lambda of 1e-16 of the largest
eigenvalue, where the Gram matrix has lost all digits.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import qr, svd

from kernelect.dictionaries.base import Candidates, evaluated
from kernelect.subsets.moments import SubsetRows
from kernelect.subsets.profile import SingularProfile
from kernelect.typing import Array


@dataclass(frozen=True, kw_only=True)
class SubsetPosterior:
    """Weights of the chosen functions, with their uncertainty.

    Attributes
    ----------
    coef : ndarray of shape (m, k)
    root : ndarray of shape (m, m)
        root root^T = H^-1; the covariance of the weights is H^-1 / beta.
    noise : ndarray of shape (k,)
        Standard deviation of the noise, beta^-1/2 at its best.
    """

    coef: Array
    root: Array
    noise: Array

    def in_units(self, units: Array) -> SubsetPosterior:
        """Return the posterior for targets that are ``units`` (k,) times as large."""
        return SubsetPosterior(coef=self.coef * units, root=self.root, noise=self.noise * units)

    def spread(self, centred: Array) -> Array:
        """Return phi^T H^-1 phi for rows of centred function values (n, m)."""
        half = centred @ self.root
        return np.einsum("ij,ij->i", half, half)


@dataclass(frozen=True, kw_only=True)
class Solver:
    """The decomposition of the chosen columns, from which any lambda can be solved."""

    singular: Array
    right: Array  # V^T (m, m)
    projected: Array  # p (m, k)
    rest: Array  # (k,)
    n_rows: float
    log_constant: float

    @classmethod
    def of(cls, candidates: Candidates, sample: SubsetRows, means: Array, n_rows: float, log_constant: float) -> Solver:
        """Decompose the columns of ``candidates``, streamed in blocks of rows."""
        m, k = len(candidates), sample.T.shape[1]
        R = np.zeros((0, m + k))
        targets = sample.T - sample.target_means
        for rows in sample.blocks(m + k):
            block = np.concatenate([evaluated(candidates, sample.X[rows]) - means, targets[rows]], axis=1)
            block *= np.sqrt(sample.weights[rows])[:, None]
            (R,) = qr(np.concatenate([R, block]), mode="r", overwrite_a=True, check_finite=False)
            R = R[: m + k]
        full = np.zeros((m + k, m + k))
        full[: len(R)] = R
        U, singular, right = svd(full[:m, :m], check_finite=False)
        rest = np.einsum("ij,ij->j", full[m:, m:], full[m:, m:])
        return cls(
            singular=singular,
            right=right,
            projected=U.T @ full[:m, m:],
            rest=rest,
            n_rows=n_rows,
            log_constant=log_constant,
        )

    def profile(self) -> SingularProfile:
        """Return the likelihood along lambda."""
        return SingularProfile(self.singular, self.projected, self.rest, self.n_rows, self.log_constant)

    def at(self, regularization: float) -> SubsetPosterior:
        """Return the posterior at one lambda; 0 gives least squares of smallest norm."""
        squares = self.singular**2
        lam = max(regularization, np.finfo(float).eps ** 2 * float(squares.max()))
        shrink = self.singular / (squares + lam)
        coef = self.right.T @ (shrink[:, None] * self.projected)
        misfit = self.profile().misfits(np.array([lam]))[0]
        return SubsetPosterior(
            coef=coef, root=self.right.T / np.sqrt(squares + lam), noise=np.sqrt(misfit / self.n_rows)
        )
