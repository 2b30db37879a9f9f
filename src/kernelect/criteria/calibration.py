"""Probabilities from decision values by one temperature, and their log-loss.

Notation: f (n, k) decision values, a > 0 the inverse temperature, p = softmax(a f), t (n, k)
smoothed targets. Two classes with decision values f (n,) are the columns -f/2 and f/2, whose
softmax is 1 / (1 + exp(-a f)).

One temperature, without offset, never moves the decision: the most probable class is the
predicted one. It is fitted on exact leave-one-out decision values, so no fold is needed and
the training fit's optimism does not enter.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import expit, log_softmax, softmax

from kernelect.typing import Array, Indices

_MAX_NEWTON = 50

#: Relative length of the last step.
_CLOSE = 1e-6


def classes_of(decisions: Array) -> Indices:
    """Return the index of every row's class, for decision values or targets of +1 and -1, (n,), (n, 1) or (n, k)."""
    several = decisions.ndim > 1 and decisions.shape[1] > 1
    return np.argmax(decisions, axis=1) if several else (decisions.reshape(-1) > 0.0).astype(np.intp)


def probabilities(decision: Array, inverse_temperature: float) -> Array:
    """Return class probabilities (n, k) for decision values (n,) or (n, k)."""
    return np.asarray(softmax(inverse_temperature * _columns(decision), axis=1), dtype=float)


def log_losses(decision: Array, index: Indices, inverse_temperature: float) -> Array:
    """Return minus the log-probability of every row's own class."""
    if _is_single(decision):
        f = inverse_temperature * decision.reshape(-1)
        return np.asarray(np.logaddexp(0.0, np.where(index == 1, -f, f)), dtype=float)
    logs = log_softmax(inverse_temperature * decision, axis=1)
    return np.asarray(-logs[np.arange(len(index)), index], dtype=float)


def fit_temperature(
    decision: Array,
    index: Indices,
    weights: Array,
    *,
    counts: bool = False,
    doubt: float = 1.0,
    deviation: float = np.inf,
) -> float:
    """Return the inverse temperature with the smallest (weighted) log-loss.

    ``counts`` says that a weight of 2 means two rows; otherwise only ratios of weights matter.

    Targets are smoothed as Platt smoothed his, (N + d)/(N + 2 d) in the place of 1 for a class of N
    rows with d = ``doubt``, so that separable decision values do not ask for infinite certainty;
    less so with more than two classes. Platt's own rule is d = 1. ``deviation`` is that of a normal
    prior on ln a around 0, for decision values that are log-probabilities already.

    Without the prior the loss is convex in a: Newton steps, kept within a bracket by the sign of
    the slope.
    """
    counted = weights if counts else _relative(weights)
    prior = float(weights[weights > 0].mean() / counted[weights > 0].mean()) / deviation**2
    if _is_single(decision):
        return _of_two_classes(decision.reshape(-1), _smoothed_second(index, counted, doubt), weights, prior)
    return _of_classes(decision, _smoothed_targets(index, counted, decision.shape[1], doubt), weights, prior)


def _of_classes(f: Array, t: Array, weights: Array, prior: float) -> float:
    """Return the inverse temperature for decision values and targets (n, k)."""
    wanted = np.sum(weights * np.sum(t * f, axis=1))
    f = np.ascontiguousarray(f.T)  # (k, n): sums over few classes are fast along the first axis
    squares = f**2

    def derivatives(a: float) -> tuple[float, float]:
        p = _softmax_in_place(a * f)
        mean = np.sum(p * f, axis=0)
        return float(weights @ mean - wanted), float(weights @ (np.sum(p * squares, axis=0) - mean**2))

    return _newton(derivatives, float(np.sqrt(np.average(squares.mean(axis=0), weights=weights))), prior)


def _of_two_classes(f: Array, t: Array, weights: Array, prior: float) -> float:
    """Return the same for decision values and targets (n,) of the second class, at a third of the time."""
    weighted = weights * f
    wanted, squares = float(weighted @ t), weighted * f

    def derivatives(a: float) -> tuple[float, float]:
        p = expit(a * f)
        return float(weighted @ p) - wanted, float(squares @ (p - p * p))

    return _newton(derivatives, 0.5 * float(np.sqrt(np.average(f**2, weights=weights))), prior)


def _newton(derivatives: Callable[[float], tuple[float, float]], size: float, prior: float) -> float:
    """Return where the slope is zero; ``size`` is that of the decision values, ``prior`` the precision of ln a."""
    if size == 0.0:
        return 1.0
    low, high, a = 1e-3 / size, 1e3 / size, 1.0 / size
    for _ in range(_MAX_NEWTON):
        slope, curvature = derivatives(a)
        slope, curvature = slope + prior * np.log(a) / a, curvature + prior * (1.0 - np.log(a)) / a**2
        low, high = (a, high) if slope < 0 else (low, a)
        step = a - slope / curvature if curvature > 0 else low
        step = step if low < step < high else float(np.sqrt(low * high))
        if abs(step - a) <= _CLOSE * a:
            return step  # steps converge quadratically: what is left is of the order of rounding
        a = step
    return a


def calibrated_log_loss(decision: Array, index: Indices, weights: Array) -> float:
    """Return the mean (weighted) log-loss of the probabilities at the best temperature."""
    a, relative = fit_temperature(decision, index, weights), _relative(weights)
    if _is_single(decision):
        f, t = a * decision.reshape(-1), _smoothed_second(index, relative)
        losses = np.logaddexp(0.0, f) - t * f
    else:
        t = _smoothed_targets(index, relative, decision.shape[1])
        losses = -np.sum(t * log_softmax(a * decision, axis=1), axis=1)
    return float(np.average(losses, weights=weights))


def _relative(weights: Array) -> Array:
    """Return weights of mean 1; rows of weight 0 are not there."""
    return np.asarray(weights / weights[weights > 0].mean(), dtype=float)


def _softmax_in_place(logs: Array) -> Array:
    """Return the softmax along the first axis; SciPy's takes three times as long on some hundred rows."""
    logs -= logs.max(axis=0)
    np.exp(logs, out=logs)
    logs /= logs.sum(axis=0)
    return logs


def _is_single(decision: Array) -> bool:
    """Return whether one decision value of every row distinguishes two classes."""
    return decision.ndim == 1 or decision.shape[1] == 1


def _columns(decision: Array) -> Array:
    if not _is_single(decision):
        return decision
    single = decision.reshape(-1)
    return np.column_stack([-0.5 * single, 0.5 * single])


def _smoothed_targets(index: Indices, weights: Array, n_classes: int, rows: float = 1.0) -> Array:
    """Return 1 for the true class less a doubt, which in all comes to twice so many rows at most.

    For two classes one row is Platt's rule, a row of doubt in each. With a row in each of thirty classes of a dozen
    rows nobody could be surer than 93 %; but what is fitted is one number, however many classes there are.
    """
    counts = np.bincount(index, weights=weights, minlength=n_classes)
    doubt = (2.0 * rows / n_classes) / (counts[index] + 2.0 * rows)
    t = np.repeat(doubt[:, None] / (n_classes - 1), n_classes, axis=1)
    t[np.arange(len(index)), index] = 1.0 - doubt
    return t


def _smoothed_second(index: Indices, weights: Array, rows: float = 1.0) -> Array:
    """Return the second column of the same for two classes."""
    doubt = rows / (np.bincount(index, weights=weights, minlength=2) + 2.0 * rows)
    return np.array([doubt[0], 1.0 - doubt[1]])[index]
