"""What a kernel's profile is a sum of, found from the profile alone: one exponential, powers, or many exponentials.

An exponential of a sum is a product. So a profile exp(-c D) of a squared distance is a product over inputs, a sum of
such exponentials is a sum of products, and the same holds for inner products. Powers of sums are products of series
(series.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from kernelect.typing import Array

#: A function of each element of an array, which may write into it.
Function = Callable[[Array], Array]

#: Error that a sum of Gaussians may make, in units of the profile at 0.
TOLERANCE = 1e-12

#: Steps between the logarithms of scales, the widest first: the widest that is precise enough is taken.
_STEPS = (0.4, 0.35, 0.3, 0.25, 0.2, 0.16, 0.12)

#: Sizes of the weights may add up to this much of the profile at 0: rounding grows with them.
_LARGEST_WEIGHTS = 100.0

#: Rows beyond the vectors are followed so many times as far as the vectors reach.
_BEYOND = 1e6

#: Distances at which a sum is fitted, and at which its error is measured.
_FITTED, _MEASURED = 1000, 4000

#: How many times as far as a profile goes nothing is left of the widest Gaussian.
_GONE = 1e4

#: Smallest distance at which a profile may begin to fall, as a power of 10.
_SMALLEST = -30


@dataclass(frozen=True, eq=False, kw_only=True)
class GaussianScales:
    """k(D) = sum_s weights_s exp(-scales_s D), up to ``error``, which was measured; 0 for one exponential."""

    scales: Array
    weights: Array
    error: float = 0.0

    def __call__(self, D: Array) -> Array:
        return np.asarray(np.exp(-np.multiply.outer(D, self.scales)) @ self.weights, dtype=float)


def power_series(profile: Function) -> Array | None:
    """Return the coefficients of 1, T, T^2, ... of a profile that is a polynomial; None if it is not."""
    T: Any = np.polynomial.Polynomial([0.0, 1.0])
    try:
        found: Any = profile(T)
    except (TypeError, ValueError, AttributeError):
        return None
    return np.asarray(found.coef, dtype=float) if isinstance(found, np.polynomial.Polynomial) else None


def exponential_rate(profile: Function) -> float | None:
    """Return c of a profile that is exp(c T), up to a factor; None if it is not."""
    origin, one = (float(value) for value in profile(np.array([0.0, 1.0])))
    if not origin * one > 0.0 or origin == one:
        return None
    rate = float(np.log(one / origin))
    T = np.geomspace(1e-3, 30.0, 200) / -abs(rate) * np.sign(rate)
    right = np.allclose(profile(T.copy()), origin * np.exp(rate * T), rtol=0.0, atol=1e-14 * abs(origin))
    return rate if right else None


def gaussian_scales(profile: Function, reach: float) -> GaussianScales | None:
    """Return a profile of squared distances as a sum of Gaussians; None if there is none within the tolerance.

    The scales are equally spaced in their logarithm; least squares gives their weights at distances of all sizes. This
    finds the trapezoidal rule in the logarithm, or better, for every mixture of Gaussians, and its error falls
    exponentially with the step, at every distance alike. The profile alone decides how far scales have to go.

    Parameters
    ----------
    profile : callable
    reach : float
        Distance that the sum has to cover, with a margin for rows far beyond it.
    """
    rate = exponential_rate(profile)
    if rate is not None and rate < 0.0:
        return GaussianScales(scales=np.array([-rate]), weights=profile(np.zeros(1)))
    grid = 10.0 ** (np.arange(20 * _SMALLEST, 20 * np.ceil(np.log10(_BEYOND * max(reach, 1.0))) + 1) / 20)
    origin, values = float(profile(np.zeros(1))[0]), profile(grid.copy())
    fallen, left = np.flatnonzero(origin - values > 1e-15 * origin), np.flatnonzero(np.abs(values) > 1e-17 * origin)
    if not len(fallen) or not len(left):
        return None
    low, high = grid[max(fallen[0] - 1, 0)], grid[min(left[-1] + 1, len(grid) - 1)]
    end = _GONE * high if high < grid[-1] else high
    fitted, measured = (_distances(low, end, count) for count in (_FITTED, _MEASURED))
    return _sum_of_gaussians(low, high, end, profile(fitted).tobytes(), profile(measured).tobytes())


def _distances(low: float, end: float, count: int) -> Array:
    return np.concatenate([[0.0], np.geomspace(low / 30.0, end, count - 1)])


@lru_cache(maxsize=64)
def _sum_of_gaussians(low: float, high: float, end: float, fitted: bytes, measured: bytes) -> GaussianScales | None:
    """Return the sum for a profile that falls between two distances, by its values from 0 to ``end``."""
    D, values = _distances(low, end, _FITTED), np.frombuffer(fitted)
    aim = 0.4 * TOLERANCE * values[0]
    for step in _STEPS:
        logarithms = np.arange(np.log(1e-2 / high), np.log(30.0 / low) + step, step)
        if _error(logarithms, D, values) > aim:
            continue
        scales, weights = _weights(_shortest(logarithms, lambda some: _error(some, D, values) <= aim), D, values)
        found = GaussianScales(scales=scales, weights=weights)
        error = float(np.abs(found(_distances(low, end, _MEASURED)) - np.frombuffer(measured)).max())
        if error <= TOLERANCE * values[0]:
            return replace(found, error=error)
    return None


def _weights(logarithms: Array, D: Array, values: Array) -> tuple[Array, Array]:
    """Return scales, with one of 0 for what is left at any distance, and their weights."""
    scales = np.concatenate([[0.0], np.exp(logarithms)])
    return scales, np.linalg.lstsq(np.exp(-np.multiply.outer(D, scales)), values, rcond=1e-15)[0]


def _error(logarithms: Array, D: Array, values: Array) -> float:
    scales, weights = _weights(logarithms, D, values)
    if np.abs(weights).sum() > _LARGEST_WEIGHTS * abs(values[0]):
        return np.inf
    return float(np.abs(np.exp(-np.multiply.outer(D, scales)) @ weights - values).max())


def _shortest(logarithms: Array, is_enough: Callable[[Array], bool]) -> Array:
    """Return the scales without those at either end that are not needed, by bisection."""
    first, last = 0, len(logarithms) - 1
    while first < last:
        middle = (first + last + 1) // 2
        first, last = (middle, last) if is_enough(logarithms[middle:]) else (first, middle - 1)
    logarithms = logarithms[first:]
    first, last = 1, len(logarithms)
    while first < last:
        middle = (first + last) // 2
        first, last = (first, middle) if is_enough(logarithms[:middle]) else (middle + 1, last)
    return logarithms[:first]
