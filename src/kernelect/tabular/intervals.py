"""The ends of intervals around predicted numbers, whatever machine predicts them."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import norm

from kernelect.typing import Array


def interval_ends(machine: Any, inputs: Any, coverage: float) -> tuple[Array, Array]:
    """Return lower and upper ends: the machine's own (jackknife+), or those of a normal.

    Parameters
    ----------
    machine : regressor
        Fitted.
    inputs : array-like of shape (m, d)
        As the machine takes them.
    coverage : float in (0, 1)
    """
    if hasattr(machine, "predict_interval"):
        lower, upper = machine.predict_interval(inputs, coverage=coverage)
        return np.asarray(lower, dtype=float), np.asarray(upper, dtype=float)
    mean, deviation = machine.predict(inputs, return_std=True)
    reach = norm.ppf(0.5 + coverage / 2) * deviation
    return mean - reach, mean + reach
