"""The likelihood of one subset along lambda, with beta at its best; everything else follows from it.

Only lambda = alpha / beta matters: beta = N / A(lambda) is best, exactly. With u = ln lambda
    f(u) = -N/2 sum_k [ln(2 pi A_k / N) + 1] + k/2 [m u - ln |G + lambda I|]
    f'(u) = -N/2 sum_k A'_k / A_k + k/2 gamma,    gamma = sum_i l_i / (l_i + lambda)
where l_i are the eigenvalues of G = Phi^T Phi. There are two ways to compute A. The search uses the
Gram matrix, reduced to tridiagonal form so that many lambda cost O(m) each. The final model, and
small lambda, use the singular values of Phi, without cancellation.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from scipy.linalg import lapack

from kernelect.subsets.factored import MISFIT_FLOOR
from kernelect.typing import Array

#: lambda is looked for between these multiples of the largest eigenvalue.
LOWEST, HIGHEST = 1e-12, 1e2

#: Width of that range in ln lambda: the prior over ln lambda is uniform on it.
LOG_RANGE = float(np.log(HIGHEST / LOWEST))

_GRID = 33
_NEWTON_STEPS = 40

#: Newton stops when ln lambda moves less than this: f is then right to its square.
_SETTLED = 1e-7

#: A best ln lambda this close to the end of the range lies at it.
_AT_BOUND = 1e-5


@dataclass(frozen=True, kw_only=True)
class Peak:
    """The best lambda and what the search for it computed.

    Attributes
    ----------
    regularization, height : float
        The best lambda and f there.
    deviation : float
        Width of the peak in ln lambda.
    at_bound : bool
    grid, heights : ndarray
        ln lambda over the whole range, and f there.
    """

    regularization: float
    height: float
    deviation: float
    at_bound: bool
    grid: Array
    heights: Array


class Profile(ABC):
    """f(u) of one subset of m >= 1 functions."""

    eigenvalues: Array  # (m,)
    energy: Array  # (k,)
    n_rows: float
    log_constant: float

    @abstractmethod
    def misfits(self, lams: Array) -> Array:
        """Return A (n_lams, k)."""

    @abstractmethod
    def misfit_slopes(self, lam: float) -> tuple[Array, Array, Array]:
        """Return A and its first and second derivative in ln lambda, (k,) each."""

    def log_likelihood(self, lams: Array) -> Array:
        """Return f at each lambda (n_lams,)."""
        lams = np.asarray(lams, dtype=float)
        N, k, m = self.n_rows, len(self.energy), len(self.eigenvalues)
        determinant = np.log(self.eigenvalues + lams[:, None]).sum(axis=1) - m * np.log(lams)
        noise = -0.5 * N * (np.log(2.0 * np.pi * self.misfits(lams) / N) + 1.0).sum(axis=1)
        return np.asarray(self.log_constant + noise - 0.5 * k * determinant, dtype=float)

    def well_determined(self, lam: float) -> float:
        """Return gamma, the number of well-determined parameters."""
        return float(np.sum(self.eigenvalues / (self.eigenvalues + lam)))

    @property
    def bounds(self) -> tuple[float, float]:
        """Smallest and largest lambda that is considered."""
        largest = float(self.eigenvalues.max())
        return LOWEST * largest, HIGHEST * largest

    def peak(self) -> Peak:
        """Find the best lambda: take the best of a grid over the range, then apply Newton between its neighbours."""
        low, high = np.log(self.bounds)
        grid = np.linspace(low, high, _GRID)  # about one nat apart
        heights = self.log_likelihood(np.exp(grid))
        best = int(np.argmax(heights))
        u, deviation = self._newton(
            _vertex(grid, heights, best), grid[max(best - 1, 0)], grid[min(best + 1, _GRID - 1)]
        )
        height = float(self.log_likelihood(np.array([np.exp(u)]))[0])
        at_bound = bool(u - low < _AT_BOUND or high - u < _AT_BOUND)
        return Peak(
            regularization=float(np.exp(u)),
            height=height,
            deviation=deviation,
            at_bound=at_bound,
            grid=grid,
            heights=heights,
        )

    def slopes(self, lam: float) -> tuple[float, float]:
        """Return f' and f'' in ln lambda."""
        N, k, share = self.n_rows, len(self.energy), self.eigenvalues / (self.eigenvalues + lam)
        A, first, second = self.misfit_slopes(lam)
        ratio = first / A
        slope = -0.5 * N * ratio.sum() + 0.5 * k * share.sum()
        curvature = -0.5 * N * np.sum(second / A - ratio**2) - 0.5 * k * np.sum(share * (1.0 - share))
        return float(slope), float(curvature)

    def _newton(self, u: float, low: float, high: float) -> tuple[float, float]:
        """Return the maximum of f between ``low`` and ``high``, and its width there.

        That is (-f'')^-1/2, or 1 / |f'| where f still rises at a bound and falls off faster.
        """
        slope, curvature = 0.0, -1.0
        for _ in range(_NEWTON_STEPS):
            slope, curvature = self.slopes(float(np.exp(u)))
            low, high = (u, high) if slope > 0 else (low, u)
            target = u - slope / curvature if curvature < 0 else np.inf
            if not low < target < high:  # bisect where Newton leaves the bracket
                target = 0.5 * (low + high)
            u, before = float(target), u
            if abs(u - before) < _SETTLED or high - low < _SETTLED:
                break
        bend = (-curvature) ** -0.5 if curvature < 0 else LOG_RANGE
        return u, float(min(bend, LOG_RANGE, 1.0 / max(abs(slope), 1e-300)))


