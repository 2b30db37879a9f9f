"""Columns that name subjects or batches which rows belong to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import f

from kernelect.facts.doubts import DOES_NOT_APPLY, DoubtRule, Obstacle, Severity, Words
from kernelect.facts.names import plain_name
from kernelect.facts.numbers import counted, number, percent
from kernelect.registry import register
from kernelect.tabular.evidence import FittedTableEvidence
from kernelect.tabular.parts_left_out import PartsLeftOut
from kernelect.tabular.rows import TableRows
from kernelect.tabular.schema import Schema
from kernelect.tabular.subjects import LEAST_GROUPS, LEAST_ROOTS, LEAST_ROWS, even, in_blocks

#: Probability below which a difference between groups is not put down to chance.
_UNLIKELY = 1e-4

#: Share of the mean squared difference of random neighbours below which group means follow the numbers of the groups.
_SMOOTH = 0.6


@register
class Subjects(DoubtRule[FittedTableEvidence]):
    """Rows with the same value of a column belong together and help to predict each other, and no --group."""

    name = "groups"
    about = "repeated subjects"
    severity = Severity.BIAS

    def look(self, evidence: FittedTableEvidence) -> Mapping[str, Any] | Obstacle | None:
        if evidence.schema.group is not None:
            return DOES_NOT_APPLY
        rows, parts = evidence.rows, PartsLeftOut.of(evidence.pipeline[-1].model_, evidence.rows)
        for name, found in grouping_columns(rows, evidence.schema):
            # If rows of other values predict as well, nothing is lost with new ones.
            if parts is None or parts.harder(pd.factorize(rows.X[name])[0]) is not None:
                return {"column": plain_name(name), **found}
        return None

    def words(self, found: Mapping[str, Any]) -> Words:
        name = found["column"]
        return Words(
            f"Rows with the same {name} belong together ({counted(found['groups'], 'value')}, "
            f"{number(found['rows_each'], 2)} rows each): {name} explains {percent(found['share'], 0)} of the target's "
            f"variance; chance alone would give {percent(found['chance'], 0)}.",
            f"If new rows will have other values of {name}, such as new subjects, fit with --group {name!r}: it leaves "
            "out all rows of one value together, and the scores are those of new ones.",
        )


def grouping_columns(rows: TableRows, schema: Schema) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield columns whose values seem to name subjects, with figures on them."""
    for column in schema.columns:
        found = None if column.kind == "date" else _groups_rows(rows, column.name)
        if found is not None:
            groups, share, chance = found
            yield column.name, {"groups": groups, "rows_each": len(rows.y) / groups, "share": share, "chance": chance}


def _groups_rows(rows: TableRows, name: str) -> tuple[int, float, float] | None:
    """Return groups, the share of the target's variance between them and that by chance, if a column names subjects.

    Its values are labels, not amounts; they come in blocks of rows, or equally often, or tell other columns; and the
    target differs between them by more than chance.
    """
    values = rows.X[name]
    if values.isna().any() or (values.dtype != object and np.any(values.to_numpy() % 1)):
        return None
    index, levels = pd.factorize(values, sort=True)
    count, n = len(levels), len(index)
    if count < max(LEAST_GROUPS, LEAST_ROOTS * np.sqrt(n)) or n < LEAST_ROWS * count:
        return None
    targets = _target_columns(rows)
    share = _between(targets, index)
    chance = (count - 1.0) / (n - 1.0)
    statistic = (share / (count - 1.0)) / max((1.0 - share) / (n - count), 1e-300)
    if f.sf(statistic, count - 1, n - count) > _UNLIKELY:
        return None
    labels = values.dtype == object or not _smooth(targets, index)
    designed = in_blocks(index) or even(index) or _tells_others(rows, name, index)
    return (count, share, chance) if labels and designed else None


def _target_columns(rows: TableRows) -> np.ndarray:
    """Return the target as columns of mean 0: indicators of classes, or the numbers themselves."""
    y = rows.y.to_numpy()
    columns = y.astype(float)[:, None] if y.dtype.kind == "f" else (y[:, None] == np.unique(y)).astype(float)
    return np.asarray(columns - columns.mean(axis=0), dtype=float)


def _means(columns: np.ndarray, index: np.ndarray) -> np.ndarray:
    """Return the means of columns in groups."""
    sizes = np.bincount(index)
    return np.column_stack([np.bincount(index, weights=column) / sizes for column in columns.T])


def _between(columns: np.ndarray, index: np.ndarray) -> float:
    """Return the share of the columns' variance that lies between groups."""
    total = float(np.sum(columns**2))
    between = float(np.sum(np.bincount(index)[:, None] * _means(columns, index) ** 2))
    return between / total if total > 0 else 0.0


def _smooth(columns: np.ndarray, index: np.ndarray) -> bool:
    """Return whether groups with neighbouring numbers have similar means, as amounts do and labels do not.

    The mean squared difference of neighbours is twice the variance if their order means nothing (von Neumann).
    """
    means = _means(columns, index)
    spread = 2.0 * float(np.sum(np.var(means, axis=0, ddof=1)))
    steps = float(np.sum(np.mean(np.diff(means, axis=0) ** 2, axis=0)))
    return spread > 0 and steps < _SMOOTH * spread


def _tells_others(rows: TableRows, name: str, index: np.ndarray) -> bool:
    """Return whether another column is the same in all rows of a group, as a person's sex or height is."""
    several = np.bincount(index)[index] > 1
    numbers = rows.X[name].dtype != object
    for other in rows.X.columns:
        if other == name:
            continue
        codes = pd.factorize(rows.X[other], use_na_sentinel=False, sort=True)[0]
        levels = int(codes.max()) + 1
        if levels < 3 or levels > 0.5 * len(codes) or not several.any():
            continue
        first = np.full(int(index.max()) + 1, -1)
        first[index[::-1]] = codes[::-1]
        if not np.array_equal(first[index], codes):
            continue
        if not numbers or not _follows(first, levels, rows.X[other].dtype != object):
            return True
    return False


def _follows(codes: np.ndarray, levels: int, numbers: bool) -> bool:
    """Return whether a column is made of the amount along which it is given: intervals of it, or a trend in it."""
    intervals = int(np.sum(np.diff(codes) != 0)) == levels - 1
    return intervals and (not numbers or bool(np.all(np.diff(codes) >= 0) or np.all(np.diff(codes) <= 0)))
