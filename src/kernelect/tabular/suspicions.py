"""What to doubt about a table before anything is fitted: copies, repeated subjects, dates, columns that give all away.

Figures from rows left out hold for new rows that are as independent of the table as its rows are of each other. Each
rule here looks for a sign that they are not.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
from scipy.stats import chi2, f, rankdata
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from kernelect.facts.names import plain_name
from kernelect.facts.numbers import counted, number, percent
from kernelect.facts.record import Doubt
from kernelect.numerics import time_is_up
from kernelect.tabular.rows import Rows
from kernelect.tabular.schema import Schema
from kernelect.tabular.units import MANY

#: Groups that a column of subjects has at least, also in square roots of the number of rows, and rows of a group on
#: average: a factor of a design has fewer values, each with more rows.
_LEAST_GROUPS, _LEAST_ROOTS, _LEAST_ROWS = 5, 0.52, 2.0

#: Probability below which a difference between groups, or evenness of their sizes, is not put down to chance.
_UNLIKELY = 1e-4

#: Share of the mean squared difference of random neighbours below which group means follow the numbers of the groups.
_SMOOTH = 0.6

#: Error (as a share of that of guessing) and unexplained variance below which one column gives the target away.
_GIVEN_AWAY = 0.02

#: Rows and columns up to which single columns are tried.
_MOST_ROWS, _MOST_COLUMNS = 5000, 300

#: Rows in a leaf of the trees by which single columns predict.
_LEAF = 5


def doubts_of_rows(rows: Rows, schema: Schema) -> list[Doubt]:
    """Return what to doubt about the rows of a table; single columns are tried as long as there is time."""
    return [
        *_given_away(rows, schema),
        *_copies(rows),
        *_subjects(rows, schema),
        *_dates(rows, schema),
        *_contradictions(rows),
    ]


def _copies(rows: Rows) -> Iterator[Doubt]:
    if rows.copies.share >= MANY:
        yield Doubt(
            code="copies",
            sentence=f"{counted(rows.copies.surplus, 'row')} of {len(rows.y)} are copies of other rows.",
            advice="Copies are left out together, so that the scores are those of new rows. Check how the table was "
            "made, and remove copies that are not observations of their own.",
        )


def _contradictions(rows: Rows) -> Iterator[Doubt]:
    if rows.copies.contradictory >= MANY * len(rows.y):
        yield Doubt(
            code="contradictions",
            sentence=f"{counted(rows.copies.contradictory, 'row')} of {len(rows.y)} have the inputs of another row and "
            "a different target.",
            advice="No model can tell them apart: look for an input that is missing, or for errors in the target.",
        )


def _dates(rows: Rows, schema: Schema) -> Iterator[Doubt]:
    # A date that was kept as an input is a trend on top.
    dated = [*rows.dated, *(column.name for column in schema.columns if column.kind == "date")]
    if dated and schema.time is None:
        name = plain_name(dated[0])
        yield Doubt(
            code="dates",
            sentence=f"The rows are dated ({', '.join(map(plain_name, dated))}), and the scores come from rows "
            "between the others in time.",
            advice=f"Where the model is to predict later rows, fit with --time {name}: it is then scored on rows after "
            "those it was fitted on.",
        )


def _subjects(rows: Rows, schema: Schema) -> Iterator[Doubt]:
    if schema.group is not None:
        return
    for column in schema.columns:
        found = None if column.kind == "date" else _groups_rows(rows, column.name)
        if found is None:
            continue
        groups, share, chance = found
        name = plain_name(column.name)
        yield Doubt(
            code="groups",
            sentence=f"Rows with the same {name} belong together ({counted(groups, 'value')}, "
            f"{number(len(rows.y) / groups, 2)} rows each): {name} explains {percent(share, 0)} of the target's "
            f"variance, where chance gives {percent(chance, 0)}.",
            advice=f"Where new rows will have other values of {name}, such as new subjects, fit with --group {name}: "
            "it leaves out all rows of one value together, and the scores are those of new ones.",
        )
        return


def _groups_rows(rows: Rows, name: str) -> tuple[int, float, float] | None:
    """Return groups, the share of the target's variance between them and that by chance, where a column names subjects.

    Its values are labels, not amounts; they come in blocks of rows, or equally often, or tell other columns; and the
    target differs between them by more than chance.
    """
    values = rows.X[name]
    if values.isna().any() or (values.dtype != object and np.any(values.to_numpy() % 1)):
        return None
    index, levels = pd.factorize(values, sort=True)
    count, n = len(levels), len(index)
    if count < max(_LEAST_GROUPS, _LEAST_ROOTS * np.sqrt(n)) or n < _LEAST_ROWS * count:
        return None
    targets = _target_columns(rows)
    share = _between(targets, index)
    chance = (count - 1.0) / (n - 1.0)
    statistic = (share / (count - 1.0)) / max((1.0 - share) / (n - count), 1e-300)
    if f.sf(statistic, count - 1, n - count) > _UNLIKELY:
        return None
    labels = values.dtype == object or not _smooth(targets, index)
    designed = _in_blocks(index) or _even(index) or _tells_others(rows, name, index)
    return (count, share, chance) if labels and designed else None


def _target_columns(rows: Rows) -> np.ndarray:
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
    """Tell whether groups with neighbouring numbers have similar means, as amounts do and labels do not.

    The mean squared difference of neighbours is twice the variance where their order means nothing (von Neumann).
    """
    means = _means(columns, index)
    spread = 2.0 * float(np.sum(np.var(means, axis=0, ddof=1)))
    steps = float(np.sum(np.mean(np.diff(means, axis=0) ** 2, axis=0)))
    return spread > 0 and steps < _SMOOTH * spread


def _in_blocks(index: np.ndarray) -> bool:
    """Tell whether all rows of a group follow each other in the table."""
    return int(np.sum(np.diff(index) != 0)) + 1 == int(index.max()) + 1


def _even(index: np.ndarray) -> bool:
    """Tell whether groups are more alike in size than chance makes them, as in a design."""
    sizes = np.bincount(index)
    mean = sizes.mean()
    return bool(chi2.cdf(float(np.sum((sizes - mean) ** 2) / mean), len(sizes) - 1) < _UNLIKELY)


def _tells_others(rows: Rows, name: str, index: np.ndarray) -> bool:
    """Tell whether another column is the same in all rows of a group, as a person's sex or height is."""
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
    """Tell whether a column is made of the amount along which it is given: intervals of it, or a trend in it."""
    intervals = int(np.sum(np.diff(codes) != 0)) == levels - 1
    return intervals and (not numbers or bool(np.all(np.diff(codes) >= 0) or np.all(np.diff(codes) <= 0)))


