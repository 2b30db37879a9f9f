"""Why a row, what matters in a table, how a column acts: pictures of an explanation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from kernelect.exceptions import InvalidArgument
from kernelect.explain import Explanation
from kernelect.plots._cells import axis_of, cell_words, number_words, ranks, swarm, swarm_within
from kernelect.plots._names import plain_name, short_name
from kernelect.plots._style import COLOURS, GRID, INK, QUIET, house_style
from kernelect.typing import Array

#: Columns that a picture shows by themselves.
_MOST_SHOWN = 12

#: Low and high values of a column, and what lies between them; cells without order.
_LOW, _MIDDLE, _HIGH, _UNORDERED = COLOURS[0], "#c9ccd1", COLOURS[1], QUIET


@dataclass(frozen=True)
class WaterfallDisplay:
    """From the base value to the prediction of one row, column by column, the largest share first.

    Attributes
    ----------
    names : tuple of str
        With the row's cells, as in "age = 41"; the last one stands for all other columns where there are many.
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
    def from_explanation(
        cls, explanation: Explanation, row: int = 0, *, most: int = _MOST_SHOWN, ax: Any = None
    ) -> Self:
        """Return the record of a row, drawn."""
        display = cls.of(explanation, row, most)
        display.plot(ax)
        return display

    @classmethod
    def of(cls, explanation: Explanation, row: int = 0, most: int = _MOST_SHOWN) -> Self:
        """Return the record of a row."""
        _one_output(explanation)
        if not -len(explanation) <= row < len(explanation):
            raise InvalidArgument(f"row={row!r} must be a place from 0 to {len(explanation) - 1}.")
        values, cells = explanation.values[row], explanation.data[row]
        order = np.argsort(-np.abs(values), kind="stable")
        words = [f"{short_name(explanation.feature_names[j])} = {cell_words(cells[j])}" for j in order]
        values = values[order]
        if len(values) > most + 1:
            rest = f"{len(values) - most} other columns"
            words, values = [*words[:most], rest], np.append(values[:most], values[most:].sum())
        base = float(explanation.base_values[row])
        return cls(tuple(words), values, base, base + float(values.sum()), _label(explanation))

    @property
    def starts(self) -> Array:
        """Where each bar begins."""
        return np.asarray(self.base + np.concatenate([[0.0], np.cumsum(self.values)[:-1]]), dtype=float)

    def plot(self, ax: Any = None) -> Any:
        """Draw on ``ax`` (a new one if none is given) and return it."""
        with house_style("WaterfallDisplay.plot") as plt:
            if ax is None:
                _, ax = plt.subplots(figsize=(6.8, 1.3 + 0.34 * len(self.names)))
            place = np.arange(len(self.names))
            colours = [_HIGH if value > 0 else _LOW for value in self.values]
            ax.barh(place, self.values, left=self.starts, color=colours, height=0.62)
            for at, start, value in zip(place, self.starts, self.values, strict=True):
                ax.plot([start + value] * 2, [at - 0.31, at + 1.31], color=QUIET, lw=0.8, clip_on=True)
                _annotate(ax, float(start), float(value), float(at))
            ax.axvline(self.base, color=QUIET, lw=1.0, ls="--", zorder=0)
            ax.axvline(self.total, color=INK, lw=1.0, zorder=0)
            ax.set_yticks(place, self.names, parse_math=False)
            ax.set_ylim(len(self.names) - 0.4, -0.6)
            ends = np.concatenate([self.starts, [self.total]])
            room = 0.16 * (np.ptp(ends) or 1.0)  # for the numbers beside the bars
            ax.set_xlim(ends.min() - room, ends.max() + room)
            ax.grid(axis="y", visible=False)
            ax.set_xlabel(short_name(self.label, 60), parse_math=False)
            ax.set_title(f"{number_words(self.base)} on average (dashed), {number_words(self.total)} for this row")
        return ax


def _annotate(ax: Any, start: float, value: float, at: float) -> None:
    right = value > 0
    ax.annotate(
        f"{value:+.3g}",
        (start + value, at),
        (4 if right else -4, 0),
        textcoords="offset points",
        ha="left" if right else "right",
        va="center",
        fontsize="small",
        bbox={"fc": "white", "ec": "none", "alpha": 0.75, "pad": 0.6},  # over the lines of base and total
    )


