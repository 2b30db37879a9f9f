"""One column that alone predicts the target almost without error."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import rankdata
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from kernelect.facts.doubts import DoubtRule, Obstacle, Severity, Words, few_rows
from kernelect.facts.names import plain_name
from kernelect.facts.numbers import percent
from kernelect.numerics import time_is_up
from kernelect.registry import register
from kernelect.tabular.columns import Column
from kernelect.tabular.evidence import TableEvidence
from kernelect.tabular.schema import Schema

#: Error (as a share of that of guessing) and unexplained variance below which one column gives the target away.
_GIVEN_AWAY = 0.02

#: Rows up to which all of them are tried, and columns up to which any are.
_MOST_ROWS, _MOST_COLUMNS = 5000, 300

#: Rows in a leaf of the trees by which single columns predict.
_LEAF = 5


@register
class Giveaway(DoubtRule[TableEvidence]):
    """One column alone predicts the target almost without error."""

    name = "giveaway"
    about = "columns that tell the target"
    severity = Severity.VOID
    evidence = TableEvidence

    def look(self, evidence: TableEvidence) -> Mapping[str, Any] | Obstacle | None:
        schema, n = evidence.schema, len(evidence.rows.y)
        if n < 10 * _LEAF:
            return few_rows(10 * _LEAF)
        if len(schema.columns) > _MOST_COLUMNS:
            return Obstacle(code="many-columns", why=f"there are more than {_MOST_COLUMNS} columns")
        # Some rows of a large table show as much.
        some = np.sort(np.random.default_rng(0).permutation(n)[:_MOST_ROWS])
        X, y = evidence.rows.X.iloc[some], evidence.rows.y.to_numpy()[some]
        told, tried = [], 0
        for column in schema.columns:
            if time_is_up():
                break
            tried += 1
            inputs = _as_numbers(X[column.name], column)
            if len(np.unique(inputs)) > 1 and len(np.unique(y)) > 1:
                told.append((_left(schema, inputs, y), column.name))
        left, name = min(told, default=(np.inf, ""))
        if left < _GIVEN_AWAY:
            return {"column": plain_name(name), "left": left, "classes": schema.classes is not None}
        if tried < len(schema.columns):
            return Obstacle(code="time", why=f"time was up after {tried} of {len(schema.columns)} columns")
        return None

    def words(self, found: Mapping[str, Any]) -> Words:
        name, what = found["column"], "error of guessing" if found["classes"] else "target's variance"
        return Words(
            f"Column {name} alone predicts the target almost without error: {percent(found['left'])} of the {what} is "
            "left.",
            "Check that it is known before the target is, and was not computed from it. Otherwise leave it out "
            f"(--drop {name}).",
        )


def _as_numbers(cells: pd.Series, column: Column) -> np.ndarray:
    """Return a column as one input, missing cells below all others."""
    values = np.asarray(pd.factorize(cells)[0] if column.kind == "category" else cells.to_numpy(), dtype=float)
    lowest = float(np.min(values, where=~np.isnan(values), initial=np.inf))
    return np.nan_to_num(values, nan=lowest - 1.0 if np.isfinite(lowest) else 0.0)[:, None]


def _left(schema: Schema, inputs: np.ndarray, y: np.ndarray) -> float:
    """Return the share of guessing's error, or of the variance, that a tree on one column leaves."""
    folds = KFold(5, shuffle=True, random_state=0)
    if schema.classes is not None:
        tree = DecisionTreeClassifier(min_samples_leaf=_LEAF, random_state=0)
        wrong = np.mean(cross_val_predict(tree, inputs, y, cv=folds) != y)
        return float(wrong / (1.0 - np.unique(y, return_counts=True)[1].max() / len(y)))
    tree = DecisionTreeRegressor(min_samples_leaf=_LEAF, random_state=0)
    # A tree has steps: along a line or another monotone curve correlations see more.
    by_tree = float(np.mean((cross_val_predict(tree, inputs, y, cv=folds) - y) ** 2) / np.var(y))
    along = [np.corrcoef(*pair)[0, 1] for pair in ((inputs[:, 0], y), (rankdata(inputs[:, 0]), rankdata(y)))]
    return float(min(by_tree, *(1.0 - value**2 for value in along)))
