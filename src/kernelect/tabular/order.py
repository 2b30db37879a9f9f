"""Whether the order of the rows tells something about the target: a test without a single refit.

Twentieths of the table are left out, once as the rows follow each other and many times at random, by a machine at its
selected hyper-parameters. If rows are exchangeable the one figure is like the others.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from kernelect.estimators import LSSVMBase
from kernelect.facts.names import plain_name
from kernelect.facts.numbers import score_words
from kernelect.facts.record import Doubt
from kernelect.mixture import Door
from kernelect.tabular.rows import Rows
from kernelect.tabular.schema import Schema

#: Parts of the table, and how often they are drawn at random.
_PARTS, _DRAWS = 20, 40

#: Deviations of the random figures, and share of their mean, by which the ordered one has to be larger.
_SURE, _MARKED = 4.0, 1.05

#: Rows below which parts are too small to tell.
_LEAST_ROWS = 60

#: Different values from which a sorted column may be what the table is ordered by.
_LEAST_VALUES = 10


def doubts_of_order(pipeline: Pipeline, rows: Rows, schema: Schema) -> Iterator[Doubt]:
    """Yield a doubt where leaving out rows that follow each other costs more than leaving out others."""
    machine = _exact(pipeline[-1], len(rows.y))
    if machine is None or schema.time is not None or schema.group is not None or _sorted_by_target(rows.y.to_numpy()):
        return
    n, generator = len(rows.y), np.random.default_rng(0)
    ordered = np.arange(n) * _PARTS // n
    partitions = [ordered, *(generator.permutation(ordered) for _ in range(_DRAWS))]
    residuals = machine._residuals_without(partitions)
    squares = np.array([float(np.mean(each**2)) for each in residuals])
    mean, spread = squares[1:].mean(), squares[1:].std(ddof=1)
    if squares[0] <= max(mean + _SURE * spread, _MARKED * mean):
        return
    name, figures = _figures(machine, rows, residuals)
    by = _sorted_columns(rows)
    yield Doubt(
        code="order",
        sentence=f"Rows that follow each other in the table are alike: without a twentieth of the rows at random their "
        f"{name} is {score_words(name, float(np.mean(figures[1:])))}, without a twentieth in a row "
        f"{score_words(name, figures[0])}." + (f" The table is sorted by {by}." if by else ""),
        advice="Where the rows are in the order of time, name it (--time COLUMN) and the scores are those of later "
        "rows; where they come from subjects or batches, name those (--group COLUMN).",
    )


def _exact(machine: Any, n_rows: int) -> LSSVMBase | None:
    """Return the least-squares machine on all rows to test with: the machine itself, or the heaviest of a mixture."""
    if isinstance(machine, Door):
        order = np.argsort(-machine._weights)
        members = [machine._members[place].estimator for place in order]
        return next((found for member in members if (found := _exact(member, n_rows)) is not None), None)
    able = isinstance(machine, LSSVMBase) and machine.landmarks_ is None
    return machine if able and n_rows >= _LEAST_ROWS and len(machine.dual_coef_) == n_rows else None


def _figures(machine: LSSVMBase, rows: Rows, residuals: list[np.ndarray]) -> tuple[str, list[float]]:
    """Return the name of the main score and its value for every way to leave rows out."""
    y = rows.y.to_numpy()
    classes = getattr(machine, "classes_", None)
    if classes is None:
        return "RMSE", [float(np.sqrt(np.mean(each**2))) for each in residuals]
    index = np.unique(y, return_inverse=True)[1]
    if len(classes) == 2:
        signs = 2.0 * index - 1.0
        return "error", [float(np.mean((signs - each[:, 0]) * signs <= 0.0)) for each in residuals]
    signs = np.where(index[:, None] == np.arange(len(classes)), 1.0, -1.0)
    return "error", [float(np.mean(np.argmax(signs - each, axis=1) != index)) for each in residuals]


def _sorted_by_target(y: np.ndarray) -> bool:
    """Tell whether the table is sorted by its target: neighbours are alike, and nothing follows for new rows."""
    if y.dtype.kind == "f":
        steps = np.diff(y)
        return bool(np.all(steps >= 0) or np.all(steps <= 0))
    return int(np.sum(y[1:] != y[:-1])) + 1 == len(np.unique(y))


def _sorted_columns(rows: Rows) -> str:
    """Return the names of columns in whose order the rows stand, as a sentence lists them."""
    found = []
    for name in rows.X.columns:
        cells = rows.X[name].to_numpy()
        if cells.dtype.kind != "f" or np.isnan(cells).any() or len(np.unique(cells)) < _LEAST_VALUES:
            continue
        steps = np.diff(cells)
        if np.all(steps >= 0) or np.all(steps <= 0):
            found.append(plain_name(name))
    return ", ".join(found[:3])
