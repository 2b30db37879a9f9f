"""Why a row, what matters in a table, how a column acts: pictures of an explanation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from kernelect.explain import Explanation
from kernelect.facts.explanations import MOST_SHOWN, ShapleyDependence, Swarm, Waterfall
from kernelect.facts.names import short_name
from kernelect.facts.numbers import alike, number
from kernelect.plots.style import COLOURS, GRID, INK, QUIET, Display, axes_for, legend_above
from kernelect.typing import Array

#: Low and high values of a column, and what lies between them; cells without order.
_LOW, _MIDDLE, _HIGH, _UNORDERED = COLOURS[0], "#c9ccd1", COLOURS[1], QUIET

#: Steps from low to high, an odd number.
RAMP_STEPS = 7

#: The outline of a point, so that neighbours can be distinguished.
_OUTLINE = {"linewidths": 0.3, "edgecolors": GRID}


@dataclass(frozen=True)
class WaterfallDisplay(Display):
    """From the base value to the prediction of one row, a bar for every column."""

    record: Waterfall

    @classmethod
    def from_explanation(
        cls, explanation: Explanation, row: int = 0, *, most: int = MOST_SHOWN, ax: Any = None
    ) -> Self:
        """Draw and return the picture of a row; all but the ``most`` strongest columns share one bar."""
        return cls(Waterfall.of(explanation, row, most)).drawn(ax)

    def plot(self, ax: Any = None) -> Any:
        """Draw on ``ax`` (a new one if none is given) and return it."""
        record, given = self.record, ax is not None
        with axes_for(ax, "WaterfallDisplay.plot", (6.8, 1.3 + 0.34 * len(record.names))) as ax:
            place = np.arange(len(record.names))
            colours = [_HIGH if value > 0 else _LOW for value in record.values]
            ax.barh(place, record.values, left=record.starts, color=colours, height=0.62)
            words = alike(record.values.tolist(), sign=True)
            for at, start, value in zip(place.tolist(), record.starts, record.values, strict=True):
                ax.plot([start + value] * 2, [at - 0.31, at + 1.31], color=QUIET, lw=0.8)
                _annotate(ax, words[at], (float(start + value), at), right=value > 0)
            ax.axvline(record.base, color=QUIET, lw=1.0, ls="--", zorder=0)
            ax.axvline(record.total, color=INK, lw=1.0, zorder=0)
            ax.set_yticks(place, record.names, parse_math=False)
            ax.set_ylim(len(record.names) - 0.4, -0.6)
            ends = np.concatenate([record.starts, [record.total]])
            unit = np.ptp(ends) or 1.0
            room = (0.42 if given else 0.16) * unit  # for the numbers beside the bars, if there are any
            falls, tips = record.values <= 0, record.starts + record.values
            low = min([ends.min() - 0.08 * unit, *(tips[falls] - room)])
            ax.set_xlim(low, max([ends.max() + 0.08 * unit, *(tips[~falls] + room)]))
            ax.grid(visible=False, axis="y")
            ax.set_xlabel(short_name(record.label, 60), parse_math=False)
            if not given:  # axes of the caller's own have no room to spare
                ax.set_title(f"{number(record.base)} on average (dashed), {number(record.total)} for this row")
        return ax


def _annotate(ax: Any, words: str, tip: tuple[float, float], *, right: bool) -> None:
    ax.annotate(
        words,
        tip,
        (4 if right else -4, 0),
        textcoords="offset points",
        ha="left" if right else "right",
        va="center",
        fontsize="small",
        bbox={"fc": "white", "ec": "none", "pad": 0.6},  # over the lines of base and total
    )


@dataclass(frozen=True)
class BeeswarmDisplay(Display):
    """The values of all rows for the columns that matter most: one line per column, coloured by the cells."""

    record: Swarm

    @classmethod
    def from_explanation(cls, explanation: Explanation, *, most: int = MOST_SHOWN, ax: Any = None) -> Self:
        """Draw and return the picture of all rows and the ``most`` strongest columns."""
        return cls(Swarm.of(explanation, most)).drawn(ax)

    def plot(self, ax: Any = None) -> Any:
        """Draw on ``ax`` (a new one if none is given) and return it."""
        record = self.record
        count = len(record.names)
        with axes_for(ax, "BeeswarmDisplay.plot", (6.8, 1.4 + 0.42 * count)) as ax:
            ax.axvline(0.0, color=QUIET, lw=1.0, zorder=1)
            size = float(np.clip(2000.0 / len(record.values), 5.0, 22.0))
            x, y = record.values, np.arange(count) + 0.38 * record.heights
            drawn = _points(ax, x.ravel(), y.ravel(), record.ranks.ravel(), size)
            _colour_bar(ax, drawn, "value of the column")
            ax.set_yticks(np.arange(count), [short_name(name) for name in record.names], parse_math=False)
            ax.set_ylim(count - 0.5, -0.5)
            ax.grid(visible=False, axis="y")
            shown = "" if count == record.n_columns else f"\n(the {count} strongest of {record.n_columns})"
            ax.set_xlabel(f"share in the {short_name(record.label, 40)}{shown}", parse_math=False)
        return ax


@dataclass(frozen=True)
class ShapleyDependenceDisplay(Display):
    """A column's values against its cells, coloured by the column it interacts with most."""

    record: ShapleyDependence

    @classmethod
    def from_explanation(cls, explanation: Explanation, column: Any = None, *, ax: Any = None) -> Self:
        """Draw and return the picture of a column (by name or place; by default the strongest one).

        The other column needs ``interactions=True`` in the explanation.
        """
        return cls(ShapleyDependence.of(explanation, column)).drawn(ax)

    def plot(self, ax: Any = None) -> Any:
        """Draw on ``ax`` (a new one if none is given) and return it."""
        record = self.record
        with axes_for(ax, "ShapleyDependenceDisplay.plot", (5.6, 3.8)) as ax:
            ax.axhline(0.0, color=QUIET, lw=1.0, zorder=1)
            x = record.at + 0.22 * record.heights
            if record.partner_levels:
                self._plot_by_level(ax, x)
            else:
                _colour_bar(ax, _points(ax, x, record.values, record.shades, 16.0), record.partner)
            if record.levels:
                turned = {"rotation": 30, "ha": "right"} if max(map(len, record.levels)) > 8 else {}
                words = [short_name(level, 16) for level in record.levels]
                ax.set_xticks(np.arange(len(words)), words, parse_math=False, **turned)
            ax.set_xlabel(short_name(record.name, 40), parse_math=False)
            ax.set_ylabel(f"share in the {short_name(record.label, 34)}", parse_math=False)
        return ax

    def _plot_by_level(self, ax: Any, x: Array) -> None:
        """Give every level of the other column a colour; beyond the colours there are, levels share grey."""
        record = self.record
        for place, level in enumerate(record.partner_levels):
            own, coloured = record.shades == place, place < len(COLOURS) - 1
            colour, name = (COLOURS[place], short_name(level, 18)) if coloured else (_UNORDERED, None)
            ax.scatter(x[own], record.values[own], s=16.0, color=colour, label=name, **_OUTLINE)
        legend_above(ax, short_name(record.partner, 24))


