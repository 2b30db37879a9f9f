"""On which scale a target is modelled.

Notation: t the scale, f a prediction on it, s the deviation of residuals on it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtri

from kernelect.typing import Array

#: What makes the variance of the square root of a count the same for all means (Anscombe 1948).
ANSCOMBE = 0.375

#: Predictions go no further beyond the targets than this share of their range.
BEYOND = 0.5

#: The same on a side where only limits are known of some targets, so that no number tells how far they go: none that is
#: expected. Half the range cut intervals off: with half of the targets below a limit, 76 % instead of 82 % were inside.
_BEYOND_LIMITS = 10.0

#: Residuals beyond these quantiles do not enter the mean on the scale of the targets.
_TRIMMED = (0.005, 0.995)

#: Logarithms of times that a number holds.
_LARGEST = 700.0

#: Values that stand for a normal distribution: quantiles, of variance 1.
_QUANTILES = ndtri((np.arange(50) + 0.5) / 50)
_NORMAL = _QUANTILES / _QUANTILES.std()


@dataclass(frozen=True, kw_only=True)
class TargetScale:
    """A monotone function of the target, its inverse, and means on the target's own scale.

    Attributes
    ----------
    name : "identity", "log", "sqrt" or "log1p"
    low, high : float
        Between these lie predictions on the scale.
    factor, shift, extra : float
        The mean of the target at f is factor e^f, or (f + shift)^2 + extra: what residuals on the scale add to it.
    bounded : bool
        Whether the target cannot be negative.
    """

    name: str = "identity"
    low: float = 0.0
    high: float = 0.0
    factor: float = 1.0
    shift: float = 0.0
    extra: float = 0.0
    bounded: bool = False

    @classmethod
    def of(cls, name: str, y: Array, *, bounded: bool, hidden: Array | None = None) -> TargetScale:
        """Return the scale for these targets, of which some may lie further below or above (``hidden``, two truths)."""
        if name == "identity":
            return cls(bounded=bounded)
        values = _FORWARD[name](y)
        below, above = np.where(np.zeros(2, dtype=bool) if hidden is None else hidden, _BEYOND_LIMITS, BEYOND)
        least = values.min() - below * (values.max() - values.min())
        # Upwards as on the target's own scale: half the range of logarithms would be a factor of hundreds.
        most = _FORWARD[name](np.asarray(y.max() + above * (y.max() - y.min())))
        return cls(name=name, low=float(least), high=float(most), bounded=bounded)

    @property
    def is_identity(self) -> bool:
        """Whether targets are modelled as they are."""
        return self.name == "identity"

    def forward(self, y: Array) -> Array:
        """Return targets on the scale."""
        return _FORWARD[self.name](y)

    def backward(self, f: Array) -> Array:
        """Return the targets that have these values on the scale, such as the ends of an interval."""
        found = f if self.is_identity else _BACKWARD[self.name](np.clip(f, self.low, self.high))
        return np.maximum(found, 0.0) if self.bounded else found

    def mean(self, f: Array) -> Array:
        """Return the mean of targets whose predictions on the scale are ``f``."""
        if self.is_identity:
            return np.maximum(f, 0.0) if self.bounded else f
        f = np.clip(f, self.low, self.high)
        if self.name == "sqrt":
            found = np.maximum(f + self.shift, 0.0) ** 2 + self.extra - ANSCOMBE
        else:
            found = self.factor * np.exp(f) - (1.0 if self.name == "log1p" else 0.0)
        return np.maximum(found, 0.0) if self.bounded else found

    def deviation(self, f: Array, s: Array) -> Array:
        """Return the standard deviation of targets with the deviation ``s`` around ``f`` on the scale."""
        if self.is_identity:
            return s
        # By values that are held within the limits: the formula of a normal logarithm goes far beyond them.
        return np.asarray(self.backward(f[..., None] + s[..., None] * _NORMAL).std(axis=-1), dtype=float)

    def spreading(self, square: float) -> TargetScale:
        """Return the scale whose means hold for normal residuals of that mean square."""
        return self if self.is_identity else replace(self, factor=float(np.exp(0.5 * square)), extra=square)

    def calibrated(self, residuals: Array, weights: Array) -> TargetScale:
        """Return the scale whose means hold for such residuals (Duan's smearing, without the farthest ones)."""
        if self.is_identity:
            return self
        r = np.clip(residuals, *np.quantile(residuals, _TRIMMED))
        mean = float(np.average(r, weights=weights))
        spread = float(np.average((r - mean) ** 2, weights=weights))
        return replace(self, factor=float(np.average(np.exp(r), weights=weights)), shift=mean, extra=spread)


@dataclass(frozen=True, eq=False, kw_only=True)
class TimeScale(TargetScale):
    """Times until an event: a piecewise linear function of their logarithm, which goes on beyond its knots.

    With two knots it is the logarithm itself, in another unit.

    Attributes
    ----------
    knots, heights : ndarray of shape (s,)
        Logarithms of times where the function bends, ascending, and its values there.
    """

    name: str = "times"
    knots: Array
    heights: Array

    @property
    def _slopes(self) -> Array:
        return np.diff(self.heights) / np.diff(self.knots)

    def forward(self, y: Array) -> Array:
        with np.errstate(divide="ignore"):
            logs = np.log(y)
        return _bent(logs, self.knots, self.heights[0], self._slopes)

    def log_slope(self, y: Array) -> Array:
        """Return the logarithm of the derivative at times."""
        logs = np.log(y)
        place = np.clip(np.searchsorted(self.knots, logs) - 1, 0, len(self.knots) - 2)
        return np.asarray(np.log(self._slopes[place]) - logs, dtype=float)

    def backward(self, f: Array) -> Array:
        logs = _bent(f, self.heights, self.knots[0], 1.0 / self._slopes)
        found: Array = np.exp(np.clip(logs, -_LARGEST, _LARGEST))
        return found

    def mean(self, f: Array) -> Array:
        """Return the median of times whose predictions on the scale are ``f``."""
        return self.backward(f)


def _bent(x: Array, knots: Array, first: float, slopes: Array) -> Array:
    """Return a piecewise linear function that is ``first`` at the first knot, by operations that exports know."""
    out = first + slopes[0] * np.minimum(x - knots[0], 0.0)
    for low, high, slope in zip(knots[:-2], knots[1:-1], slopes[:-1], strict=True):
        out = out + slope * np.clip(x - low, 0.0, high - low)
    return out + slopes[-1] * np.maximum(x - knots[-2], 0.0)


def _shifted_root(y: Array) -> Array:
    return np.sqrt(y + ANSCOMBE)


_FORWARD: dict[str, Callable[[Array], Array]] = {
    "identity": lambda y: y,
    "log": np.log,
    "log1p": np.log1p,
    "sqrt": _shifted_root,
}

_BACKWARD: dict[str, Callable[[Array], Array]] = {
    "log": np.exp,
    "log1p": np.expm1,
    "sqrt": lambda f: np.maximum(f, 0.0) ** 2 - ANSCOMBE,
}