def _vertex(grid: Array, heights: Array, best: int) -> float:
    """Return the top of the parabola through a grid's best point and its neighbours."""
    if not 0 < best < len(grid) - 1:
        return float(grid[best])
    left, here, right = heights[best - 1 : best + 2]
    bend = left - 2.0 * here + right
    shift = 0.5 * (left - right) / bend if bend < 0 else 0.0
    return float(grid[best] + np.clip(shift, -0.5, 0.5) * (grid[1] - grid[0]))


class GramProfile(Profile):
    """From G_ss and b_s: one tridiagonal reduction Q^T G Q, then O(m) for each lambda.

    The slow definition is ``tt - b @ solve(G + lam * eye(m), b)`` for each lambda. Relative
    errors of A grow to 1e-4 where lambda is 1e-12 of the largest eigenvalue.
    """

    def __init__(self, gram: Array, projections: Array, energy: Array, n_rows: float, log_constant: float) -> None:
        self.energy, self.n_rows, self.log_constant = energy, n_rows, log_constant
        self._diagonal, self._off, self._right = _tridiagonal(gram, projections)
        values, _ = lapack.dsterf(self._diagonal, self._off) if len(gram) > 1 else (self._diagonal, 0)
        self.eigenvalues = np.maximum(values, 0.0)

    def misfits(self, lams: Array) -> Array:
        x = self._solve(lams, np.broadcast_to(self._right, (len(lams), *self._right.shape)))
        return self._floored(self.energy - np.einsum("ik,nik->nk", self._right, x))

    def misfit_slopes(self, lam: float) -> tuple[Array, Array, Array]:
        one = np.array([lam])
        x = self._solve(one, self._right[None])[0]
        y = self._solve(one, lam * x[None])[0]
        A = self._floored(self.energy - np.einsum("ik,ik->k", self._right, x))
        first = np.einsum("ik,ik->k", lam * x, x)
        return A, first, first - 2.0 * np.einsum("ik,ik->k", lam * x, y)

    def _solve(self, lams: Array, right: Array) -> Array:
        """Solve (T + lam I) x = right for all lambdas by one call: blocks joined by zeros."""
        n, m, k = right.shape
        diagonal = (self._diagonal + lams[:, None]).ravel()
        if m == 1:
            return np.asarray(right / diagonal[:, None, None], dtype=float)
        off = np.tile(np.append(self._off, 0.0), n)[:-1]
        _, _, x, info = lapack.dptsv(diagonal, off, np.array(right).reshape(n * m, k))
        return np.asarray(x, dtype=float).reshape(n, m, k) if info == 0 else np.zeros((n, m, k))

    def _floored(self, misfit: Array) -> Array:
        return np.asarray(np.maximum(misfit, MISFIT_FLOOR * self.energy), dtype=float)


def _tridiagonal(gram: Array, right: Array) -> tuple[Array, Array, Array]:
    """Return diagonal, off-diagonal and Q^T right of T = Q^T G Q."""
    m = len(gram)
    if m == 1:
        return gram[0].copy(), np.zeros(0), right.copy()
    work = int(lapack.dsytrd_lwork(m, lower=1)[0])
    reflectors, diagonal, off, tau, _ = lapack.dsytrd(np.asfortranarray(gram), lower=1, lwork=work, overwrite_a=1)
    below = np.asfortranarray(reflectors[1:, :-1])
    turned, _, _ = lapack.dormqr("L", "T", below, tau, np.asfortranarray(right[1:]), lwork=32 * right.shape[1])
    return diagonal, off, np.concatenate([right[:1], turned])


class SingularProfile(Profile):
    """From the singular values of Phi: A = rest + sum_i p_i^2 lambda / (l_i + lambda), without cancellation.

    Parameters
    ----------
    singular : ndarray of shape (m,)
    projected : ndarray of shape (m, k)
        The targets in the left singular directions, p.
    rest : ndarray of shape (k,)
        The energy of the targets outside the span of Phi.
    """

    def __init__(self, singular: Array, projected: Array, rest: Array, n_rows: float, log_constant: float) -> None:
        self.eigenvalues, self.n_rows, self.log_constant = singular**2, n_rows, log_constant
        self._squares, self._rest = projected**2, rest
        self.energy = rest + self._squares.sum(axis=0)
        self._floor = MISFIT_FLOOR * self.energy

    def misfits(self, lams: Array) -> Array:
        share = lams[:, None] / (self.eigenvalues + lams[:, None])
        return np.asarray(np.maximum(self._rest + share @ self._squares, self._floor), dtype=float)

    def misfit_slopes(self, lam: float) -> tuple[Array, Array, Array]:
        share = self.eigenvalues / (self.eigenvalues + lam)
        slope = share * (1.0 - share)
        curvature = slope * (2.0 * share - 1.0)
        return self.misfits(np.array([lam]))[0], slope @ self._squares, curvature @ self._squares
