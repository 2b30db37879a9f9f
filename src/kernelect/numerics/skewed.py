"""Noise that leans to one side: the generalised log-gamma distribution (Prentice 1974), with its median at 0.

W is ln(G)/q + ln(q^2)/q for G from the gamma distribution of shape k = q^-2. It is normal for q = 0; for q = 1 the
logarithm of a time with this noise is that of a Weibull time, for q = -1 that of an inverse Weibull time. Here
w = z + m, with m the median of W, so that z has median 0.

    f(w) = |q| k^k exp(k (q w - e^(q w))) / Gamma(k),   P(W > w) = 1 - P(k, k e^(q w)) for q > 0, P(...) for q < 0,

with P the regularised lower incomplete gamma function.
"""

from __future__ import annotations

import numpy as np
from scipy.special import gammainc, gammaincc, gammaincinv, gammaln, log_ndtr, ndtr, ndtri

from kernelect.typing import Array

#: Skewness below which the distribution is taken for the normal one, which it differs from by less than 1e-3.
NORMAL = 0.02

_LOG_ROOT_2PI = 0.5 * np.log(2.0 * np.pi)

#: Arguments of an exponential that stay finite.
_MOST = 500.0

#: Probabilities are taken no smaller than this if their logarithm is needed.
_LEAST = 1e-300


def skewed_median(q: float) -> float:
    """Return the median of W."""
    return 0.0 if abs(q) < NORMAL else float(np.log(q**2 * gammaincinv(q**-2, 0.5)) / q)


def skewed_log_density(z: Array, q: float) -> Array:
    """Return ln of the density at z."""
    if abs(q) < NORMAL:
        return np.asarray(-0.5 * z**2 - _LOG_ROOT_2PI, dtype=float)
    k = q**-2
    u = np.clip(q * (z + skewed_median(q)), -_MOST, _MOST)
    return np.asarray(np.log(abs(q)) + k * np.log(k) - gammaln(k) + k * (u - np.exp(u)), dtype=float)


def skewed_tail(z: Array, q: float) -> Array:
    """Return P(Z > z)."""
    if abs(q) < NORMAL:
        return np.asarray(ndtr(-z), dtype=float)
    k = q**-2
    with np.errstate(over="ignore"):
        x = k * np.exp(np.clip(q * (z + skewed_median(q)), -np.inf, _MOST))
    return np.asarray(gammaincc(k, x) if q > 0.0 else gammainc(k, x), dtype=float)


def skewed_log_tail(z: Array, q: float) -> Array:
    """Return ln P(Z > z)."""
    if abs(q) < NORMAL:
        return np.asarray(log_ndtr(-z), dtype=float)
    return np.log(np.maximum(skewed_tail(z, q), _LEAST))


def skewed_quantile(p: float, q: float) -> float:
    """Return z with P(Z <= z) = p."""
    if abs(q) < NORMAL:
        return float(ndtri(p))
    k = q**-2
    return float(np.log(gammaincinv(k, p if q > 0.0 else 1.0 - p) / k) / q) - skewed_median(q)
