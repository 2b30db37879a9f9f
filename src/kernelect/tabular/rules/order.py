"""Whether the order of the rows tells something about the target: a test without a single refit.

Twentieths of the table are left out, once as the rows follow each other and many times at random, by a machine at its
selected hyper-parameters. If rows are exchangeable the one figure is like the others. If no machine can leave out
parts in closed form, the residuals of rows that follow each other are correlated.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from kernelect.facts import Assessment
from kernelect.facts.doubts import (
    DOES_NOT_APPLY,
    NOT_MEASURED,
    DoubtRule,
    Obstacle,
    Severity,
    Words,
    few_rows,
)
from kernelect.facts.names import plain_name
from kernelect.facts.numbers import number, percent, score_words
from kernelect.registry import register
from kernelect.tabular.evidence import FittedTableEvidence
from kernelect.tabular.parts_left_out import CLEARLY, PartsLeftOut
from kernelect.tabular.rows import TableRows

#: Parts of the table.
_PARTS = 20

#: Correlation of neighbours' residuals below which there is no doubt, however many rows there are.
_CORRELATED = 0.1

#: Runs of equal labels, for one class, up to which a table is sorted by its target (within each sex, for instance).
_RUNS = 3

#: Rows below which parts are too small to tell.
_LEAST_ROWS = 60

#: Different values from which a sorted column may be what the table is ordered by.
_LEAST_VALUES = 10


_ONLY_SOME = Obstacle(code="some-rows", why="not all rows were left out")

_BY_TARGET = Obstacle(code="sorted-by-target", why="the table is sorted by its target")


@register
class RowOrder(DoubtRule[FittedTableEvidence]):
    """Rows that follow each other are more alike than others."""

    name = "order"
    about = "the order of the rows"
    severity = Severity.BIAS

    def look(self, evidence: FittedTableEvidence) -> Mapping[str, Any] | Obstacle | None:
        rows, schema = evidence.rows, evidence.schema
        if schema.time is not None or schema.group is not None or schema.event is not None:
            return DOES_NOT_APPLY
        if len(rows.y) < _LEAST_ROWS:
            return few_rows(_LEAST_ROWS)
        if _sorted_by_target(rows.y.to_numpy()):
            return _BY_TARGET
        parts = PartsLeftOut.of(evidence.pipeline[-1].model_, rows)
        found = _by_neighbours(evidence.assessment, rows) if parts is None else _by_parts(parts)
        return found if found is None or isinstance(found, Obstacle) else {**found, "sorted_by": _sorted_columns(rows)}

    def words(self, found: Mapping[str, Any]) -> Words:
        by = f" The table is sorted by {', '.join(found['sorted_by'][:3])}." if found["sorted_by"] else ""
        return Words(
            f"Rows that follow each other in the table are alike: {_figures_in_words(found)}.{by}",
            "If the rows are in order of time, name that column (--time COLUMN): the scores are then those of later "
            "rows. If they come from subjects or batches, name those (--group COLUMN). If they are only sorted by the "
            "target, nothing is wrong.",
        )


def _by_neighbours(assessment: Assessment, rows: TableRows) -> dict[str, Any] | Obstacle | None:
    """Return the correlation of residuals of rows that follow each other, if it is beyond chance."""
    source = assessment.best_source
    if source is None:
        return NOT_MEASURED
    if len(source.prediction) < len(rows.y):
        return _ONLY_SOME
    if assessment.classes is None:
        residuals = np.asarray(source.y_true - source.prediction, dtype=float)[:, None]
    elif source.probability is not None:
        residuals = (source.y_true[:, None] == np.array(assessment.classes)) - source.probability
    else:
        return NOT_MEASURED
    found = [float(np.corrcoef(each[1:], each[:-1])[0, 1]) for each in residuals.T if each.std() > 0.0]
    correlation, chance = max(found, default=0.0), len(residuals) ** -0.5
    beyond = correlation > max(_CORRELATED, CLEARLY * chance)
    return {"correlation": correlation, "chance": chance} if beyond else None


def _by_parts(found: PartsLeftOut) -> dict[str, Any] | None:
    """Return what leaving out rows that follow each other costs, if it is more than leaving out others."""
    harder = found.harder(np.arange(len(found.y)) * _PARTS // len(found.y))
    return None if harder is None else {"score": found.score, "block": harder[0], "random": harder[1]}


def _figures_in_words(found: Mapping[str, Any]) -> str:
    """Return how leaving out neighbours compares with others; numbers by a factor, since a mixture has scales."""
    if "correlation" in found:
        return (
            f"their errors have a correlation of {number(found['correlation'], 2)}; chance alone would give "
            f"{number(found['chance'], 1)}"
        )
    name, block, others = found["score"], found["block"], found["random"]
    if name == "RMSE":
        more = percent(block / others - 1.0, 0)
        return f"if 5 % of the rows are left out as one block, their RMSE is {more} larger than if left out at random"
    return (
        f"if 5 % of the rows are left out at random, their {name} is {score_words(name, others)}; if left out as one "
        f"block, it is {score_words(name, block)}"
    )


def _sorted_by_target(y: np.ndarray) -> bool:
    """Return whether the table is sorted by its target: neighbours are alike, and nothing follows for new rows."""
    if y.dtype.kind == "f":
        steps = np.diff(y)
        return bool(np.all(steps >= 0) or np.all(steps <= 0))
    return int(np.sum(y[1:] != y[:-1])) + 1 <= _RUNS * len(np.unique(y))


def _sorted_columns(rows: TableRows) -> list[str]:
    """Return the names of columns in whose order the rows stand."""
    found = []
    for name in rows.X.columns:
        cells = rows.X[name].to_numpy()
        if cells.dtype.kind != "f" or np.isnan(cells).any() or len(np.unique(cells)) < _LEAST_VALUES:
            continue
        steps = np.diff(cells)
        if np.all(steps >= 0) or np.all(steps <= 0):
            found.append(plain_name(name))
    return found