@dataclass(frozen=True)
class BeeswarmDisplay:
    """Every row's values of the columns that matter most, a line each, coloured by the cells.

    Attributes
    ----------
    names : tuple of str
        The column with the largest mean size first.
    values : ndarray of shape (n_rows, n_shown)
    heights : ndarray of shape (n_rows, n_shown)
        Where a point lies across its line, between -1 and 1, so that no two hide each other.
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
    def from_explanation(cls, explanation: Explanation, *, most: int = _MOST_SHOWN, ax: Any = None) -> Self:
        """Return the record of all rows, drawn."""
        display = cls.of(explanation, most)
        display.plot(ax)
        return display

    @classmethod
    def of(cls, explanation: Explanation, most: int = _MOST_SHOWN) -> Self:
        """Return the record of all rows."""
        _one_output(explanation)
        sizes = np.abs(explanation.values).mean(axis=0)
        order = np.argsort(-sizes, kind="stable")[:most]
        values = explanation.values[:, order]
        return cls(
            names=tuple(plain_name(explanation.feature_names[j]) for j in order),
            values=values,
            heights=np.column_stack([swarm(column) for column in values.T]),
            ranks=np.column_stack([ranks(explanation.data[:, j]) for j in order]),
            sizes=sizes[order],
            n_columns=len(sizes),
            label=_label(explanation),
        )

    def plot(self, ax: Any = None) -> Any:
        """Draw on ``ax`` (a new one if none is given) and return it."""
        with house_style("BeeswarmDisplay.plot") as plt:
            if ax is None:
                _, ax = plt.subplots(figsize=(6.8, 1.4 + 0.42 * len(self.names)))
            ax.axvline(0.0, color=QUIET, lw=1.0, zorder=1)
            size = float(np.clip(2000.0 / len(self.values), 5.0, 22.0))
            x, y = self.values, np.arange(len(self.names)) + 0.38 * self.heights
            _colour_bar(ax, _points(ax, x.ravel(), y.ravel(), self.ranks.ravel(), size), "value of the column")
            ax.set_yticks(np.arange(len(self.names)), [short_name(name) for name in self.names], parse_math=False)
            ax.set_ylim(len(self.names) - 0.5, -0.5)
            ax.grid(axis="y", visible=False)
            shown = (
                "" if len(self.names) == self.n_columns else f" (the {len(self.names)} strongest of {self.n_columns})"
            )
            ax.set_xlabel(f"share in the {short_name(self.label, 40)}{shown}", parse_math=False)
        return ax


@dataclass(frozen=True)
class ShapleyDependenceDisplay:
    """A column's values against its cells, coloured by the column it interacts with most.

    Attributes
    ----------
    name : str
    at : ndarray of shape (n_rows,)
        The cells; 0, 1, ... for the levels of a category; NaN where missing.
    levels : tuple of str
        Names of the levels, empty for a number.
    values : ndarray of shape (n_rows,)
    partner : str
        The other column; empty where the explanation has no interactions.
    shades : ndarray of shape (n_rows,)
        How high the row's cell stands in the other column, 0 to 1, or the place of its level; NaN where missing.
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
    partner: str
    shades: Array
    partner_levels: tuple[str, ...]
    strength: float
    label: str

    @classmethod
    def from_explanation(cls, explanation: Explanation, column: Any = None, *, ax: Any = None) -> Self:
        """Return the record of a column (by name or place; the strongest one unless given), drawn."""
        display = cls.of(explanation, column)
        display.plot(ax)
        return display

    @classmethod
    def of(cls, explanation: Explanation, column: Any = None) -> Self:
        """Return the record of a column; its partner needs ``interactions=True`` in the explanation."""
        _one_output(explanation)
        j = _place(explanation, column)
        at, levels = axis_of(explanation.data[:, j])
        partner, strength = "", 0.0
        shades, shade_levels = np.full(len(explanation), np.nan), tuple[str, ...]()
        if explanation.interactions is not None and len(explanation.feature_names) > 1:
            sizes = 2.0 * np.abs(explanation.interactions[:, j]).mean(axis=0)
            sizes[j] = -1.0
            k = int(np.argmax(sizes))
            partner, strength = plain_name(explanation.feature_names[k]), float(sizes[k])
            shades, shade_levels = axis_of(explanation.data[:, k])
            shades = shades if shade_levels else ranks(explanation.data[:, k])
        name, label = plain_name(explanation.feature_names[j]), _label(explanation)
        return cls(name, at, levels, explanation.values[:, j], partner, shades, shade_levels, strength, label)

    def plot(self, ax: Any = None) -> Any:
        """Draw on ``ax`` (a new one if none is given) and return it."""
        with house_style("ShapleyDependenceDisplay.plot") as plt:
            if ax is None:
                _, ax = plt.subplots(figsize=(5.6, 3.8))
            ax.axhline(0.0, color=QUIET, lw=1.0, zorder=1)
            x = self.at + (0.22 * swarm_within(self.at, self.values) if self.levels else 0.0)
            if self.partner_levels:
                self._plot_by_level(ax, x)
            else:
                _colour_bar(ax, _points(ax, x, self.values, self.shades, 16.0), self.partner)
            if self.levels:
                turned = {"rotation": 30, "ha": "right"} if max(map(len, self.levels)) > 8 else {}
                words = [short_name(level, 16) for level in self.levels]
                ax.set_xticks(np.arange(len(words)), words, parse_math=False, **turned)
            ax.set_xlabel(short_name(self.name, 40), parse_math=False)
            ax.set_ylabel(f"share in the {short_name(self.label, 34)}", parse_math=False)
        return ax

    def _plot_by_level(self, ax: Any, x: Array) -> None:
        """Give every level of the other column a colour; beyond the colours there are, levels share grey."""
        for place, level in enumerate(self.partner_levels):
            own = self.shades == place
            colour = COLOURS[place] if place < len(COLOURS) - 1 else _UNORDERED
            name = short_name(level, 18) if place < len(COLOURS) - 1 else None
            ax.scatter(x[own], self.values[own], s=16.0, color=colour, label=name, linewidths=0.3, edgecolors=GRID)
        legend = ax.legend(title=short_name(self.partner, 24), fontsize="small", title_fontsize="small")
        for text in [*legend.get_texts(), legend.get_title()]:
            text.set_parse_math(False)


