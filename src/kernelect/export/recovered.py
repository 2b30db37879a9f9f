"""What a least-squares machine was fitted on, found again from its coefficients, and the losses of rows left out.

Notation as in machines/lssvm/full.py: alpha dual coefficients, mu ridge, s sample weights, f decision values, so that
y = f + mu alpha / s gives back the targets that a machine was fitted on.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kernelect.estimators import LSSVC, LSSVR
from kernelect.mixture.classifier import LEAST
from kernelect.typing import Array, Indices


def recovered(machine: LSSVC | LSSVR) -> tuple[Any, Array]:
    """Return the targets (labels, or numbers) and weights that an exact machine was fitted with."""
    rows = machine._rows
    if isinstance(machine, LSSVR):
        residuals = np.asarray(machine._residuals)
        shape = machine.loo_prediction_[rows].shape
        return machine.loo_prediction_[rows] + residuals.reshape(shape), machine._weights
    return _recovered_labels(machine)


def groups_of(machine: LSSVC | LSSVR) -> Indices | None:
    """Return the group of every row that a machine was fitted on, where groups were given."""
    return None if machine._groups is None else machine._groups[machine._rows]


def _recovered_labels(machine: LSSVC) -> tuple[Any, Array]:
    """Return labels and weights: of all classes the one for which s = mu alpha / (y - f) is the same in all outputs."""
    alpha = machine.dual_coef_.reshape(len(machine._rows), -1)
    f, rest = machine._decide(machine.X_fit_), machine.regularization_ * alpha
    k = len(machine.classes_)
    coded = np.array([[-1.0], [1.0]]) if k == 2 else 2.0 * np.eye(k) - 1.0
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(rest[:, None] / (coded - f[:, None]))  # (n, class, output); NaN where s would be negative
    middle = np.mean(logs, axis=2)
    # One output alone agrees with itself: then the weight that is nearer to 1 is taken.
    spread = np.abs(middle) if k == 2 else np.abs(logs - middle[..., None]).max(axis=2)
    index = np.argmin(np.where(np.isfinite(spread), spread, np.inf), axis=1)
    return machine.classes_[index], np.exp(middle[np.arange(len(index)), index])


def losses_of(said: Array, machine: Any, targets: Any, rows: Indices | None = None) -> Array:
    """Return the loss of rows that were left out: all of those with targets, or some ``rows`` of them."""
    rows = np.arange(len(targets)) if rows is None else rows
    if hasattr(machine, "classes_"):
        index = np.searchsorted(machine.classes_, targets[rows])
        return np.asarray(-np.log(np.maximum(said[np.arange(len(index)), index], LEAST)))
    y = np.asarray(targets, dtype=float).reshape(len(targets), -1)
    variance = y.var(axis=0)
    return np.asarray(np.mean((y[rows] - said) ** 2 / np.where(variance > 0.0, variance, 1.0), axis=1))
