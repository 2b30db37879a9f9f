"""How predictions change with one column, the others as they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from kernelect.exceptions import InvalidArgument
from kernelect.facts.names import plain_name
from kernelect.facts.relevance import most_relevant
from kernelect.facts.sources import column_names, machine_of, rows_at, some_rows
from kernelect.model.subject import predicted_numbers, subject_of
from kernelect.typing import Array, Indices

#: Values of a column that are tried, levels of a category that are shown, lines for classes.
_POINTS, _LEVELS, _MOST_CLASSES = 20, 8, 6

#: Rows that are averaged over, rows with a line of their own, marks of the rug.
_ROWS, _CURVES, _RUG = 100, 25, 60

#: Cells that the rows with all their values may have: a table of very many columns is averaged over fewer rows.
_CELLS, _FEWEST_ROWS = 4_000_000, 20


@dataclass(frozen=True, kw_only=True)
class Dependence:
    """Partial dependence on one column: the mean prediction when all rows have the same value in it.

    Attributes
    ----------
    name : str
    at : ndarray of shape (n_values,)
        Values that were given; 0, 1, ... for the levels of a category.
    levels : tuple of str
        Names of the levels, empty for a number.
    average : ndarray of shape (n_outputs, n_values)
    curves : ndarray of shape (n_rows, n_values)
        Single rows, for one output only.
    rug : ndarray of shape (n_marks,)
        Values that occur.
    outputs : tuple of str
        Classes, if there are more than two.
    label : str
        What is predicted.
    """

    name: str
    at: Array
    levels: tuple[str, ...]
    average: Array
    curves: Array
    rug: Array
    outputs: tuple[str, ...]
    label: str

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, column: Any = None, *, random_state: int = 0) -> Self:
        """Return the record of a fitted estimator or pipeline.

        Parameters
        ----------
        X : DataFrame or array
            Rows to average over, of which at most 100 are drawn. Of many classes, those with the largest mean
            probability in all of them are shown.
        column : str or int, optional
            Name in a DataFrame, place in an array; by default the most relevant one.
        """
        column = most_relevant(estimator, 1)[0] if column is None else column
        return cls.of(estimator, X, column, np.random.default_rng(random_state))

    @classmethod
    def of(cls, estimator: Any, X: Any, column: Any, generator: np.random.Generator) -> Self:
        """Return the record, at the cost of at most 2000 predictions."""
        values, name = _column_of(estimator, X, column)
        chosen = np.sort(generator.permutation(len(values))[: _rows_for(X)])
        tried, levels = _values_to_try(values)
        predicted, outputs, label = _predictions(estimator, _with_values(X, column, chosen, tried), X)
        predicted = predicted.reshape(len(tried), len(chosen), -1)
        return cls(
            name=plain_name(name),
            at=np.arange(len(tried), dtype=float) if levels else np.asarray(tried, dtype=float),
            levels=levels,
            average=predicted.mean(axis=1).T,
            curves=np.zeros((0, len(tried))) if outputs else predicted[:, some_rows(len(chosen), _CURVES), 0].T,
            rug=np.zeros(0) if levels else _rug(values),
            outputs=outputs,
            label=label,
        )


def _rows_for(X: Any) -> int:
    return min(max(int(_CELLS // (_POINTS * X.shape[1])), _FEWEST_ROWS), _ROWS)


def _rug(values: Any) -> Array:
    step = len(values) // _RUG or 1
    return np.asarray(_known(values)[: _RUG * step : step], dtype=float)


def _column_of(estimator: Any, X: Any, column: Any) -> tuple[Any, str]:
    """Return a column's values and its name."""
    if hasattr(X, "columns"):
        if column not in X.columns:
            raise InvalidArgument(f"column={column!r} is not in the table: choose one of {list(X.columns)[:20]}.")
        return X[column].to_numpy(), str(column)
    X = np.asarray(X)
    if not isinstance(column, int | np.integer) or not -X.shape[1] <= column < X.shape[1]:
        raise InvalidArgument(f"column={column!r} must be a place from 0 to {X.shape[1] - 1}.")
    return X[:, column], column_names(estimator)[int(column)]


def _values_to_try(values: Any) -> tuple[list[Any], tuple[str, ...]]:
    """Return values and, for a category, the names of its most frequent levels."""
    known = _known(values)
    if known.dtype.kind not in "iuf":
        levels, counts = np.unique(known.astype(str), return_counts=True)
        shown = levels[np.sort(np.argsort(-counts, kind="stable")[:_LEVELS])]
        example = dict(zip(known.astype(str).tolist(), known, strict=True))  # as it stands in the table
        return [example[level] for level in shown], tuple(plain_name(level) for level in shown)
    distinct = np.unique(known)
    if len(distinct) > _POINTS:
        low, high = np.quantile(known.astype(float), [0.02, 0.98])
        distinct = np.linspace(low, high, _POINTS)
    return distinct.tolist(), ()


def _known(values: Any) -> Any:
    values = np.asarray(values)
    missing = values != values if values.dtype.kind in "fc" else np.array([v is None or v != v for v in values])
    return values[~missing] if not missing.all() else np.zeros(1)


def _with_values(X: Any, column: Any, rows: Indices, tried: list[Any]) -> Any:
    """Return the rows once for every value, with that value in the column."""
    repeated, given = np.tile(rows, len(tried)), np.repeat(np.arange(len(tried)), len(rows))
    if hasattr(X, "iloc"):
        frame = X.iloc[repeated].reset_index(drop=True)
        kind = X[column].dtype if X[column].dtype.kind not in "iuf" else float
        frame[column] = type(X[column])(tried, dtype=kind).iloc[given].reset_index(drop=True)
        return frame
    filled = np.asarray(X)[repeated].copy()
    filled[:, column] = np.asarray(tried)[given]
    return filled


def _predictions(estimator: Any, X: Any, table: Any) -> tuple[Array, tuple[str, ...], str]:
    """Return predictions (m, k), names of the k classes if there are more than two, and what they are.

    Of many classes those are kept that are likely in the ``table``: the same for all its columns, in the same colours.
    """
    model = subject_of(estimator).model
    if not model.is_classifier:
        label = "median time" if model.is_of_times else "prediction"
        return predicted_numbers(estimator, X).reshape(len(X), -1)[:, :1], (), label
    classes, probability = machine_of(estimator).classes_, estimator.predict_proba(X)
    if len(classes) == 2:
        return probability[:, 1:], (), f"probability of {plain_name(classes[1])}"
    shown = np.arange(len(classes))
    if len(classes) > _MOST_CLASSES:
        likely = estimator.predict_proba(rows_at(table, some_rows(table.shape[0], _ROWS))).mean(axis=0)
        shown = np.sort(np.argsort(-likely, kind="stable")[:_MOST_CLASSES])
    return probability[:, shown], tuple(plain_name(classes[k]) for k in shown), "probability"
