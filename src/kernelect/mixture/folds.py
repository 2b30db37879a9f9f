"""Folds of a task: what is said of the rows of one is learned from those of the others."""

from __future__ import annotations

import numpy as np

from kernelect.inputs import Indicators
from kernelect.mixture.bags import dealt, even_rows, numbered_classes, units_of
from kernelect.mixture.base import MixtureTask
from kernelect.typing import Indices

#: Rows up to which what a mixture says of rows left out is learned from others: a dozen weights cannot fit more.
FEW_ROWS = 5000


def indicators_of(task: MixtureTask) -> Indicators:
    """Return the view of coded rows as numbers, with an indicator for every level of a category."""
    coding = task.views.coding
    return Indicators.of(task.Z[task.weights > 0], coding.numeric, coding.categorical)


def dealt_rows(task: MixtureTask) -> tuple[Indices, Indices]:
    """Return the rows of positive weight in an order of their own, and the fold of each; groups stay together."""
    kept, E = task.weights > 0, indicators_of(task)(task.Z)
    targets, classes = np.reshape(np.asarray(task.y, dtype=float), (len(E), -1)), None
    if task.n_classes is not None:
        classes = numbered_classes(E[kept], task.y[kept], task.n_classes)[task.y]
        targets = classes[:, None].astype(float)
    table = np.column_stack([E, targets, task.weights])
    rows = even_rows(table, task.weights, len(table), task.groups)
    return rows, dealt(units_of(task.groups, rows, table), None if classes is None else classes[rows], task.seed)


def folds_of(task: MixtureTask, origin: Indices) -> Indices | None:
    """Return the fold of every row, -1 for rows in none and None if rows are many.

    ``origin`` has the row of which each is a copy: they share a fold.
    """
    if task.n_rows > FEW_ROWS:
        return None
    rows, fold = dealt_rows(task)
    found = np.full(len(task.Z), -1)
    found[rows] = fold
    return found[origin]
