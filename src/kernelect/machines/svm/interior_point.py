"""Mehrotra's interior point for the dual of a support vector machine without bias.

The slow but safe way to solve the program of box_program.py: it takes 10 to 20 Cholesky
factorisations of order n, whatever the condition of the kernel matrix.

Notation: K, e, y, u, alpha as in box_program.py; s = alpha and t = u - alpha the distances from the
bounds with multipliers p and q, residual d = y (M beta) - 1 - p + q, tau = mean of s p and t q.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernelect.exceptions import SingularSystem
from kernelect.numerics import CholeskyFactor, factorize
from kernelect.typing import Array, Mask

_MAX_ITERATIONS = 80
_GAP = 1e-13
_RESIDUAL = 1e-10
_TO_BOUNDARY = 0.995
_TINY = 1e-40


@dataclass(frozen=True, kw_only=True)
class InteriorPoint:
    """Where the interior point ended."""

    alpha: Array
    at_lower: Mask
    at_upper: Mask


def interior_point(gram: Array, ridge: Array, labels: Array, upper: Array) -> InteriorPoint:
    """Return the solution of the box program to a relative gap of about 1e-11.

    Rows with an upper bound of 0 are left out.
    """
    movable = upper > 0
    if not movable.all():
        found = interior_point(gram[np.ix_(movable, movable)], ridge[movable], labels[movable], upper[movable])
        return _scattered(found, movable)
    return _Iteration(gram, ridge, labels, upper).run()


def _scattered(found: InteriorPoint, movable: Mask) -> InteriorPoint:
    alpha = np.zeros(len(movable))
    alpha[movable] = found.alpha
    at_lower, at_upper = np.ones(len(movable), dtype=bool), np.zeros(len(movable), dtype=bool)
    at_lower[movable], at_upper[movable] = found.at_lower, found.at_upper
    return InteriorPoint(alpha=alpha, at_lower=at_lower, at_upper=at_upper)


class _Iteration:
    """One run: holds alpha and the multipliers."""

    def __init__(self, gram: Array, ridge: Array, labels: Array, upper: Array) -> None:
        self.gram, self.ridge, self.y, self.u = gram, ridge, labels, upper
        self.boxed = np.isfinite(upper)
        self.alpha = np.where(self.boxed, 0.5 * upper, 1.0 / np.maximum(np.diagonal(gram) + ridge, _TINY))
        self.p = np.ones(len(labels))
        self.q = np.where(self.boxed, 1.0, 0.0)

    @property
    def t(self) -> Array:
        """Distance from the upper bound; 1 if there is none, against a multiplier of 0."""
        return np.where(self.boxed, np.maximum(self.u - self.alpha, _TINY), 1.0)

    def run(self) -> InteriorPoint:
        for _ in range(_MAX_ITERATIONS):
            residual, tau = self._residual(), self._gap(self.alpha, self.t, self.p, self.q)
            if tau < _GAP * max(1.0, float(self.alpha.max())) and np.max(np.abs(residual)) < _RESIDUAL:
                break
            try:
                length = self._step(residual, tau)
            except SingularSystem:
                break
            if length < 1e-10:
                break
        at_lower = self.alpha < self.p
        return InteriorPoint(alpha=self.alpha, at_lower=at_lower, at_upper=~at_lower & self.boxed & (self.t < self.q))

    def _residual(self) -> Array:
        beta = self.y * self.alpha
        return np.asarray(self.y * (self.gram @ beta + self.ridge * beta) - 1.0 - self.p + self.q, dtype=float)

    def _gap(self, s: Array, t: Array, p: Array, q: Array) -> float:
        return float(s @ p + t @ q) / (len(s) + int(self.boxed.sum()))

    def _step(self, residual: Array, tau: float) -> float:
        """Take one predictor-corrector step; returns its length."""
        s, t, p, q = self.alpha, self.t, self.p, self.q
        factor = factorize(self.gram, self.ridge + p / s + q / t)
        da, dp, dq = self._direction(factor, residual, -s * p, -t * q)
        if not (np.all(np.isfinite(dp)) and np.all(np.isfinite(dq))):
            return 0.0  # at the end of the digits
        along = min(_longest(s, da), _longest(t, -da * self.boxed))
        across = min(_longest(p, dp), _longest(q, dq))
        predicted = self._gap(s + along * da, t - along * da * self.boxed, p + across * dp, q + across * dq)
        centre = tau * (predicted / tau) ** 3
        da, dp, dq = self._direction(factor, residual, centre - s * p - da * dp, centre - t * q + da * dq)
        moves = ((s, da), (t, -da * self.boxed), (p, dp), (q, dq))
        if not all(np.all(np.isfinite(change)) for _, change in moves):
            return 0.0
        length = _TO_BOUNDARY * min(_longest(value, change) for value, change in moves)
        self.alpha, self.p = np.maximum(s + length * da, _TINY), np.maximum(p + length * dp, _TINY)
        self.q = np.where(self.boxed, np.maximum(q + length * dq, _TINY), 0.0)
        return length

    def _direction(
        self, factor: CholeskyFactor, residual: Array, lower: Array, upper: Array
    ) -> tuple[Array, Array, Array]:
        """Return the changes of alpha, p, q that bring s p and t q up by ``lower`` and ``upper``."""
        upper = np.where(self.boxed, upper, 0.0)
        right = -residual + lower / self.alpha - upper / self.t
        da = self.y * factor.solve(self.y * right)
        dp = (lower - self.p * da) / self.alpha
        dq = np.where(self.boxed, (upper + self.q * da) / self.t, 0.0)
        return da, dp, dq


def _longest(value: Array, change: Array) -> float:
    """Return the longest step up to 1 that keeps ``value`` from falling below 0."""
    falling = change < 0
    return min(1.0, float(np.min(-value[falling] / change[falling]))) if falling.any() else 1.0
