"""Likelihoods of the relevance vector machine, with their slopes in the latent value.

Notation: h (n,) latent values Phi w, e = d ln p / dh, B = -d2 ln p / dh2, B' = dB / dh,
s sample weights (a row of weight 2 counts as two rows), y = (t + 1) / 2, p = sigmoid(h),
beta the precision of normal noise, gamma how far the data determine each weight.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np
from scipy.linalg import qr
from scipy.special import expit, log_expit

from kernelect.typing import Array, Indices

#: The noise's share of the targets' sum of squares never falls below this.
NOISE_FLOOR = 1e-12

_NOTHING = np.zeros(0)


@dataclass(frozen=True, kw_only=True)
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

    def on(self, rows: Indices) -> Slopes:
        """Return the derivatives at some of the rows; the value is still that of all."""
        tilt = self.tilt[rows] if isinstance(self.tilt, np.ndarray) else self.tilt
        return Slopes(value=self.value, error=self.error[rows], curvature=self.curvature[rows], tilt=tilt)


class TargetLikelihood(ABC):
    """ln p(t | h), a sum over rows, concave in h; it may have a noise precision."""

    targets: Array
    sample_weight: Array

    #: Whether B does not depend on h, so that the evidence is exact and the mode one solve away. The noise then
    #: has a precision of its own.
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

        ``squares`` are their squares, if they have been computed already.
        """

    @abstractmethod
    def least_alpha_slope(self, columns: Array) -> Array:
        """Return the derivative of the logarithm of each column's smallest precision in its entries, (n, m)."""

    @abstractmethod
    def log_losses(self, targets: Array, mean: Array, variance: Array) -> Array:
        """Return minus the log predictive density of rows with normal latent values; all arrays are (rows,)."""

    @staticmethod
    @abstractmethod
    def errors(targets: Array, mean: Array) -> Array:
        """Return the error (rows,) of predictions by the latent means of all outputs, (rows, k)."""

    @property
    def noise_precision(self) -> float:
        """beta, or 1 if there is none."""
        return 1.0

    @property
    def n_observations(self) -> float:
        """Number of observations behind the rows."""
        return float(self.sample_weight.sum())

    def with_noise_precision(self, precision: float) -> Self:
        """Return the likelihood with another beta, or the same one if it has no beta."""
        return self

    def log_noise(self) -> Array:
        """Return ln beta, or an empty array if there is none."""
        return _NOTHING

    def log_noise_bounds(self) -> tuple[Array, Array]:
        """Return how small and how large ln beta may be."""
        return _NOTHING, _NOTHING

    def log_noise_slope(self, slopes: Slopes, determination: Array) -> Array:
        """Return the derivative of ln E in ln beta at the mode."""
        return _NOTHING

    def reestimated(self, slopes: Slopes, determination: Array) -> Self:
        """Return the likelihood with beta as the classical iteration sets it."""
        return self

    def condensed(self, design: Array) -> tuple[Array, Self]:
        """Return fewer rows that give the same evidence for every model, if there are such rows."""
        return design, self


@dataclass(frozen=True, kw_only=True)
class Bernoulli(TargetLikelihood):
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
        return Slopes(value=self._value(margin), error=missed * t, curvature=missed * right, tilt=t * (wrong - right))

    def least_alpha(self, columns: Array, squares: Array | None = None) -> Array:
        """Limit how far a single function can move the log-odds, to about a hundred.

        On separable labels the evidence may rise forever, with weights of 1e6 that reach far rows
        through the tails of narrow functions. No sensible prior would allow this.
        """
        s = self.sample_weight / self.sample_weight.sum()
        size = s @ (columns**2 if squares is None else squares)
        return self._spread(size, s @ columns)[0] / self._LARGEST_VARIANCE

    def least_alpha_slope(self, columns: Array) -> Array:
        s = self.sample_weight / self.sample_weight.sum()
        mean = s @ columns
        spread, centre = self._spread(s @ columns**2, mean)
        return 2.0 * s[:, None] * (columns - centre) / np.maximum(spread, 1e-300)

    def log_losses(self, targets: Array, mean: Array, variance: Array) -> Array:
        return np.asarray(-log_expit(targets * moderated(mean, variance)), dtype=float)

    @staticmethod
    def errors(targets: Array, mean: Array) -> Array:
        """Count wrong labels; with several outputs the largest one gives the label."""
        if targets.shape[1] == 1:
            return np.asarray(targets[:, 0] * mean[:, 0] <= 0.0, dtype=float)
        return np.asarray(mean.argmax(axis=1) != targets.argmax(axis=1), dtype=float)

    def _spread(self, size: Array, mean: Array) -> tuple[Array, Array]:
        """Return variance and mean of functions; a constant has no variance, so its size counts, around 0."""
        variance = size - mean**2
        varies = variance > 1e-12 * size
        return np.where(varies, variance, size), np.where(varies, mean, 0.0)


