"""Records of pictures that show an explanation: why a row, what matters in a table, how a column acts."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from kernelect.exceptions import InvalidArgument
from kernelect.explain import Explanation
from kernelect.facts.cells import axis_of, cell_words, column_ranks, hold_years, swarm, swarm_within
from kernelect.facts.names import plain_name, short_name
from kernelect.typing import Array

#: Columns that a picture shows by themselves.
MOST_SHOWN = 12


@dataclass(frozen=True, kw_only=True)
class Waterfall:
    """From the base value to the prediction of one row, column by column, the largest share first.

    Attributes
    ----------
    names : tuple of str
        With the row's cells, as in "age = 41"; the last one stands for all other columns if there are many.
    values : ndarray of shape (n_shown,)
    base, total : float
    label : str
        What is explained.
    """

    names: tuple[str, ...]
    values: Array
    base: float
    total: float
    label: str

    @classmethod
    def of(cls, explanation: Explanation, row: int = 0, most: int = MOST_SHOWN) -> Self:
        """Return the record of a row."""
        _require_one_output(explanation)
        if not -len(explanation) <= row < len(explanation):
            raise InvalidArgument(f"row={row!r} must be a place from 0 to {len(explanation) - 1}.")
        values, cells = explanation.values[row], explanation.data[row]
        order = np.argsort(-np.abs(values), kind="stable")
        kinds = ["year" if hold_years(column) else "" for column in np.asarray(explanation.data).T]
        words = [f"{short_name(explanation.feature_names[j])} = {cell_words(cells[j], kinds[j])}" for j in order]
        values = values[order]
        if len(values) > most + 1:
            rest = f"{len(values) - most} other columns"
            words, values = [*words[:most], rest], np.append(values[:most], values[most:].sum())
        base = float(explanation.base_values[row])
        return cls(
            names=tuple(words), values=values, base=base, total=base + float(values.sum()), label=label_of(explanation)
        )

    @property
    def starts(self) -> Array:
        """Where each bar begins."""
        return np.asarray(self.base + np.concatenate([[0.0], np.cumsum(self.values)[:-1]]), dtype=float)


@dataclass(frozen=True, kw_only=True)
class Swarm:
    """Every row's values of the columns that matter most.

    Attributes
    ----------
    names : tuple of str
        The column with the largest mean size first.
    values : ndarray of shape (n_rows, n_shown)
    heights : ndarray of shape (n_rows, n_shown)
        Where a point lies across its line, between -1 and 1, so that points do not hide each other.
    ranks : ndarray of shape (n_rows, n_shown)
        How high the row's cell stands in its column, 0 to 1; NaN for texts and missing cells.
    sizes : ndarray of shape (n_shown,)
        Mean size of the values.
    n_columns : int
    label : str
    """

    names: tuple[str, ...]
    values: Array
    heights: Array
    ranks: Array
    sizes: Array
    n_columns: int
    label: str

    @classmethod
    def of(cls, explanation: Explanation, most: int = MOST_SHOWN) -> Self:
        """Return the record of all rows."""
        _require_one_output(explanation)
        sizes = np.abs(explanation.values).mean(axis=0)
        order = np.argsort(-sizes, kind="stable")[:most]
        values = explanation.values[:, order]
        return cls(
            names=tuple(plain_name(explanation.feature_names[j]) for j in order),
            values=values,
            heights=np.column_stack([swarm(column) for column in values.T]),
            ranks=np.column_stack([column_ranks(explanation.data[:, j]) for j in order]),
            sizes=sizes[order],
            n_columns=len(sizes),
            label=label_of(explanation),
        )


@dataclass(frozen=True, kw_only=True)
class ShapleyDependence:
    """A column's values against its cells, and the column it interacts with most.

    Attributes
    ----------
    name : str
    at : ndarray of shape (n_rows,)
        The cells; the places of their levels for a category; NaN if missing or too rare to be shown.
    levels : tuple of str
        Names of the levels, empty for a number.
    values, heights : ndarray of shape (n_rows,)
        The values, and where a point lies across its level, between -1 and 1.
    partner : str
        The other column; empty if the explanation has no interactions.
    shades : ndarray of shape (n_rows,)
        How high the row's cell stands in the other column, 0 to 1, or the place of its level; NaN if missing.
    partner_levels : tuple of str
        Names of the other column's levels, empty for a number.
    strength : float
        Mean size of the interaction of both.
    label : str
    """

    name: str
    at: Array
    levels: tuple[str, ...]
    values: Array
    heights: Array
    partner: str
    shades: Array
    partner_levels: tuple[str, ...]
    strength: float
    label: str

    @classmethod
    def of(cls, explanation: Explanation, column: Any = None) -> Self:
        """Return the record of a column, by name or place; the strongest one unless given.

        Its partner needs ``interactions=True`` in the explanation.
        """
        _require_one_output(explanation)
        j = _place(explanation, column)
        at, levels = axis_of(explanation.data[:, j])
        values = explanation.values[:, j]
        heights = swarm_within(at, values) if levels else np.zeros(len(values))
        k, strength = _partner(explanation, j)
        shades, shade_levels = np.full(len(values), np.nan), tuple[str, ...]()
        if k is not None:
            shades, shade_levels = axis_of(explanation.data[:, k])
            shades = shades if shade_levels else column_ranks(explanation.data[:, k])
        return cls(
            name=plain_name(explanation.feature_names[j]),
            at=at,
            levels=levels,
            values=values,
            heights=heights,
            partner="" if k is None else plain_name(explanation.feature_names[k]),
            shades=shades,
            partner_levels=shade_levels,
            strength=strength,
            label=label_of(explanation),
        )


@dataclass(frozen=True, kw_only=True)
class Interactions:
    """The pairs of columns whose joint effect is largest.

    Attributes
    ----------
    pairs : tuple of str
        The strongest first.
    strength : ndarray of shape (n_shown,)
        Mean size of what the pair adds to, or takes from, the sum of both columns' own effects.
    standard_error : ndarray of shape (n_shown,)
        Of these means, over the rows that were explained.
    leader : int
        Place of the column of the first pair that has the larger effect of its own.
    label : str
    """

    pairs: tuple[str, ...]
    strength: Array
    standard_error: Array
    leader: int
    label: str

    @classmethod
    def of(cls, explanation: Explanation, most: int = 8, among: Collection[str] | None = None) -> Self:
        """Return the record of an explanation with interactions.

        Parameters
        ----------
        explanation : Explanation
        most : int
            Pairs that are listed.
        among : collection of str, optional
            Columns whose pairs are listed; two at least.
        """
        _require_one_output(explanation)
        if explanation.interactions is None:
            raise InvalidArgument(
                "explanation has no interactions: compute it by shapley_values(model, X, interactions=True)."
            )
        each = 2.0 * np.abs(explanation.interactions)
        sizes, errors = each.mean(axis=0), each.std(axis=0, ddof=min(1, len(each) - 1)) / np.sqrt(len(each))
        columns = np.array([among is None or name in among for name in explanation.feature_names])
        one, other = (places[np.ix_(columns, columns)] for places in np.indices(sizes.shape))
        one, other = (places[np.triu_indices(len(places), 1)] for places in (one, other))
        order = np.argsort(-sizes[one, other], kind="stable")[:most]
        names = [short_name(name, 18) for name in explanation.feature_names]
        first = np.array([one[order[0]], other[order[0]]])
        own = np.abs(explanation.values).mean(axis=0)
        return cls(
            pairs=tuple(f"{names[one[place]]} & {names[other[place]]}" for place in order),
            strength=sizes[one[order], other[order]],
            standard_error=errors[one[order], other[order]],
            leader=int(first[np.argmax(own[first])]),
            label=label_of(explanation),
        )


def label_of(explanation: Explanation) -> str:
    """Return what an explanation explains, in words."""
    if explanation.is_of_number:
        return explanation.explained
    return f"{explanation.explained} of {plain_name(explanation.output_names[0])}"


def _require_one_output(explanation: Explanation) -> None:
    if explanation.values.ndim == 3:
        raise InvalidArgument(
            f"The explanation has {len(explanation.output_names)} outputs and a picture shows one: choose it with "
            f"explanation.of_output({explanation.output_names[0]!r})."
        )


def _place(explanation: Explanation, column: Any) -> int:
    if column is None:
        return int(np.argmax(np.abs(explanation.values).mean(axis=0)))
    names = list(explanation.feature_names)
    if column in names:
        return names.index(column)
    if isinstance(column, int | np.integer) and -len(names) <= column < len(names):
        return int(column) % len(names)
    raise InvalidArgument(f"column={column!r} is not known: choose one of {names[:20]}, or a place below {len(names)}.")


def _partner(explanation: Explanation, j: int) -> tuple[int | None, float]:
    """Return the column that interacts most with column j, and the mean size of their interaction."""
    if explanation.interactions is None or len(explanation.feature_names) == 1:
        return None, 0.0
    sizes = 2.0 * np.abs(explanation.interactions[:, j]).mean(axis=0)
    sizes[j] = -1.0
    return int(np.argmax(sizes)), float(sizes.max())
