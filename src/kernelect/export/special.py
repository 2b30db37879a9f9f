"""Special functions in the operations of a graph.

Notation: Phi the normal distribution function, erfcx(u) = exp(u^2) erfc(u). For u >= 0 and t = 2 / (2 + u),
ln(erfcx(u) / t) is a smooth function of t on [0, 1]: a polynomial, fitted here once, gives erfc and its logarithm by
exp and log alone, with a relative error of 1e-14.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.polynomial import chebyshev
from scipy.special import erfcx

from kernelect.export.graph import Node, apply, polynomial

#: Degree of the polynomial for ln(erfcx(u) / t).
_DEGREE = 24


@cache
def _erfcx_polynomial() -> tuple[float, ...]:
    """Return the coefficients of ln(erfcx(u) / t) in powers of s = 2 t - 1, the highest first."""
    nodes = np.cos(np.pi * (np.arange(400) + 0.5) / 400)  # Chebyshev's, where interpolation is as good as any
    t = 0.5 * (nodes + 1.0)
    u = 2.0 / t - 2.0
    fitted = chebyshev.chebfit(nodes, np.log(erfcx(u) / t), _DEGREE)
    return tuple(float(value) for value in chebyshev.cheb2poly(fitted)[::-1])


def _log_erfcx(u: Node) -> Node:
    """Return ln erfcx(u) for u >= 0."""
    t = 2.0 / (2.0 + u)
    s = 2.0 * t - 1.0
    return apply("log", t) + polynomial(s, _erfcx_polynomial())


def scaled_error(u: Node) -> Node:
    """Return erfcx(u)."""
    size = apply("exp", _log_erfcx(apply("abs", u)))
    return apply("where", apply("less", u, 0.0), 2.0 * apply("exp", u * u) - size, size)


def log_normal(z: Node) -> Node:
    """Return ln Phi(z)."""
    u = apply("abs", z) / np.sqrt(2.0)
    tail = _log_erfcx(u) - u * u - np.log(2.0)  # ln Phi(-|z|)
    return apply("where", apply("less", z, 0.0), tail, apply("log", 1.0 - apply("exp", tail)))


def log_sum(a: Node, b: Node) -> Node:
    """Return ln(e^a + e^b)."""
    return apply("max", a, b) + apply("log", 1.0 + apply("exp", -apply("abs", a - b)))


def log_sigmoid(a: Node) -> Node:
    """Return ln(1 / (1 + e^-a))."""
    return apply("min", a, 0.0) - apply("log", 1.0 + apply("exp", -apply("abs", a)))
