"""Radial kernels as mixtures of Gaussian scales.

Notation: D scaled squared distance, y a Gamma variable of shape a and scale 1. Then

    Matern of smoothness nu (s = sqrt(4 nu D)):  E exp(-nu D / y) with a = nu,
    rational quadratic (1 + D / a)^-a:           E exp(-y D / a).

The mean over y is a trapezoidal sum in v = ln y, int exp(a v - e^v) exp(-u(v) D) dv / Gamma(a), whose
error falls as |Gamma(a + 2 pi i / h)| with the step h, at every D alike. Gauss-Laguerre nodes would
need far more terms where D is large, because exp(-y D / a) is then no polynomial in y.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.optimize import brentq
from scipy.special import gammainccinv, gammaincinv, gammaln, loggamma

from kernelect.typing import Array

#: Error that a mixture may make where the kernel is 1 at distance 0.
TOLERANCE = 1e-12


@dataclass(frozen=True, eq=False, kw_only=True)
class Mixture:
    """k(D) = sum_s weights_s exp(-scales_s D), up to ``error``, which was measured."""

    scales: Array
    weights: Array
    error: float

    def __call__(self, D: Array) -> Array:
        return np.asarray(np.exp(-np.multiply.outer(D, self.scales)) @ self.weights, dtype=float)


@cache
def matern_mixture(nu: float) -> Mixture:
    """Return the mixture of a Matern kernel of smoothness 3/2 or 5/2."""
    y, weights = _gamma_nodes(nu, float(gammaincinv(nu, TOLERANCE / 4.0)))

    def kernel(D: Array) -> Array:
        s = np.sqrt(4.0 * nu * D)
        return np.asarray((1.0 + s if nu == 1.5 else 1.0 + s * (1.0 + s / 3.0)) * np.exp(-s), dtype=float)

    return _measured(nu / y, weights, kernel, 1e4)


@cache
def rational_quadratic_mixture(alpha: float, reach: float) -> Mixture:
    """Return the mixture of (1 + D / alpha)^-alpha for D up to ``reach``."""
    # Below this y the Gaussians are 1 at every distance there is, and share one node.
    flat = TOLERANCE * alpha / max(reach, 1.0)
    y, weights = _gamma_nodes(alpha, max(float(gammaincinv(alpha, TOLERANCE / 4.0)), flat))
    return _measured(y / alpha, weights, lambda D: np.asarray((1.0 + D / alpha) ** -alpha, dtype=float), reach)


def _gamma_nodes(shape: float, lowest: float) -> tuple[Array, Array]:
    """Return nodes y and weights of a Gamma variable; the smallest node carries the mass below it."""
    low, high = np.log(lowest), np.log(float(gammainccinv(shape, TOLERANCE / 4.0)))
    step = _step(shape)
    v = low + step * np.arange(int(np.ceil((high - low) / step)) + 1)
    weights = step * np.exp(shape * v - np.exp(v) - gammaln(shape))
    weights[0] += 1.0 - weights.sum()
    return np.exp(v), weights


def _step(shape: float) -> float:
    """Return the step at which the trapezoidal sum is off by a quarter of the tolerance."""

    def excess(log_step: float) -> float:
        decay = float(np.real(loggamma(complex(shape, 2.0 * np.pi / np.exp(log_step)))))
        return float(np.log(2.0) + decay - gammaln(shape) - np.log(TOLERANCE / 4.0))

    return float(np.exp(brentq(excess, np.log(0.02), np.log(2.0))))


def _measured(scales: Array, weights: Array, kernel: Callable[[Array], Array], reach: float) -> Mixture:
    """Return the mixture with its largest error on a fine grid of distances."""
    mixture = Mixture(scales=scales, weights=weights, error=0.0)
    D = np.concatenate([[0.0], np.geomspace(1e-12, max(reach, 1.0), 2000)])
    return Mixture(scales=scales, weights=weights, error=float(np.abs(mixture(D) - kernel(D)).max()))
