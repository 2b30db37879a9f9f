"""Which columns matter."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from kernelect.facts.names import short_name
from kernelect.facts.numbers import percent
from kernelect.facts.relevance import Relevance
from kernelect.plots.style import COLOURS, QUIET, RecordDisplay, axes_for

_MOST_SHOWN = 30


class RelevanceDisplay(RecordDisplay[Relevance]):
    """Relevance of the columns, largest first."""

    @classmethod
    def from_values(cls, relevance: Any, names: Any = None) -> Self:
        """Return the picture of given shares."""
        return cls(Relevance.from_values(relevance, names))

    @classmethod
    def from_estimator(cls, estimator: Any, ax: Any = None) -> Self:
        """Draw and return the picture of a fitted estimator or pipeline; a pipeline's by columns of its table."""
        return cls(Relevance.from_estimator(estimator)).drawn(ax)

    def plot(self, ax: Any = None, colour: str = COLOURS[0], most: int = _MOST_SHOWN) -> Any:
        """Draw bars for the ``most`` relevant columns on ``ax`` and return it."""
        with axes_for(ax, "RelevanceDisplay.plot", (6.4, 1.0 + 0.24 * len(self.record.names[:most]))) as ax:
            self._draw(ax, colour, most)
        return ax

    def _draw(self, ax: Any, colour: str, most: int = _MOST_SHOWN) -> None:
        record = self.record
        names, values = record.names[:most], record.relevance[:most]
        place = np.arange(len(names))
        bars = ax.barh(place, 100.0 * values, color=colour, height=0.72)
        if record.n_inputs > len(record.relevance) == len(bars):
            self._set_apart(ax, bars[-1])
        ax.axvline(100.0 / record.n_inputs, color=QUIET, lw=1.0, ls="--", label="equal shares")
        ax.set_yticks(place, [short_name(name) for name in names], parse_math=False)
        ax.invert_yaxis()
        ax.grid(visible=False, axis="y")
        ax.set_xlabel("share of the relevance, %")
        if len(record.names) > most:
            ax.annotate(f"and {len(record.names) - most} more", (0.98, 0.02), xycoords="axes fraction", ha="right")

    def _set_apart(self, ax: Any, rest: Any) -> None:
        """Draw the bar of all others faintly, and do not let it dwarf the single ones."""
        record = self.record
        rest.set(color=QUIET, alpha=0.35)
        ax.set_xlim(0.0, 115.0 * float(record.relevance[:-1].max()))
        share, middle = percent(record.relevance[-1]), rest.get_y() + 0.5 * rest.get_height()
        ax.annotate(share, (0.0, middle), (5, 0), textcoords="offset points", va="center", fontsize="small")
