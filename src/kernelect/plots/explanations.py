"""Why a row, what matters in a table, how a column acts: pictures of an explanation."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from kernelect.explain import Explanation
from kernelect.facts.explanations import MOST_SHOWN, ShapleyDependence, Swarm, Waterfall
from kernelect.facts.names import short_name
from kernelect.facts.numbers import alike, number
from kernelect.plots.style import COLOURS, GRID, INK, QUIET, RecordDisplay, legend_above
from kernelect.typing import Array

#: Low and high values of a column, and what lies between them; cells without order.
_LOW, _MIDDLE, _HIGH, _UNORDERED = COLOURS[0], "#c9ccd1", COLOURS[1], QUIET

#: Steps from low to high, an odd number.
RAMP_STEPS = 7

#: Inches of axes on which numbers beside the bars of a waterfall are small.
_WIDE = 5.0

#: The outline of a point, so that neighbours can be distinguished.
_OUTLINE = {"linewidths": 0.3, "edgecolors": GRID}


class WaterfallDisplay(RecordDisplay[Waterfall]):
    """From the base value to the prediction of one row, a bar for every column."""

    @classmethod
    def from_explanation(
        cls, explanation: Explanation, row: int = 0, *, most: int = MOST_SHOWN, ax: Any = None
    ) -> Self:
        """Draw and return the picture of a row; all but the ``most`` strongest columns share one bar."""
        return cls(Waterfall.of(explanation, row, most)).drawn(ax)

    def _size(self) -> tuple[float, float]:
        return 6.8, 1.3 + 0.34 * len(self.record.names)

    def plot(self, ax: Any = None, colour: str = COLOURS[0]) -> Any:
        drawn = super().plot(ax, colour)
        if ax is None:  # axes of the caller's own have no room to spare
            base, total = number(self.record.base), number(self.record.total)
            drawn.set_title(f"{base} on average (dashed), {total} for this row")
        return drawn

    def _draw(self, ax: Any, colour: str) -> None:
        record = self.record
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
        wide = ax.get_position().width * ax.figure.get_figwidth() > _WIDE
        room = (0.16 if wide else 0.42) * unit  # for the numbers beside the bars, if there are any
        falls, tips = record.values <= 0, record.starts + record.values
        low = min([ends.min() - 0.08 * unit, *(tips[falls] - room)])
        ax.set_xlim(low, max([ends.max() + 0.08 * unit, *(tips[~falls] + room)]))
        ax.grid(visible=False, axis="y")
        ax.set_xlabel(short_name(record.label, 60), parse_math=False)


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


class BeeswarmDisplay(RecordDisplay[Swarm]):
    """The values of all rows for the columns that matter most: one line per column, coloured by the cells."""

    @classmethod
    def from_explanation(cls, explanation: Explanation, *, most: int = MOST_SHOWN, ax: Any = None) -> Self:
        """Draw and return the picture of all rows and the ``most`` strongest columns."""
        return cls(Swarm.of(explanation, most)).drawn(ax)

    def _size(self) -> tuple[float, float]:
        return 6.8, 1.4 + 0.42 * len(self.record.names)

    def _draw(self, ax: Any, colour: str) -> None:
        record = self.record
        count = len(record.names)
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


class ShapleyDependenceDisplay(RecordDisplay[ShapleyDependence]):
    """A column's values against its cells, coloured by the column it interacts with most."""

    inches = (5.6, 3.8)

    @classmethod
    def from_explanation(cls, explanation: Explanation, column: Any = None, *, ax: Any = None) -> Self:
        """Draw and return the picture of a column (by name or place; by default the strongest one).

        The other column needs ``interactions=True`` in the explanation.
        """
        return cls(ShapleyDependence.of(explanation, column)).drawn(ax)

    def _draw(self, ax: Any, colour: str) -> None:
        record = self.record
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
