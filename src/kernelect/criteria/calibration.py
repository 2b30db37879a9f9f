"""Probabilities from decision values by one temperature, and their log-loss.

Notation: f (n, k) decision values, a > 0 the inverse temperature, p = softmax(a f), t (n, k)
smoothed targets. Two classes with decision values f (n,) are the columns -f/2 and f/2, whose
softmax is 1 / (1 + exp(-a f)).

One temperature, without offset, never moves the decision: the most probable class is the
predicted one. It is fitted on exact leave-one-out decision values, so no fold is needed and
the training fit's optimism does not enter.
"""

from __future__ import annotations

import numpy as np
from scipy.special import log_softmax, softmax

from kernelect.typing import Array, Indices

_MAX_NEWTON = 50


def probabilities(decision: Array, inverse_temperature: float) -> Array:
    """Return class probabilities (n, k) for decision values (n,) or (n, k)."""
    return np.asarray(softmax(inverse_temperature * _columns(decision), axis=1), dtype=float)


def fit_temperature(decision: Array, index: Indices, weights: Array, *, counts: bool = False) -> float:
    """Return the inverse temperature with the smallest (weighted) log-loss.

    ``counts`` says that a weight of 2 means two rows; otherwise only ratios of weights matter.

    Targets are smoothed as Platt smoothed his, (N + 1)/(N + 2) in the place of 1, so that
    separable decision values do not ask for infinite certainty. The loss is convex in a:
    Newton steps, kept within a bracket by the sign of the slope.
    """
    f = _columns(decision)
    size = float(np.sqrt(np.mean(f**2)))
    if size == 0.0:
        return 1.0
    t = _smoothed_targets(index, weights if counts else weights / weights.mean(), f.shape[1])
    wanted = np.sum(weights * np.sum(t * f, axis=1))
    low, high, a = 1e-3 / size, 1e3 / size, 1.0 / size
    f = np.ascontiguousarray(f.T)  # (k, n): sums over few classes are fast along the first axis
    squares = f**2
    for _ in range(_MAX_NEWTON):
        p = _softmax_in_place(a * f)
        mean = np.sum(p * f, axis=0)
        slope = float(weights @ mean - wanted)
        curvature = float(weights @ (np.sum(p * squares, axis=0) - mean**2))
        low, high = (a, high) if slope < 0 else (low, a)
        step = a - slope / curvature if curvature > 0 else low
        step = step if low < step < high else float(np.sqrt(low * high))
        if abs(step - a) <= 1e-6 * a:
            break
        a = step
    return a


def calibrated_log_loss(decision: Array, index: Indices, weights: Array) -> float:
    """Return the mean (weighted) log-loss of the probabilities at the best temperature."""
    f = _columns(decision)
    logs = log_softmax(fit_temperature(decision, index, weights) * f, axis=1)
    t = _smoothed_targets(index, weights / weights.mean(), f.shape[1])
    return -float(np.average(np.sum(t * logs, axis=1), weights=weights))


def _softmax_in_place(logs: Array) -> Array:
    """Return the softmax along the first axis; SciPy's takes three times as long on some hundred rows."""
    logs -= logs.max(axis=0)
    np.exp(logs, out=logs)
    logs /= logs.sum(axis=0)
    return logs


def _columns(decision: Array) -> Array:
    if decision.ndim == 2 and decision.shape[1] > 1:
        return decision
    single = decision.reshape(-1)
    return np.column_stack([-0.5 * single, 0.5 * single])


def _smoothed_targets(index: Indices, weights: Array, n_classes: int) -> Array:
    """Return 1 for the true class less what Platt's rule leaves to the others."""
    counts = np.bincount(index, weights=weights, minlength=n_classes)
    doubt = 1.0 / (counts[index] + 2.0)
    t = np.repeat(doubt[:, None] / (n_classes - 1), n_classes, axis=1)
    t[np.arange(len(index)), index] = 1.0 - doubt
    return t
