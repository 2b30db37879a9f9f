"""The criterion along its search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from kernelect.plots._names import selection_words
from kernelect.plots._style import COLOURS, QUIET, house_style
from kernelect.results import Selection
from kernelect.typing import Array

#: Stages that minimise the criterion without its prior, and are drawn aside.
_ASIDE = "criterion alone"


@dataclass(frozen=True)
class TraceDisplay:
    """Criterion against evaluation, run by run: every value a dot, the best so far a line.

    Attributes
    ----------
    value, best, run : ndarray of shape (n_evaluations,)
    runs : tuple of str
        What each run was.
    label : str
    """

    value: Array
    best: Array
    run: Array
    runs: tuple[str, ...]
    label: str

    @classmethod
    def from_selection(cls, selection: Selection, label: str | None = None) -> Self:
        """Return the record behind the picture."""
        trace = selection.trace
        return cls(trace.value, trace.best_so_far(), trace.run, selection.runs, label or selection_words(selection))

    @classmethod
    def from_estimator(cls, estimator: Any, label: str | None = None, ax: Any = None) -> Self:
        """Return the record of a fitted estimator, drawn."""
        display = cls.from_selection(estimator.selection_, label)
        display.plot(ax)
        return display

    def plot(self, ax: Any = None, colour: str = COLOURS[0]) -> Any:
        """Draw on ``ax`` (a new one if none is given) and return it."""
        with house_style("TraceDisplay.plot") as plt:
            if ax is None:
                _, ax = plt.subplots(figsize=(6.4, 4.0))
            for number, name in enumerate(self.runs):
                self._plot_run(ax, number, name, colour if name != _ASIDE else QUIET)
            low, high = float(np.nanmin(self.best)), float(np.nanmax(self.best))
            room = 0.12 * (high - low) or 1.0
            # A line search's far leaps are left out, they would flatten the rest.
            ax.set_ylim(low - 0.5 * room, high + 3.5 * room)
            ax.set_xlim(0.5, len(self.value) + 0.5)
            ax.set_xlabel("evaluation")
            ax.set_ylabel(self.label)
        return ax

    def _plot_run(self, ax: Any, number: int, name: str, colour: str) -> None:
        at = np.flatnonzero(self.run == number)
        if not len(at):
            return
        ax.plot(at + 1, self.value[at], ".", color=colour, alpha=0.45, ms=5)
        ax.plot(at + 1, self.best[at], "-o" if len(at) == 1 else "-", color=colour, lw=1.8, ms=5)
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