def _given_away(rows: Rows, schema: Schema) -> Iterator[Doubt]:
    """Yield a doubt where one column alone predicts the target almost without error."""
    n, y = len(rows.y), rows.y.to_numpy()
    if n > _MOST_ROWS or len(schema.columns) > _MOST_COLUMNS or n < 10 * _LEAF:
        return
    folds = KFold(5, shuffle=True, random_state=0)
    told = []
    for column in schema.columns:
        if time_is_up():
            break
        cells = pd.factorize(rows.X[column.name])[0] if column.kind == "category" else rows.X[column.name].to_numpy()
        inputs = np.nan_to_num(np.asarray(cells, dtype=float), nan=float(np.nanmin(cells)) - 1.0)[:, None]
        if len(np.unique(inputs)) > 1:
            told.append((_left(schema, inputs, y, folds), column.name))
    if not told:
        return
    left, name = min(told)
    if left < _GIVEN_AWAY:
        what = "error of guessing" if schema.classes is not None else "target's variance"
        yield Doubt(
            code="giveaway",
            sentence=f"Column {plain_name(name)} alone predicts the target almost without error: {percent(left)} of "
            f"the {what} is left.",
            advice="Check that it is known before the target is, and was not computed from it. Otherwise leave it out "
            f"(--drop {plain_name(name)}).",
        )


def _left(schema: Schema, inputs: np.ndarray, y: np.ndarray, folds: KFold) -> float:
    """Return the share of guessing's error, or of the variance, that a tree on one column leaves."""
    if schema.classes is not None:
        tree = DecisionTreeClassifier(min_samples_leaf=_LEAF, random_state=0)
        wrong = np.mean(cross_val_predict(tree, inputs, y, cv=folds) != y)
        return float(wrong / (1.0 - np.unique(y, return_counts=True)[1].max() / len(y)))
    tree = DecisionTreeRegressor(min_samples_leaf=_LEAF, random_state=0)
    # A tree has steps: along a line or another monotone curve correlations see more.
    by_tree = float(np.mean((cross_val_predict(tree, inputs, y, cv=folds) - y) ** 2) / np.var(y))
    along = [np.corrcoef(*pair)[0, 1] for pair in ((inputs[:, 0], y), (rankdata(inputs[:, 0]), rankdata(y)))]
    return float(min(by_tree, *(1.0 - value**2 for value in along)))
