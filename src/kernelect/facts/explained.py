"""Explanations of a model's own rows: as many as are cheap, with interactions where these are cheap too."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kernelect.explain import Explainer, Explanation
from kernelect.facts.carried import Carried
from kernelect.facts.cells import cell_words
from kernelect.facts.explanations import Interactions, ShapleyDependence, Swarm, Waterfall
from kernelect.facts.held_out import HeldOutRelevance
from kernelect.facts.names import plain_name, told_apart
from kernelect.facts.sources import rows_at, some_rows
from kernelect.numerics import watched_deadline
from kernelect.typing import Array, Indices

#: Rows that are explained at most, with interactions, and the fewest that show anything.
_MOST_ROWS, _MOST_WITH_PAIRS, _FEWEST_ROWS = 100, 60, 12

#: Steps that explanations of one kind may take, and how long one takes; what a pair of columns and what a summand
#: take in any case, in calls of NumPy.
_STEPS, _SECONDS, _PAIR, _SUMMAND = 2.0e8, 1.0e-8, 3_000, 30_000

#: Share of the time that is left, if there is a limit, for explanations of one kind.
_SHARE = 0.25

#: Columns that a picture of pairs needs.
_LEAST_OF_PAIR = 2

#: Columns of the swarm.
_SWARM = 10

#: Nodes of the quadrature that are counted at most: many columns need far fewer than half their number.
_NODES = 10


@dataclass(frozen=True, eq=False)
class ExplainedRows:
    """Rows of the table with the values of one output.

    Attributes
    ----------
    explanation : Explanation
        Of one output.
    places : ndarray of shape (m,)
        Of the rows in the table.
    pairs : Explanation or None
        The same of fewer rows, with interactions.
    """

    explanation: Explanation
    places: Indices
    pairs: Explanation | None

    @property
    def swarm(self) -> Swarm:
        """Every row's values of the columns that matter most."""
        return Swarm.of(self.explanation, _SWARM)


def explained_rows(carried: Carried, X: Any, output: Any) -> ExplainedRows | None:
    """Return the explanation of rows spread over the table; None if it has no exact form or takes too long.

    Parameters
    ----------
    carried : Carried
    X : DataFrame or array
    output : label, or None
        The class that is explained if there are more than two.
    """
    explainer = carried.explainer
    if explainer is None:
        return None
    most = min(_STEPS, _SHARE * watched_deadline().left() / _SECONDS)
    single, double = (int(most / max(steps, 1)) for steps in steps_per_row(explainer))
    if single < _FEWEST_ROWS:
        return None
    places = some_rows(len(X), min(single, _MOST_ROWS))
    explanation = _of_output(carried.explanation(rows_at(X, places)), output)
    pairs = None
    if double >= _FEWEST_ROWS and len(explanation.feature_names) > 1:
        few = some_rows(len(X), min(double, _MOST_WITH_PAIRS))
        pairs = _of_output(carried.explanation(rows_at(X, few), interactions=True), output)
    return ExplainedRows(explanation, places, pairs)


def steps_per_row(explainer: Explainer) -> tuple[int, int]:
    """Return roughly how many operations the values of a row take, and its interactions."""
    values = pairs = 0
    for prepared in (each for found in explainer.prepared or [] for each in found or ()):
        n, players, nodes = len(prepared.summand.coefficients), len(prepared.players), min(prepared.order, 2 * _NODES)
        values += n * players * (nodes + 1) // 2
        if prepared.order > 1:
            per_pair = n * nodes // 2 + _PAIR * max(1, n * nodes // 7000)
            pairs += _SUMMAND + players * (players - 1) // 2 * per_pair
    return values, pairs


def _of_output(explanation: Explanation, output: Any) -> Explanation:
    return explanation.of_output(output) if explanation.values.ndim == 3 else explanation


def strongest_pairs(
    rows: ExplainedRows, held_out: HeldOutRelevance | None = None
) -> Iterator[Interactions | ShapleyDependence]:
    """Yield the strongest interactions, and how the first column of the strongest pair acts.

    Columns without which rows held out are predicted as well are in no pair, if others are known to help.
    """
    if rows.pairs is None:
        return
    helping = None
    if held_out is not None:
        names = rows.pairs.feature_names
        words = told_apart([plain_name(name) for name in names])
        helping = {name for name, word in zip(names, words, strict=True) if word in held_out.helping()}
    if helping is not None and len(helping) < _LEAST_OF_PAIR:
        return
    record = Interactions.of(rows.pairs, among=helping)
    yield record
    yield ShapleyDependence.of(rows.pairs, record.leader)


def waterfall_of(carried: Carried, row: Any, output: Any) -> Waterfall:
    """Return how one row's prediction comes about."""
    explanation = _of_output(carried.explanation(row), output)
    return Waterfall.of(replace(explanation, data=cells_in_words(explanation, carried)), 0, 8)


def cells_in_words(explanation: Explanation, carried: Carried) -> Any:
    """Return the cells that were explained in words, of the same shape."""
    kinds = {column.name: column.kind for column in carried.program.columns} | dict.fromkeys(carried.years, "year")
    cells = np.asarray(explanation.data, dtype=object)
    words = np.empty(cells.shape, dtype=object)
    for j, name in enumerate(explanation.feature_names):
        words[:, j] = [cell_words(cell, kinds.get(name, "")) for cell in cells[:, j]]
    return words


def reasons_in_words(carried: Carried, rows: Any, places: Indices, most: int = 3) -> list[str]:
    """Return the strongest reasons of each row's prediction (``places`` of the predicted classes) in words."""
    if carried.explainer is None:
        return [""] * len(places)
    explanation = carried.explanation(rows)
    effects, words = towards(explanation, places), cells_in_words(explanation, carried)
    lines = []
    for effect, cells in zip(effects, words, strict=True):
        order = [j for j in np.argsort(-np.abs(effect), kind="stable")[:most] if effect[j] != 0.0]
        names = [plain_name(explanation.feature_names[j]) for j in order]
        lines.append("; ".join(f"{name} = {cells[j]}" for name, j in zip(names, order, strict=True)))
    return lines


def towards(explanation: Explanation, places: Indices) -> Array:
    """Return effects (m, n_columns) on what was predicted: ``places`` are classes, 0 for numbers."""
    values = np.asarray(explanation.values, dtype=float)
    if values.ndim == 3:
        return np.asarray(values[np.arange(len(values)), :, places])
    if explanation.is_of_number:
        return values
    return np.where(places == 1, 1.0, -1.0)[:, None] * values
