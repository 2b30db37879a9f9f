"""Adds and removes functions in O(m M), and keeps the gain of every candidate available.

Notation
    s        the m functions in the model, in the order in which they came
    H        G_ss + lambda I = L L^T (m, m), lambda = alpha / beta
    rows     L^-1 [G_s. | b_s | I]  (m, M + k + m): the triangular solves against the whole
             dictionary, the targets and the identity, kept side by side
    A        tt - b_s^T H^-1 b_s  (k,): with beta = N / A the likelihood is at its best
    spare    S_j = G_jj - |column j of L^-1 G_s.|^2  (M,): what is left of function j when the
             model has explained it; lambda + S_j is the pivot it would bring
    pull     Q_j = b_j - (L^-1 G_s.)_j^T L^-1 b_s  (M, k)

The paper's S and Q are beta * spare and beta * pull. Its appendix updates Sigma = H^-1 / beta by
rank one, which drifts by tens of per cent on wide functions; here an addition appends a row and a
removal rotates rows (Givens). Both act orthogonally on the existing rows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.linalg import blas, lapack

from kernelect.numerics import factorize
from kernelect.subsets.moments import SubsetMoments
from kernelect.typing import Array, Indices

#: A candidate with less than this share of its squared norm left is explained by the model.
EXPLAINED = 1e-10

#: The misfit never falls below this share of the targets' energy: beyond is rounding.
MISFIT_FLOOR = 1e-14

_FIRST_CAPACITY = 32


class FactoredModel:
    """The factorised model at one lambda.

    Parameters
    ----------
    moments : SubsetMoments
    """

    def __init__(self, moments: SubsetMoments) -> None:
        self.moments = moments
        self.regularization = 1.0
        self._M, self._k = len(moments), moments.n_outputs
        self._rows = np.zeros((0, self._M + self._k))
        self._norms = np.diagonal(moments.gram).copy()
        self._floor = MISFIT_FLOOR * moments.energy
        self.reset(np.zeros(0, dtype=np.intp), 1.0)

    def __len__(self) -> int:
        return len(self.chosen)

    def reset(self, chosen: Indices, regularization: float) -> None:
        """Factorise from scratch: ``potrf`` and ``trtrs`` against the whole dictionary, O(m^2 M)."""
        self.regularization = float(regularization)
        self.chosen: list[int] = [int(j) for j in chosen]
        m, G, b = len(chosen), self.moments.gram, self.moments.projections
        self._reserve(m)
        self.spare, self.pull = self._norms.copy(), b.copy()
        if not m:
            return
        factor = factorize(G[np.ix_(chosen, chosen)], self.regularization)
        right = np.empty((m, self._M + self._k + m), order="F")
        right[:, : self._M], right[:, self._M : -m], right[:, -m:] = G[chosen], b[chosen], np.eye(m)
        half = factor.half_solve(right)
        half[:, self._M + self._k :] = np.tril(half[:, self._M + self._k :])
        self._rows[:m, : half.shape[1]] = half
        W, z = self._against_dictionary(), self._against_targets()
        self.spare -= np.einsum("ij,ij->j", W, W)
        self.pull -= W.T @ z

    def add(self, j: int) -> None:
        """Add function ``j``: one matrix-vector product with the rows, O(m M)."""
        m, M, k = len(self), self._M, self._k
        self._reserve(m + 1)
        new = self._rows[m]
        new[:M], new[M : M + k], new[M + k :] = self.moments.gram[j], self.moments.projections[j], 0.0
        new[M + k + m] = 1.0
        if m:
            before = self._rows[:m]
            # new -= before^T (L^-1 G_sj), in place
            blas.dgemv(-1.0, before.T, before[:, j].copy(), beta=1.0, y=new, overwrite_y=1)
        new /= np.sqrt(self.spare[j] + self.regularization)
        self.chosen.append(int(j))
        self.spare -= new[:M] ** 2
        self.pull -= np.outer(new[:M], new[M : M + k])

    def remove(self, position: int) -> None:
        """Remove the function at ``position`` of ``chosen``: Givens rotations of rows, O((m - position) M).

        Column ``position`` of L^-1 is rotated into the last row, which is then dropped. The
        remaining rows are lower triangular and are the inverse of the factor without the function.
        """
        m, M, k = len(self), self._M, self._k
        rows, column, width = self._rows, M + k + position, M + k + m
        for p in range(position, m - 1):
            cosine, sine, _ = lapack.dlartg(rows[p + 1, column], rows[p, column])
            blas.drot(rows[p + 1], rows[p], cosine, sine, n=width, overwrite_x=1, overwrite_y=1)
        last = rows[m - 1]
        self.spare += last[:M] ** 2
        self.pull += np.outer(last[:M], last[M : M + k])
        rows[: m - 1, column : width - 1] = rows[: m - 1, column + 1 : width]
        rows[: m - 1, width - 1] = 0.0
        del self.chosen[position]

    @property
    def misfit(self) -> Array:
        """A (k,): the energy of the targets that the model does not explain, plus the penalty."""
        z = self._against_targets()
        return np.asarray(np.maximum(self.moments.energy - np.einsum("ij,ij->j", z, z), self._floor))

    def addition_gains(self) -> Array:
        """Return the gain in ln likelihood of adding each function (M,), with beta at its best.

        At fixed lambda, with A+ = A - Q^2 / (lambda + S):
        -N/2 sum_k ln(A+ / A) - k/2 ln(1 + S / lambda). Functions that are in the model or
        explained by it get -inf. The empty model has no lambda. Its candidates are ranked by
        their normalised projection on the targets, the start of Tipping & Faul (2003).
        """
        lam = self.regularization if len(self) else 0.0
        S = np.maximum(self.spare, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            A, drop = self.misfit, self.pull**2 / (lam + S)[:, None]
            gains = -0.5 * self.moments.n_rows * np.log(np.maximum(A - drop, self._floor) / A).sum(axis=1)
        if len(self):
            gains -= 0.5 * self._k * np.log1p(S / lam)
        gains[self.spare < EXPLAINED * self._norms] = -np.inf
        gains[self.chosen] = -np.inf
        return np.asarray(np.where(np.isnan(gains), -np.inf, gains))

    def removal_gains(self) -> Array:
        """Return the gain in ln likelihood of removing each function of ``chosen`` (m,).

        With h = diag H^-1 and w = H^-1 b: A- = A + w^2 / h, and the gain is
        -N/2 sum_k ln(A- / A) - k/2 ln(lambda h). The paper's form through S / (alpha - S)
        cancels to nothing for small alpha.
        """
        U = self._inverse_factor()
        h, w = np.einsum("ij,ij->j", U, U), self.coefficients()
        rise = w**2 / h[:, None] / self.misfit
        gains = -0.5 * self.moments.n_rows * np.log1p(rise).sum(axis=1)
        return np.asarray(gains - 0.5 * self._k * np.log(self.regularization * h), dtype=float)

    def addition_evidence_gains(self, beta: float, occam: Callable[[Any], Any]) -> Array:
        """Return the gain in ln evidence of adding each function (M,) to one output, alpha and beta as they are.

        Eq. 8 of Barrio et al.; ``occam`` is what gamma adds to the ln likelihood. With s = lambda + S_j, the pivot:
        gamma = m - lambda tr H^-1, and tr H+^-1 = tr H^-1 + (1 + R_j) / s, R_j = |H^-1 G_sj|^2.
        """
        lam, S, U = self.regularization, np.maximum(self.spare, 0.0), self._inverse_factor()
        explained, trace = U.T @ self._against_dictionary(), np.sum(U**2)
        more = trace + (1.0 + np.einsum("ij,ij->j", explained, explained)) / (lam + S)
        gains = 0.5 * (beta * self.pull[:, 0] ** 2 / (lam + S) - np.log1p(S / lam))
        gains += occam(len(self) + 1 - lam * more) - occam(len(self) - lam * trace)
        gains[self.spare < EXPLAINED * self._norms] = -np.inf
        gains[self.chosen] = -np.inf
        return np.asarray(gains, dtype=float)

    def removal_evidence_gains(self, beta: float, occam: Callable[[Any], Any]) -> Array:
        """Return the gain in ln evidence of removing each function of ``chosen`` (m,), alpha and beta as they are.

        tr H-^-1 = tr H^-1 - |column i of H^-1|^2 / h_i.
        """
        lam, U = self.regularization, self._inverse_factor()
        inverse = U.T @ U
        h, w, trace = np.diagonal(inverse), self.coefficients()[:, 0], np.trace(inverse)
        less = trace - np.einsum("ij,ij->j", inverse, inverse) / h
        gains = -0.5 * (beta * w**2 / h + np.log(lam * h))
        return np.asarray(gains + occam(len(self) - 1 - lam * less) - occam(len(self) - lam * trace), dtype=float)

    def coefficients(self) -> Array:
        """Return the weights H^-1 b_s (m, k) of the functions in ``chosen``."""
        return np.asarray(self._inverse_factor().T @ self._against_targets(), dtype=float)

    def log_likelihood(self) -> float:
        """Return max over beta of ln P(T | lambda, beta) for the model as it stands."""
        # Rotations may leave a negative diagonal, which is as good a factor.
        log_diagonal = np.log(np.abs(np.diagonal(self._inverse_factor())))
        determinant = -2.0 * log_diagonal.sum() - len(self) * np.log(self.regularization)
        return best_noise_likelihood(self.moments, self.misfit) - 0.5 * self._k * float(determinant)

    def _against_dictionary(self) -> Array:
        return self._rows[: len(self), : self._M]

    def _against_targets(self) -> Array:
        return self._rows[: len(self), self._M : self._M + self._k]

    def _inverse_factor(self) -> Array:
        first = self._M + self._k
        return self._rows[: len(self), first : first + len(self)]

    def _reserve(self, size: int) -> None:
        """Make room for ``size`` functions."""
        if size <= len(self._rows):
            return
        capacity = min(max(_FIRST_CAPACITY, 2 * len(self._rows), size), max(self._M, size))
        grown = np.zeros((capacity, self._M + self._k + capacity))
        grown[: len(self._rows), : self._rows.shape[1]] = self._rows
        self._rows = grown


def best_noise_likelihood(moments: SubsetMoments, misfit: Array) -> float:
    """Return the part of max_beta ln P that depends on A: -N/2 sum_k [ln(2 pi A / N) + 1]."""
    N = moments.n_rows
    return float(moments.log_constant - 0.5 * N * np.sum(np.log(2.0 * np.pi * misfit / N) + 1.0))
