"""Whether the order of the rows tells something about the target: a test without a single refit.

Twentieths of the table are left out, once as the rows follow each other and many times at random, by a machine at its
selected hyper-parameters. If rows are exchangeable the one figure is like the others. Where no machine can leave out
parts in closed form, the residuals of rows that follow each other are correlated.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from kernelect.estimators import LSSVMBase
from kernelect.facts import Assessment
from kernelect.facts.names import plain_name
from kernelect.facts.numbers import number, percent, score_words
from kernelect.facts.record import Doubt
from kernelect.mixture import Door
from kernelect.tabular.rows import Rows
from kernelect.tabular.schema import Schema

#: Parts of the table, and how often they are drawn at random.
_PARTS, _DRAWS = 20, 40

#: Deviations of the mean square of random parts by which that of ordered parts has to be larger, and how many times
#: the error that is shown has to be as large.
_SURE, _MARKED = 4.0, 1.1

#: Correlation of neighbours' residuals below which there is no doubt, however many rows there are.
_CORRELATED = 0.1

#: Runs of equal labels, for one class, up to which a table is sorted by its target (within each sex, for instance).
_RUNS = 3

#: Rows below which parts are too small to tell.
_LEAST_ROWS = 60

#: Different values from which a sorted column may be what the table is ordered by.
_LEAST_VALUES = 10


def doubts_of_order(pipeline: Pipeline, rows: Rows, schema: Schema, assessment: Assessment) -> Iterator[Doubt]:
    """Yield a doubt where rows that follow each other are more alike than others."""
    if schema.time is not None or schema.group is not None or _sorted_by_target(rows.y.to_numpy()):
        return
    machine = _exact(pipeline[-1], len(rows.y))
    if machine is not None:
        yield from _by_parts(machine, rows)
    else:
        yield from _by_neighbours(assessment, rows)


def _by_neighbours(assessment: Assessment, rows: Rows) -> Iterator[Doubt]:
    """Yield a doubt where residuals of rows that follow each other are correlated."""
    source = assessment.best_source
    if source is None or len(source.prediction) < max(_LEAST_ROWS, len(rows.y)):
        return
    if assessment.classes is None:
        residuals = np.asarray(source.y_true - source.prediction, dtype=float)[:, None]
    elif source.probability is not None:
        residuals = (source.y_true[:, None] == np.array(assessment.classes)) - source.probability
    else:
        return
    found = [float(np.corrcoef(each[1:], each[:-1])[0, 1]) for each in residuals.T if each.std() > 0.0]
    correlation = max(found, default=0.0)
    if correlation > max(_CORRELATED, _SURE / np.sqrt(len(residuals))):
        yield _doubt(
            f"Rows that follow each other in the table are alike: their errors have a correlation of "
            f"{number(correlation, 2)}, where chance gives {number(len(residuals) ** -0.5, 1)}.",
            rows,
        )


def _by_parts(machine: LSSVMBase, rows: Rows) -> Iterator[Doubt]:
    """Yield a doubt where leaving out rows that follow each other costs more than leaving out others."""
    n, generator = len(rows.y), np.random.default_rng(0)
    ordered = np.arange(n) * _PARTS // n
    partitions = [ordered, *(generator.permutation(ordered) for _ in range(_DRAWS))]
    residuals = machine.residuals_without(partitions)
    squares = np.array([float(np.mean(each**2)) for each in residuals])
    mean, spread = squares[1:].mean(), squares[1:].std(ddof=1)
    if squares[0] <= mean + _SURE * spread:
        return
    name, figures = _figures(machine, rows, residuals)
    if figures[0] <= _MARKED * float(np.mean(figures[1:])):
        return
    yield _doubt(f"Rows that follow each other in the table are alike: {_compared(name, figures)}.", rows)


def _compared(name: str, figures: list[float]) -> str:
    """Return how leaving out neighbours compares with others; numbers by a factor, since a mixture has scales."""
    ordered, others = figures[0], float(np.mean(figures[1:]))
    if name == "RMSE":
        more = percent(ordered / others - 1.0, 0)
        return f"if 5 % of the rows are left out as one block, their RMSE is {more} larger than if left out at random"
    at_random, in_a_block = (score_words(name, each) for each in (others, ordered))
    return (
        f"if 5 % of the rows are left out at random, their {name} is {at_random}; if left out as one block, it is "
        f"{in_a_block}"
    )


def _doubt(sentence: str, rows: Rows) -> Doubt:
    by = _sorted_columns(rows)
    return Doubt(
        code="order",
        sentence=sentence + (f" The table is sorted by {by}." if by else ""),
        advice="If the rows are in order of time, name that column (--time COLUMN): the scores are then those of later "
        "rows. If they come from subjects or batches, name those (--group COLUMN). If they are only sorted by the "
        "target, nothing is wrong.",
    )


def _exact(machine: Any, n_rows: int) -> LSSVMBase | None:
    """Return the least-squares machine on all rows to test with: the machine itself, or the heaviest of a mixture."""
    if isinstance(machine, Door):
        members = (_exact(member.estimator, n_rows) for member in machine.by_weight())
        return next((member for member in members if member is not None), None)
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
    return int(np.sum(y[1:] != y[:-1])) + 1 <= _RUNS * len(np.unique(y))


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
