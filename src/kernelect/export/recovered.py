"""What a least-squares machine was fitted on, and the losses of rows left out.

An exact machine keeps its rows, and its targets are found again from its coefficients. A machine on landmarks keeps
some rows with their targets.

Notation as in machines/lssvm/full.py: alpha dual coefficients, mu ridge, s sample weights, f decision values, so that
y = f + mu alpha / s gives back the targets that a machine was fitted on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kernelect.estimators import LSSVC, LSSVR
from kernelect.mixture.classifier import LEAST
from kernelect.selection.landmarks import classes_of
from kernelect.typing import Array, Indices


@dataclass(frozen=True, eq=False, kw_only=True)
class KnownRows:
    """Rows whose targets are known.

    Attributes
    ----------
    rows, numbers : ndarray of int
        Their places in what the machine says of rows left out, and in what it was fitted on.
    targets : ndarray
        Labels, or numbers.
    weights : ndarray
    """

    rows: Indices
    numbers: Indices
    targets: Any
    weights: Array


def known_rows(machine: LSSVC | LSSVR) -> KnownRows:
    """Return all rows of positive weight of an exact machine, and those that a machine on landmarks keeps."""
    if machine.landmarks_ is not None:
        return _sampled(machine)
    if isinstance(machine, LSSVC):
        targets, weights = _recovered_labels(machine)
        return KnownRows(rows=machine._rows, numbers=machine._rows, targets=targets, weights=weights)
    said = machine.loo_prediction_[machine._rows]
    targets = said + np.asarray(machine._residuals).reshape(said.shape)
    return KnownRows(rows=machine._rows, numbers=machine._rows, targets=targets, weights=machine._weights)


def _sampled(machine: LSSVC | LSSVR) -> KnownRows:
    kept, rows = machine._sampled, machine._sampled_rows()
    labels = isinstance(machine, LSSVC)
    targets = machine.classes_[classes_of(kept.targets)] if labels else machine._shaped(kept.targets)
    return KnownRows(rows=rows, numbers=kept.numbers, targets=targets, weights=kept.weights)


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
