"""The criterion along its search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from kernelect.plots._style import COLOURS, QUIET, house_style
from kernelect.results import Selection
from kernelect.typing import Array


@dataclass(frozen=True)
class TraceDisplay:
    """Criterion against evaluation: every value as a dot, the best so far as a line.

    Attributes
    ----------
    evaluation, value, best : ndarray of shape (n_evaluations,)
    stages : ndarray
        Evaluations at which another run (stage, restart, round of a prior) begins.
    label : str
    """

    evaluation: Array
    value: Array
    best: Array
    stages: Array
    label: str

    @classmethod
    def from_selection(cls, selection: Selection, label: str | None = None) -> Self:
        """Return the record behind the picture."""
        trace = selection.trace
        words = {"none": selection.criterion}.get(
            selection.prior, f"{selection.criterion} with {selection.prior} prior"
        )
        return cls(
            evaluation=np.arange(1, len(trace) + 1, dtype=float),
            value=trace.value,
            best=trace.best_so_far(),
            stages=np.flatnonzero(np.diff(trace.run)) + 1.5,
            label=label or words,
        )

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
            finite = np.isfinite(self.value)
            ax.plot(self.evaluation[finite], self.value[finite], ".", color=colour, alpha=0.45, ms=5)
            ax.plot(self.evaluation, self.best, "-", color=colour, lw=1.8, label=self.label)
            for at in self.stages:
                ax.axvline(at, color=QUIET, lw=0.8, ls=":")
            ax.set_xlabel("evaluation")
            ax.set_ylabel("criterion (smaller is better)")
            _leave_out_the_first_leaps(ax, self.value[finite], self.best)
        return ax


def _leave_out_the_first_leaps(ax: Any, value: Array, best: Array) -> None:
    """Limit the ordinate so that a line search's far leaps do not flatten the rest."""
    low, high = float(np.nanmin(best)), float(np.nanmax(best))
    room = 0.08 * (high - low) or 1.0
    bottom, top = ax.get_ylim() if ax.lines[:-1] and len(ax.lines) > 2 else (low - room, high + room)
    ax.set_ylim(min(bottom, low - room), max(min(top, value.max() + room), high + room))
