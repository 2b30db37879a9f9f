"""The criterion during its search."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from kernelect.facts.history import SearchHistory
from kernelect.facts.sources import require_selection
from kernelect.plots.style import QUIET, RecordDisplay

#: Stages that minimise the criterion without its prior, and are drawn aside.
_ASIDE = "criterion alone"


class TraceDisplay(RecordDisplay[SearchHistory]):
    """Criterion against evaluation, run by run: a dot for every value, a line for the best so far."""

    inches = (6.4, 4.0)

    @classmethod
    def from_selection(cls, selection: Any, label: str | None = None) -> Self:
        """Return the picture of a search among hyper-parameters."""
        return cls(SearchHistory.from_selection(selection, label))

    @classmethod
    def from_estimator(cls, estimator: Any, label: str | None = None, ax: Any = None) -> Self:
        """Draw and return the picture of a fitted estimator."""
        require_selection(estimator)
        return cls.from_selection(estimator.selection_, label).drawn(ax)

    def _draw(self, ax: Any, colour: str) -> None:
        record = self.record
        for number, name in enumerate(record.runs):
            self._plot_run(ax, number, name, colour if name != _ASIDE else QUIET)
        low, high = float(np.nanmin(record.best)), float(np.nanmax(record.best))
        room = 0.12 * (high - low) or 1.0
        # A line search's far leaps are left out, they would flatten the rest.
        ax.set_ylim(low - 0.5 * room, high + 3.5 * room)
        ax.set_xlim(0.5, len(record.value) + 0.5)
        ax.set_xlabel("evaluation")
        ax.set_ylabel(record.label)

    def _plot_run(self, ax: Any, number: int, name: str, colour: str) -> None:
        record = self.record
        at = np.flatnonzero(record.run == number)
        if not len(at):
            return
        ax.plot(at + 1, record.value[at], ".", color=colour, alpha=0.45, ms=5)
        ax.plot(at + 1, record.best[at], "-o" if len(at) == 1 else "-", color=colour, lw=1.8, ms=5)
        if number:
            ax.axvline(at[0] + 0.5, color=QUIET, lw=0.7, ls=":")
        ax.annotate(
            name,
            (at[0] + 0.7, 0.985),
            xycoords=("data", "axes fraction"),
            fontsize=7,
            color=colour,
            rotation=90,
            ha="left",
            va="top",
        )
