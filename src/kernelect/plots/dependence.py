"""How predictions change with one input, the others as they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import is_classifier

from kernelect.exceptions import InvalidArgument
from kernelect.plots._names import plain_name, short_name
from kernelect.plots._sources import input_names, machine_of, relevance_by_column
from kernelect.plots._style import COLOURS, QUIET, house_style
from kernelect.typing import Array

#: Values of an input that are tried, levels of a category that are shown, lines for classes.
_POINTS, _LEVELS, _MOST_CLASSES = 20, 8, 6

#: Rows that are averaged over, rows with a line of their own, marks of the rug.
_ROWS, _CURVES, _RUG = 100, 25, 60

#: Cells that the rows with all their values may have: a table of very many columns is averaged over fewer rows.
_CELLS, _FEWEST_ROWS = 4_000_000, 20


@dataclass(frozen=True)
class DependenceDisplay:
    """Partial dependence on one input: the mean prediction where all rows get the same value of it.

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
        Classes, where there are more than two.
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
    def from_estimator(
        cls, estimator: Any, X: Any, column: Any = None, *, random_state: int = 0, ax: Any = None
    ) -> Self:
        """Return the record of a fitted estimator or pipeline, drawn.

        Parameters
        ----------
        X : DataFrame or array
            Rows to average over, of which at most 100 are drawn.
        column : str or int, optional
            Name in a DataFrame, place in an array; the most relevant one unless given.
        """
        column = most_relevant(estimator, 1)[0] if column is None else column
        display = cls.of(estimator, X, column, np.random.default_rng(random_state))
        display.plot(ax)
        return display

    @classmethod
    def of(cls, estimator: Any, X: Any, column: Any, generator: np.random.Generator) -> Self:
        """Return the record, at the cost of at most 2000 predictions."""
        values, name = _column_of(estimator, X, column)
        chosen = np.sort(generator.permutation(len(values))[: _rows_for(X)])
        tried, levels = _values_to_try(values)
        predicted, outputs, label = _predictions(estimator, _with_values(X, column, chosen, tried))
        predicted = predicted.reshape(len(tried), len(chosen), -1)
        at = np.arange(len(tried), dtype=float) if levels else np.asarray(tried, dtype=float)
        rug = np.zeros(0) if levels else _known(values)[: _RUG * (len(values) // _RUG or 1) : len(values) // _RUG or 1]
        curves = predicted[:, :_CURVES, 0].T if not outputs else np.zeros((0, len(tried)))
        average = predicted.mean(axis=1).T
        return cls(plain_name(name), at, levels, average, curves, np.asarray(rug, dtype=float), outputs, label)

    def plot(self, ax: Any = None, colour: str = COLOURS[0]) -> Any:
        """Draw on ``ax`` (a new one if none is given) and return it."""
        with house_style("DependenceDisplay.plot") as plt:
            if ax is None:
                _, ax = plt.subplots(figsize=(5.2, 3.8))
            if self.levels:
                self._plot_levels(ax, colour)
            else:
                self._plot_lines(ax, colour)
            self._widen(ax)
            ax.set_xlabel(short_name(self.name, 40), parse_math=False)
            ax.set_ylabel(short_name(self.label, 34), parse_math=False)
            if self.outputs:
                for text in ax.legend(fontsize="small").get_texts():
                    text.set_parse_math(False)
        return ax

    @staticmethod
    def _widen(ax: Any) -> None:
        """Do not let the rounding of a flat line look like a finding."""
        low, high = ax.get_ylim()
        least = 0.02 * max(abs(low), abs(high)) or 1.0
        if high - low < least:
            ax.set_ylim(0.5 * (low + high - least), 0.5 * (low + high + least))
        ax.ticklabel_format(axis="y", useOffset=False)

    def _plot_lines(self, ax: Any, colour: str) -> None:
        for curve in self.curves:
            ax.plot(self.at, curve, color=QUIET, lw=0.6, alpha=0.35)
        for line, shade, name in self._outputs(colour):
            ax.plot(self.at, line, color=shade, lw=2.0, label=name)
        within = self.rug[(self.rug >= self.at[0]) & (self.rug <= self.at[-1])]
        ax.plot(within, np.full(len(within), 0.0), "|", color=QUIET, ms=6, mew=0.6, transform=ax.get_xaxis_transform())

    def _plot_levels(self, ax: Any, colour: str) -> None:
        for curve in self.curves:
            ax.plot(self.at, curve, color=QUIET, lw=0.5, alpha=0.25)
        for line, shade, name in self._outputs(colour):
            ax.plot(self.at, line, "o", color=shade, ms=6, label=name)
        long = max(len(level) for level in self.levels) > 6 and len(self.levels) > 3
        turned = {"rotation": 35, "ha": "right", "rotation_mode": "anchor"} if long else {}
        ax.set_xticks(self.at, [short_name(level, 16) for level in self.levels], parse_math=False, **turned)
        ax.set_xlim(-0.5, len(self.at) - 0.5)

    def _outputs(self, colour: str) -> list[tuple[Array, str, str | None]]:
        if not self.outputs:
            return [(self.average[0], colour, None)]
        names = [short_name(name, 18) for name in self.outputs]
        return list(zip(self.average, COLOURS, names, strict=False))


def _rows_for(X: Any) -> int:
    return min(max(_CELLS // (_POINTS * X.shape[1]), _FEWEST_ROWS), _ROWS)


def most_relevant(estimator: Any, count: int) -> list[Any]:
    """Return the ``count`` most relevant columns, as ``DependenceDisplay`` takes them, the first one first."""
    columns, relevance = relevance_by_column(estimator)
    order = [int(j) for j in np.argsort(-relevance, kind="stable")[:count]]
    named = hasattr(estimator, "feature_names_in_")
    return [columns[j] for j in order] if named else order


def _column_of(estimator: Any, X: Any, column: Any) -> tuple[Any, str]:
    """Return a column's values and its name."""
    if hasattr(X, "columns"):
        if column not in X.columns:
            raise InvalidArgument(f"column={column!r} is not in the table: choose one of {list(X.columns)[:20]}.")
        return X[column].to_numpy(), str(column)
    X = np.asarray(X)
    if not isinstance(column, int | np.integer) or not -X.shape[1] <= column < X.shape[1]:
        raise InvalidArgument(f"column={column!r} is not possible: give a place from 0 to {X.shape[1] - 1}.")
    names = input_names(estimator)
    return X[:, column], names[column] if len(names) == X.shape[1] else f"x{column}"


def _values_to_try(values: Array) -> tuple[list[Any], tuple[str, ...]]:
    """Return values and, for a category, the names of its most frequent levels."""
    known = _known(values)
    if known.dtype.kind not in "iuf":
        levels, counts = np.unique(known.astype(str), return_counts=True)
        shown = levels[np.sort(np.argsort(-counts, kind="stable")[:_LEVELS])]
        example = {str(value): value for value in known.tolist()}  # as it stands in the table
        return [example[level] for level in shown], tuple(plain_name(level) for level in shown)
    distinct = np.unique(known)
    if len(distinct) > _POINTS:
        distinct = np.linspace(*np.quantile(known.astype(float), [0.02, 0.98]), _POINTS)
    return distinct.tolist(), ()


def _known(values: Array) -> Array:
    values = np.asarray(values)
    missing = values != values if values.dtype.kind in "fc" else np.array([v is None or v != v for v in values])
    return values[~missing] if not missing.all() else np.zeros(1)


def _with_values(X: Any, column: Any, rows: Array, tried: list[Any]) -> Any:
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


def _predictions(estimator: Any, X: Any) -> tuple[Array, tuple[str, ...], str]:
    """Return predictions (m, k), names of the k classes where there are more than two, and what they are."""
    if not is_classifier(estimator):
        return np.asarray(estimator.predict(X), dtype=float).reshape(len(X), -1)[:, :1], (), "prediction"
    classes, probability = machine_of(estimator).classes_, estimator.predict_proba(X)
    if len(classes) == 2:
        return probability[:, 1:], (), f"probability of {plain_name(classes[1])}"
    shown = np.argsort(-probability.mean(axis=0), kind="stable")[:_MOST_CLASSES]
    shown = np.sort(shown)
    return probability[:, shown], tuple(plain_name(classes[k]) for k in shown), "probability"
