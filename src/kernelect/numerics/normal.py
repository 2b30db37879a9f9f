"""Moments of a normal variable cut off at 0, computed without cancellation.

Notation: w ~ N(b, 1) restricted to w > 0; phi, Phi density and distribution of N(0, 1);
lambda(b) = phi(b)/Phi(b) the inverse Mills ratio. Then

    E w = delta(b) = b + lambda(b),   E w^2 = 1 + b delta(b),   Var w = 1 - lambda(b) delta(b).

For b far below 0 these differences lose all digits. With x = -b, Laplace's continued fraction
lambda = x + 1/(x + 2/(x + 3/(x + ...))) gives delta = 1/(x + c) with c = 2/(x + 3/(x + ...)),
hence E w^2 = c delta and Var w = delta (c - delta), sums and quotients of positive terms.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import erfcx, log_ndtr

from kernelect.typing import Array

#: Below this the continued fraction takes over; above, cancellation costs at most 3 digits.
_TAIL = -5.0
_TERMS = 24


@dataclass(frozen=True, kw_only=True)
class CutNormal:
    """Moments of N(b, 1) restricted to positive values, for an array of b."""

    mills: Array  # lambda(b)
    mean: Array  # delta(b)
    second: Array  # E w^2
    variance: Array


def cut_normal(b: Array) -> CutNormal:
    """Return the moments of N(b, 1) restricted to positive values."""
    b = np.asarray(b, dtype=float)
    mills = inverse_mills(b)
    mean = b + mills
    second = 1.0 + b * mean
    variance = 1.0 - mills * mean
    tail = b < _TAIL
    if np.any(tail):
        x = -b[tail]
        c = _tail_fraction(x)
        delta = 1.0 / (x + c)
        mean[tail], second[tail], variance[tail] = delta, c * delta, delta * (c - delta)
    return CutNormal(mills=mills, mean=mean, second=second, variance=variance)


def inverse_mills(b: Array) -> Array:
    """Return lambda(b) = phi(b)/Phi(b)."""
    return np.asarray(np.sqrt(2.0 / np.pi) / erfcx(-np.asarray(b) / np.sqrt(2.0)), dtype=float)


def _tail_fraction(x: Array) -> Array:
    """Return c(x) = 2/(x + 3/(x + 4/(x + ...)))."""
    tail = np.zeros_like(x)
    for k in range(_TERMS, 1, -1):
        tail = k / (x + tail)
    return tail


def log_between(lower: Array, upper: Array) -> Array:
    """Return ln(Phi(upper) - Phi(lower)), with relative digits in both tails."""
    turned = lower + np.where(np.isinf(lower), 0.0, upper) > 0.0  # above 0 the tails on the other side are small
    turned |= np.isinf(upper) & np.isfinite(lower)
    low, high = np.where(turned, -upper, lower), np.where(turned, -lower, upper)
    top = log_ndtr(high)
    with np.errstate(divide="ignore"):  # an empty interval
        return np.asarray(top + np.log(-np.expm1(np.minimum(log_ndtr(low) - top, 0.0))), dtype=float)
