"""Probabilities from decision values by one temperature.

Notation: f decision values, a > 0 the inverse temperature, p = softmax(a f), which for two
classes is 1 / (1 + exp(-a f)).

One temperature, without offset, never moves the decision: the most probable class is the
predicted one. It is fitted on exact leave-one-out decision values, so no fold is needed and
the training fit's optimism does not enter.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import log_expit, log_softmax, softmax

from kernelect.typing import Array, Indices

_LOG_BOUNDS = (-7.0, 7.0)


def fit_temperature(decision: Array, index: Indices, weights: Array) -> float:
    """Return the inverse temperature with the smallest (weighted) log-loss.

    Targets are smoothed as Platt smoothed his, (N + 1)/(N + 2) in the place of 1, so that
    separable decision values do not ask for infinite certainty.
    """
    counts = np.bincount(index, weights=weights, minlength=2)
    sure = ((counts + 1.0) / (counts + 2.0))[index]
    scale = 1.0 / max(float(np.sqrt(np.mean(decision**2))), 1e-12)

    def loss(log_a: float) -> float:
        hit, miss = _log_probabilities(np.exp(log_a) * scale * decision, index)
        return -float(np.sum(weights * (sure * hit + (1.0 - sure) * miss)))

    return float(np.exp(minimize_scalar(loss, bounds=_LOG_BOUNDS, method="bounded").x) * scale)


def _log_probabilities(scaled: Array, index: Indices) -> tuple[Array, Array]:
    """Return the log-probability of each true class, and the mean one of the others."""
    if scaled.ndim == 1:
        signed = np.where(index == 1, scaled, -scaled)
        return log_expit(signed), log_expit(-signed)
    logs = log_softmax(scaled, axis=1)
    hit = np.take_along_axis(logs, index[:, None], axis=1)[:, 0]
    return hit, (logs.sum(axis=1) - hit) / (logs.shape[1] - 1)


def probabilities(decision: Array, inverse_temperature: float) -> Array:
    """Return class probabilities (n, k) for decision values (n,) or (n, k)."""
    scaled = inverse_temperature * decision
    if scaled.ndim == 1:
        # softmax of (-f/2, f/2) is the sigmoid, and sums to 1 exactly as for more classes.
        scaled = np.column_stack([-0.5 * scaled, 0.5 * scaled])
    return np.asarray(softmax(scaled, axis=1), dtype=float)
