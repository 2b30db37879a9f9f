"""How much of a target one column or two leave open, by models so small that only a leak makes them exact."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.stats import rankdata
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from kernelect.tabular.columns import Column
from kernelect.tabular.rows import TableRows
from kernelect.tabular.schema import Schema

#: Rows that show as much as all of a large table.
MOST_ROWS = 5000

#: Rows in a leaf of a tree, and with the same value in a table of values.
LEAF = 5

#: Rows below which nothing is looked for.
LEAST_ROWS = 10 * LEAF


def rows_once(rows: TableRows, schema: Schema) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Return columns as numbers and the target, of some rows of a large table in any order, each row once.

    Copies of a row tell its target by every column that is not repeated.
    """
    once = np.unique(rows.copies.index, return_index=True)[1]
    some = np.random.default_rng(0).permutation(once)[:MOST_ROWS]
    columns = {column.name: as_numbers(rows.X[column.name].iloc[some], column) for column in schema.columns}
    return columns, rows.y.to_numpy()[some]


def as_numbers(cells: pd.Series, column: Column) -> np.ndarray:
    """Return a column as numbers (n,), missing cells below all others."""
    values = np.asarray(pd.factorize(cells)[0] if column.kind == "category" else cells.to_numpy(), dtype=float)
    lowest = float(np.min(values, where=~np.isnan(values), initial=np.inf))
    return np.nan_to_num(values, nan=lowest - 1.0 if np.isfinite(lowest) else 0.0)


#: Numbers beyond which scikit-learn's trees refuse a column.
_LARGEST = 1e38


def left_by_tree(inputs: np.ndarray, y: np.ndarray, classes: bool, depth: int | None = None) -> float:
    """Return the share of guessing's error, or of the variance, that a tree leaves on rows of other folds.

    Parameters
    ----------
    inputs : ndarray of shape (n, d)
    y : ndarray of shape (n,)
    classes : bool
        Whether the target holds classes.
    depth : int, optional
        Of the tree at most.
    """
    folds, how = KFold(5, shuffle=True, random_state=0), {"min_samples_leaf": LEAF, "max_depth": depth}
    tree = DecisionTreeClassifier if classes else DecisionTreeRegressor
    inputs = np.clip(inputs, -_LARGEST, _LARGEST)  # trees have single precision
    said = cross_val_predict(tree(random_state=0, **how), inputs, y, cv=folds)
    return _left(said, y, classes)


def left_by_table(values: np.ndarray, y: np.ndarray, classes: bool) -> float:
    """Return the same share for a table from each value to the commonest class or mean of its other rows.

    A tree cannot have a leaf for every value of a long list. Only values of several rows count, and only if these are
    most rows: a column that is different in every row tells nothing by such a table.
    """
    level, size = np.unique(values, return_inverse=True, return_counts=True)[1:]
    size = size[level]
    often = size >= LEAF
    if often.sum() < max(LEAST_ROWS, 0.5 * len(y)):
        return np.inf
    if not classes:
        mean = (np.bincount(level, weights=y)[level] - y) / np.maximum(size - 1, 1)
        return _left(mean[often], y[often], classes)
    label = np.unique(y, return_inverse=True)[1]
    counts = np.zeros((int(level.max()) + 1, int(label.max()) + 1))
    np.add.at(counts, (level, label), 1.0)
    others = counts[level]
    others[np.arange(len(y)), label] -= 1.0  # the row itself is left out
    return _left(np.argmax(others, axis=1)[often], label[often], classes)


def left_by_line(values: np.ndarray, y: np.ndarray) -> float:
    """Return the share of the variance of numbers that a line leaves, or one in ranks."""
    along = [np.corrcoef(*pair)[0, 1] for pair in ((values, y), (rankdata(values), rankdata(y)))]
    return float(min(1.0 - value**2 for value in along))


def left_by_one(values: np.ndarray, y: np.ndarray, classes: bool) -> float:
    """Return the least share that one column leaves; infinite if it or the target is constant."""
    at_once = left_at_once(values, y, classes)
    return at_once if np.isinf(at_once) else min(at_once, left_by_tree(values[:, None], y, classes))


def left_at_once(values: np.ndarray, y: np.ndarray, classes: bool) -> float:
    """Return the same without a tree, which takes a hundred times longer."""
    if min(len(np.unique(values)), len(np.unique(y))) < 2:
        return np.inf
    table = min(left_by_table(values, y, classes), 1.0)
    # A tree has steps: along a line or another monotone curve correlations see more.
    return table if classes else min(table, left_by_line(values, y))


def _left(said: np.ndarray, y: np.ndarray, classes: bool) -> float:
    if not classes:
        spread = float(np.var(y))
        return float(np.mean((said - y) ** 2)) / spread if spread > 0.0 else np.inf
    guessing = 1.0 - np.unique(y, return_counts=True)[1].max() / len(y)
    return float(np.mean(said != y)) / guessing if guessing > 0.0 else np.inf
