"""The normalisation of the support vector machine's likelihood, kappa(C).

Q(y | theta) = kappa(C) exp(-C l(y theta)), where kappa is the largest factor for which the two
labels' probabilities never add up to more than 1 (Gold & Sollich 2003, section 2).
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from kernelect.exceptions import unknown_name

SLACKS = ("linear", "quadratic")

_NEWTON_STEPS = 200


def check_slack(slack: object) -> str:
    """Return ``slack`` if it is valid, else raise."""
    if not isinstance(slack, str) or slack not in SLACKS:
        raise unknown_name("slack", slack, list(SLACKS))
    return slack


def log_kappa(C: float, *, quadratic: bool) -> tuple[float, float]:
    """Return ln kappa(C) and its derivative in C.

    Linear slack: kappa = 1 / (1 + e^-2C). Quadratic slack: 1/kappa is the largest value over z
    of e^(-C (1-z)^2/2) + e^(-C (1+z)^2/2), at the largest root of z = tanh(C z); for C <= 1
    that root is 0, above 1 the root 0 is a minimum. The derivative at fixed z is the whole one.
    """
    if not quadratic:
        return -float(np.logaddexp(0.0, -2.0 * C)), 2.0 * float(expit(-2.0 * C))
    z = _largest_root(C)
    exponents = -0.5 * C * (1.0 - z) ** 2, -0.5 * C * (1.0 + z) ** 2
    return -float(np.logaddexp(*exponents)), 0.5 * (1.0 - z * z)


def _largest_root(C: float) -> float:
    """Return the largest root of z = tanh(C z); Newton falls to it from 1 without passing it."""
    if C <= 1.0:
        return 0.0
    z = 1.0
    for _ in range(_NEWTON_STEPS):
        bend = np.tanh(C * z)
        step = float((z - bend) / (1.0 - C * (1.0 - bend * bend)))
        z -= step
        if abs(step) <= 1e-16 * z:
            break
    return z
