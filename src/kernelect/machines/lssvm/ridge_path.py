"""PRESS along mu at a fixed kernel: one eigendecomposition, then O(n^2) per mu.

Notation as in lssvm.py; S = diag(s), and V diag(lam) V^T = S^1/2 K S^1/2, so that
M^-1 = S^1/2 V diag(1/(lam + mu)) V^T S^1/2.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh

from kernelect.machines.lssvm.groups import Groups
from kernelect.numerics import matrix_vector, mean_diagonal, not_positive_definite, product
from kernelect.typing import Array, Indices


class RidgePath:
    """Exact leave-one-out of the LS-SVM for any number of ridges.

    Parameters
    ----------
    gram : ndarray of shape (n, n)
    targets : ndarray of shape (n, k)
    weights : ndarray of shape (n,)
    groups : Groups, optional
        Which rows are left out together; by default each row on its own.
    """

    def __init__(self, gram: Array, targets: Array, weights: Array, groups: Groups | None = None) -> None:
        mean_diagonal(gram)
        root = np.sqrt(weights)
        eigenvalues, vectors = eigh(root[:, None] * gram * root, driver="evd", overwrite_a=True, check_finite=False)
        if eigenvalues[0] < -1e-6 * abs(eigenvalues[-1]):
            raise not_positive_definite(len(gram))
        self.eigenvalues = np.maximum(eigenvalues, 0.0)
        self._weights, self._groups = weights, groups
        self._vectors = root[:, None] * vectors  # S^1/2 V
        self._squares = self._vectors**2
        centred = targets - targets.mean(axis=0)  # the intercept takes the mean up, which costs digits otherwise
        self._projected = product(self._vectors.T, np.column_stack([np.ones(len(gram)), centred]))

    def residuals(self, mu: float) -> Array:
        """Return the exact leave-one-out residuals (n, k) at ridge ``mu``."""
        # mu P in the place of P: residuals are the same, and no square of a tiny ridge's inverse overflows.
        shrink = mu / (self.eigenvalues + mu)
        solved = product(self._vectors, shrink[:, None] * self._projected)
        rho, v = solved[:, 0], solved[:, 1:]
        total = rho.sum()
        alpha = v - np.outer(rho, v.sum(axis=0) / total)
        if self._groups is not None:
            return self._groups.solve(lambda rows: self._blocks(rows, shrink, rho, total), alpha)
        diagonal = matrix_vector(self._squares, shrink) - rho**2 / total
        return np.asarray(alpha / diagonal[:, None], dtype=float)

    def _blocks(self, rows: Indices, shrink: Array, rho: Array, total: float) -> Array:
        """Return the blocks of P that belong to groups of one size, (G, m, m)."""
        vectors, ones = self._vectors[rows], rho[rows]  # (G, m, n), (G, m)
        blocks = (vectors * shrink) @ vectors.swapaxes(1, 2)
        return np.asarray(blocks - ones[:, :, None] * ones[:, None, :] / total, dtype=float)

    def press(self, mu: float) -> float:
        """Return PRESS, 1/2 sum_i s_i r_i^2, at ridge ``mu``."""
        return float(0.5 * np.sum(self._weights[:, None] * self.residuals(mu) ** 2))

    def best_ridge(self, lower: float, upper: float, count: int = 25) -> float:
        """Return the ridge with the smallest PRESS on a logarithmic grid of ``count`` values."""
        grid = np.geomspace(lower, upper, count)
        return float(grid[int(np.argmin([self.press(mu) for mu in grid]))])