def ramp_colours() -> dict[str, tuple[str, str, float]]:
    """Return the colours from low to high, each with the two that it is mixed of and the share of the second one."""
    from matplotlib.colors import LinearSegmentedColormap, to_hex

    smooth = LinearSegmentedColormap.from_list("low to high", [_LOW, _MIDDLE, _HIGH])
    out = {}
    for step in range(RAMP_STEPS):
        at = step / (RAMP_STEPS - 1)
        ends = (_LOW, _MIDDLE, 2 * at) if at <= 0.5 else (_MIDDLE, _HIGH, 2 * at - 1)
        out[str(to_hex(smooth(at)))] = ends
    return out


def _points(ax: Any, x: Array, y: Array, ranks: Array, size: float) -> Any:
    """Draw points coloured by rank, those without one in grey below them."""
    from matplotlib.colors import ListedColormap

    ramp = ListedColormap(list(ramp_colours()))
    known = np.isfinite(ranks)
    ax.scatter(x[~known], y[~known], s=size, color=_UNORDERED, zorder=2, **_OUTLINE)
    colours = {"c": ranks[known], "cmap": ramp, "vmin": 0.0, "vmax": 1.0}
    return ax.scatter(x[known], y[known], s=size, zorder=3, **colours, **_OUTLINE)


def _colour_bar(ax: Any, drawn: Any, label: str) -> None:
    if not len(drawn.get_offsets()):
        return
    bar = ax.figure.colorbar(drawn, ax=ax, ticks=[0.0, 1.0], aspect=28, pad=0.02)
    bar.ax.set_yticklabels(["low", "high"])
    bar.outline.set_visible(False)
    bar.set_label(short_name(label, 30), parse_math=False)
