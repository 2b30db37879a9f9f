"""Likelihoods of the relevance vector machine, with their slopes in the latent value.

Notation: h (n,) latent values Phi w, e = d ln p / dh, B = -d2 ln p / dh2, B' = dB / dh,
s sample weights (a row of weight 2 counts as two rows), y = (t + 1) / 2, p = sigmoid(h).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from scipy.special import expit, log_expit

from kernelect.typing import Array


@dataclass(frozen=True)
class Slopes:
    """The log-likelihood at one h and its derivatives, row by row."""

    value: float
    error: Array  # (n,) e
    curvature: Array  # (n,) B
    tilt: Array | float = 0.0  # (n,) B' / B

    @property
    def skew(self) -> Array:
        """B' (n,)."""
        return self.curvature * self.tilt


class Likelihood(ABC):
    """ln p(t | h), a sum over rows, concave in h."""

    targets: Array
    sample_weight: Array

    #: Whether B does not depend on h, so that the evidence is exact and the mode one solve away.
    quadratic: ClassVar[bool]

    @abstractmethod
    def value(self, h: Array) -> float:
        """Return ln p(t | h)."""

    @abstractmethod
    def slopes(self, h: Array) -> Slopes:
        """Return ln p(t | h) with its derivatives."""

    @abstractmethod
    def least_alpha(self, columns: Array, squares: Array | None = None) -> Array:
        """Return the smallest precision allowed for the weight of each of ``columns`` (n, m).

        ``squares`` are their squares where these are at hand.
        """

    @abstractmethod
    def least_alpha_slope(self, columns: Array) -> Array:
        """Return the derivative of the logarithm of each one's smallest precision in its entries, (n, m)."""


@dataclass(frozen=True)
class Bernoulli(Likelihood):
    """Labels t of +-1 with p(t | h) = sigmoid(t h)."""

    targets: Array
    sample_weight: Array
    quadratic = False

    #: Largest prior variance, over the rows, of one function's part of the log-odds.
    _LARGEST_VARIANCE = 1e4

    def value(self, h: Array) -> float:
        return self._value(self.targets * h)

    def _value(self, margin: Array) -> float:
        return float(self.sample_weight @ log_expit(margin))

    def slopes(self, h: Array) -> Slopes:
        t, s = self.targets, self.sample_weight
        margin = t * h
        right, wrong = expit(margin), expit(-margin)  # y - p = t sigmoid(-t h) does not cancel
        missed = s * wrong
        return Slopes(self._value(margin), missed * t, missed * right, t * (wrong - right))

    def least_alpha(self, columns: Array, squares: Array | None = None) -> Array:
        """Let no function alone move the log-odds by more than about a hundred.

        On separable labels the evidence may rise on for ever, with weights of 1e6 that reach
        far rows through the tails of narrow functions; nobody means that by a prior.
        """
        s = self.sample_weight / self.sample_weight.sum()
        size = s @ (columns**2 if squares is None else squares)
        return self._spread(size, s @ columns)[0] / self._LARGEST_VARIANCE

    def least_alpha_slope(self, columns: Array) -> Array:
        s = self.sample_weight / self.sample_weight.sum()
        mean = s @ columns
        spread, centre = self._spread(s @ columns**2, mean)
        return 2.0 * s[:, None] * (columns - centre) / np.maximum(spread, 1e-300)

    def _spread(self, size: Array, mean: Array) -> tuple[Array, Array]:
        """Return variance and mean of functions; a constant has no variance, so its size counts, around 0."""
        variance = size - mean**2
        varies = variance > 1e-12 * size
        return np.where(varies, variance, size), np.where(varies, mean, 0.0)


@dataclass(frozen=True)
class Normal(Likelihood):
    """Targets with noise of one precision beta, divided by the sample weight.

    ``count`` is the number of observations behind the rows (the sum of their weights), kept
    apart because rows may be replaced by fewer ones with the same sums of squares.
    """

    targets: Array
    sample_weight: Array
    precision: float
    count: float
    quadratic = True

    _LEAST_RATIO = 1e-14

    def value(self, h: Array) -> float:
        misfit = float(self.sample_weight @ (self.targets - h) ** 2)
        return 0.5 * self.count * float(np.log(self.precision / (2.0 * np.pi))) - 0.5 * self.precision * misfit

    def slopes(self, h: Array) -> Slopes:
        s = self.precision * self.sample_weight
        return Slopes(self.value(h), s * (self.targets - h), s)

    def least_alpha(self, columns: Array, squares: Array | None = None) -> Array:
        """Keep alpha above rounding, relative to beta and the function's sum of squares."""
        size = self.sample_weight @ (columns**2 if squares is None else squares)
        return np.asarray(self._LEAST_RATIO * self.precision * size, dtype=float)

    def least_alpha_slope(self, columns: Array) -> Array:
        s = self.sample_weight
        return 2.0 * s[:, None] * columns / np.maximum(s @ columns**2, 1e-300)

    def with_precision(self, precision: float) -> Normal:
        """Return the likelihood with another noise precision."""
        return replace(self, precision=precision)