def _colour_bar(ax: Any, drawn: Any, label: str) -> None:
    if not len(drawn.get_offsets()):
        return
    bar = ax.figure.colorbar(drawn, ax=ax, ticks=[0.0, 1.0], aspect=28, pad=0.02)
    bar.ax.set_yticklabels(["low", "high"])
    bar.outline.set_visible(False)
    bar.set_label(short_name(label, 30), parse_math=False)


def _points(ax: Any, x: Array, y: Array, ranks: Array, size: float) -> Any:
    """Draw points coloured by rank, those without one in grey below them."""
    from matplotlib.colors import LinearSegmentedColormap

    ramp = LinearSegmentedColormap.from_list("low to high", [_LOW, _MIDDLE, _HIGH])
    known = np.isfinite(ranks)
    ax.scatter(x[~known], y[~known], s=size, color=_UNORDERED, linewidths=0.3, edgecolors=GRID, zorder=2)
    return ax.scatter(
        x[known],
        y[known],
        s=size,
        c=ranks[known],
        cmap=ramp,
        vmin=0.0,
        vmax=1.0,
        linewidths=0.3,
        edgecolors=GRID,
        zorder=3,
    )


def _one_output(explanation: Explanation) -> None:
    if explanation.values.ndim == 3:
        raise InvalidArgument(
            f"The explanation has {len(explanation.output_names)} outputs and a picture shows one: choose it with "
            f"explanation.of_output({explanation.output_names[0]!r})."
        )


def _label(explanation: Explanation) -> str:
    if explanation.explained == "prediction":
        return "prediction"
    return f"{explanation.explained} of {plain_name(explanation.output_names[0])}"


def _place(explanation: Explanation, column: Any) -> int:
    if column is None:
        return int(np.argmax(np.abs(explanation.values).mean(axis=0)))
    names = list(explanation.feature_names)
    if column in names:
        return names.index(column)
    if isinstance(column, int | np.integer) and -len(names) <= column < len(names):
        return int(column) % len(names)
    raise InvalidArgument(f"column={column!r} is not known: choose one of {names[:20]}, or a place below {len(names)}.")
