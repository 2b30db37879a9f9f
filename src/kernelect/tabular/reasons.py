"""Why a model predicts what it does: the columns that moved the prediction of a row most, in words and numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from kernelect.exceptions import MissingCapability
from kernelect.explain import Explanation, expansion_of, shapley_values
from kernelect.explain.own_units import own_units_of
from kernelect.explain.record import is_of_number
from kernelect.explain.shapley import ENOUGH_ROWS
from kernelect.facts.cells import cell_words
from kernelect.facts.names import plain_name
from kernelect.facts.numbers import are_years, fixed
from kernelect.tabular.table_model import TableModel


@dataclass(frozen=True, kw_only=True)
class Reason:
    """What one column adds to the prediction of a row.

    Attributes
    ----------
    column : str
    cell : str
        The row's cell in words.
    effect : float
        How much it raises a predicted number, or speaks for the predicted class (against it if negative).
    """

    column: str
    cell: str
    effect: float

    def __str__(self) -> str:
        return f"{plain_name(self.column)} = {self.cell} ({effect_words(self.effect)})"


def effect_words(effect: float) -> str:
    """Return an effect with its sign and three digits."""
    size = math.floor(math.log10(abs(effect))) if effect and math.isfinite(effect) else 0
    return f"{effect:+.2e}" if not -4 <= size < 6 else fixed(effect, 2 - size, sign=True)


@dataclass(frozen=True, eq=False, kw_only=True)
class Explained:
    """Rows of a table with their predictions and all that led to them.

    Attributes
    ----------
    explanation : Explanation
    towards : list
        What is explained of every row: the predicted class, or the prediction.
    base, total : ndarray of shape (n_rows,)
        Where the sum of all effects begins and ends.
    effects : ndarray of shape (n_rows, n_columns)
    cells : list of list of str
        The rows' cells in words.
    """

    explanation: Explanation
    towards: list[Any]
    base: np.ndarray
    total: np.ndarray
    effects: np.ndarray
    cells: list[list[str]]

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""
        return self.explanation.feature_names

    def reasons(self, row: int, most: int) -> list[Reason]:
        """Return the strongest reasons of a row, the strongest first; columns without effect are left out."""
        order = np.argsort(-np.abs(self.effects[row]), kind="stable")[:most]
        return [
            Reason(column=self.columns[j], cell=self.cells[row][j], effect=float(self.effects[row, j]))
            for j in order
            if self.effects[row, j] != 0.0
        ]

    def to_frame(self) -> pd.DataFrame:
        """Return a line for every row and column: row (from 1), prediction, column, cell, effect."""
        m, d = self.effects.shape
        return pd.DataFrame(
            {
                "row": np.repeat(np.arange(1, m + 1), d),
                "prediction": np.repeat(np.array(self.towards, dtype=object), d),
                "column": np.tile(np.array(self.columns, dtype=object), m),
                "cell": [cell for line in self.cells for cell in line],
                "effect": self.effects.ravel(),
            }
        )

    def in_words(self) -> str:
        """Return the sentence that tells what the effects are of."""
        return _sentence(self.explanation.explained)


def effects_in_words(model: TableModel) -> list[str]:
    """Return what the effects of a model's columns are, in sentences."""
    expansion, own = expansion_of(model), own_units_of(model)
    if own is not None:
        return [_sentence("prediction"), own.sentence]
    return [_sentence(expansion.explained), *expansion.remarks]


def _sentence(explained: str) -> str:
    if is_of_number(explained):
        return f"Effects add up from the mean {explained} to the row's own."
    return f"Effects are shares of the {explained}: positive ones speak for the predicted class."


def explain_table(model: TableModel, X: pd.DataFrame, background: pd.DataFrame | None = None) -> Explained:
    """Return why a model predicts what it does for rows.

    Parameters
    ----------
    model : TableModel
    X : DataFrame
        From :func:`kernelect.tabular.match_columns`.
    background : DataFrame, optional
        Rows from which unknown columns are filled in, for models that do not keep their training rows.
    """
    if background is None and len(X) < ENOUGH_ROWS and expansion_of(model).training is None:
        raise MissingCapability(
            "This model keeps only some of its training rows, so it does not know what usual rows are: give a table of "
            f"them with kernelect explain --background, or at least {ENOUGH_ROWS} rows, which then stand in for them."
        )
    explanation, own = shapley_values(model, X, background), own_units_of(model)
    explanation = explanation if own is None else own.of(explanation)
    predicted = model.predict(X)
    places, signs = _places(explanation, predicted)
    rows = np.arange(len(X))
    values, base = explanation.values, explanation.base_values
    if values.ndim == 3:
        values, base = values[rows, :, places], base[rows, places]
    effects, starts = signs[:, None] * values, signs * base
    kinds = {
        column.name: "year" if column.kind == "number" and are_years(column.low, column.high) else column.kind
        for column in model.schema.columns
    }
    cells = [
        [cell_words(cell, kinds.get(name, "")) for cell, name in zip(line, explanation.feature_names, strict=True)]
        for line in np.asarray(explanation.data, dtype=object)
    ]
    return Explained(
        explanation=explanation,
        towards=np.asarray(predicted).tolist(),
        base=starts,
        total=starts + effects.sum(axis=1),
        effects=np.asarray(effects),
        cells=cells,
    )


def _places(explanation: Explanation, predicted: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the output that belongs to every row's prediction, and the sign that turns it towards that."""
    if explanation.is_of_number:
        return np.zeros(len(predicted), dtype=int), np.ones(len(predicted))
    names = list(explanation.output_names)
    if len(names) == 1:
        return np.zeros(len(predicted), dtype=int), np.where(np.asarray(predicted) == names[0], 1.0, -1.0)
    return np.array([names.index(label) for label in np.asarray(predicted).tolist()]), np.ones(len(predicted))