@dataclass(frozen=True, kw_only=True)
class Normal(TargetLikelihood):
    """Targets with noise of one precision beta, divided by the sample weight.

    ``count`` is the number of observations behind the rows (the sum of their weights). It is stored
    separately because fewer rows with the same sums of squares may replace the rows.
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
        return Slopes(value=self.value(h), error=s * (self.targets - h), curvature=s)

    def least_alpha(self, columns: Array, squares: Array | None = None) -> Array:
        """Keep alpha above rounding, relative to beta and the function's sum of squares."""
        size = self.sample_weight @ (columns**2 if squares is None else squares)
        return np.asarray(self._LEAST_RATIO * self.precision * size, dtype=float)

    def least_alpha_slope(self, columns: Array) -> Array:
        s = self.sample_weight
        return 2.0 * s[:, None] * columns / np.maximum(s @ columns**2, 1e-300)

    def log_losses(self, targets: Array, mean: Array, variance: Array) -> Array:
        total = variance + 1.0 / self.precision
        return np.asarray(0.5 * (np.log(2.0 * np.pi * total) + (targets - mean) ** 2 / total), dtype=float)

    @staticmethod
    def errors(targets: Array, mean: Array) -> Array:
        """Return squared errors, added up over the outputs."""
        return np.asarray(((targets - mean) ** 2).sum(axis=1), dtype=float)

    @property
    def noise_precision(self) -> float:
        return self.precision

    @property
    def n_observations(self) -> float:
        return self.count

    def with_noise_precision(self, precision: float) -> Self:
        return replace(self, precision=precision)

    def log_noise(self) -> Array:
        return np.log([self.precision])

    def log_noise_bounds(self) -> tuple[Array, Array]:
        """Let the noise fall to its floor, but the precision no lower than half that of the targets."""
        size = self._energy()
        least, most = 2.0 * size, NOISE_FLOOR * size
        return np.log([self.count / max(least, 1e-300)]), np.log([self.count / max(most, 1e-300)])

    def log_noise_slope(self, slopes: Slopes, determination: Array) -> Array:
        # dE/dln beta = 1/2 (N - beta |t - Phi w|^2 - sum gamma), and e = beta s (t - Phi w)
        misfit = float(slopes.error**2 @ (1.0 / slopes.curvature))
        return np.array([0.5 * (self.count - misfit - float(determination.sum()))])

    def reestimated(self, slopes: Slopes, determination: Array) -> Self:
        """Set beta = (N - sum gamma) / |t - Phi w|^2."""
        misfit = float(slopes.error**2 @ (1.0 / slopes.curvature)) / self.precision
        free = max(self.count - float(determination.sum()), 1e-3 * self.count)
        return self.with_noise_precision(free / max(misfit, NOISE_FLOOR * self._energy()))

    def condensed(self, design: Array) -> tuple[Array, Self]:
        """Return m + 1 rows with the same sums of squares."""
        n, m = design.shape
        if n <= m + 1:
            return design, self
        root = np.sqrt(self.sample_weight)
        R = qr(np.column_stack([design, self.targets]) * root[:, None], mode="r", check_finite=False)[0][: m + 1]
        return R[:, :-1], replace(self, targets=R[:, -1], sample_weight=np.ones(m + 1))

    def _energy(self) -> float:
        """Return the targets' sum of squares."""
        return float(self.sample_weight @ self.targets**2)


def moderated(mean: Array, variance: Array) -> Array:
    """Return the log-odds of the predictive probability for a latent normal (MacKay 1992).

    The sigmoid averaged over N(mean, variance) is about sigmoid(mean / sqrt(1 + pi variance / 8)):
    probabilities move towards 1/2 if the weights are not determined, and no decision changes.
    """
    return np.asarray(mean / np.sqrt(1.0 + np.pi / 8.0 * variance), dtype=float)
