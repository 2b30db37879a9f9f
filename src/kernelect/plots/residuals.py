"""Observed against predicted values."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from kernelect.facts.outcomes import Residuals
from kernelect.plots.style import COLOURS, QUIET, RecordDisplay

#: Ranges that are drawn; of more, some, evenly along the predictions.
_MOST_RANGES = 250

#: Length of an arrow, as a share of the height.
_ARROW = 0.05


class ResidualsDisplay(RecordDisplay[Residuals]):
    """Observed against predicted values, and the ranges that should hold 90 % of the rows."""

    inches = (5.2, 4.6)

    @classmethod
    def from_predictions(
        cls, y_true: Any, y_pred: Any, *, interval: Any = None, label: str = "predicted", max_points: int = 2000
    ) -> Self:
        """Return the picture of at most ``max_points`` rows; ``interval`` (n, 2) has the ends around predictions."""
        record = Residuals.from_predictions(y_true, y_pred, interval=interval, label=label, max_points=max_points)
        return cls(record)

    @classmethod
    def from_estimator(cls, estimator: Any, y: Any, ax: Any = None) -> Self:
        """Draw and return the picture of exact leave-one-out predictions; ``y`` holds the targets of the fit."""
        return cls(Residuals.from_estimator(estimator, y)).drawn(ax)

    def _draw(self, ax: Any, colour: str) -> None:
        record = self.record
        ends = np.array([record.predicted.min(), record.predicted.max()])
        shown = np.unique(np.linspace(0, len(record.predicted) - 1, _MOST_RANGES).astype(np.intp))
        gap = np.full(len(shown), np.nan)
        heights = np.column_stack([record.lower[shown], record.upper[shown], gap]).ravel()
        ax.plot(np.repeat(record.predicted[shown], 3), heights, color=colour, alpha=0.25, lw=1.0)
        size = 4.0 if len(record.predicted) < 500 else 2.5
        ax.plot(record.predicted, record.observed, "o", color=colour, alpha=0.55, ms=size, mew=0, label="rows")
        ax.plot(ends, ends, color=QUIET, lw=1.0, ls="--", label="perfect")
        self._plot_limits(ax)
        ax.set_xlabel(record.label)
        ax.set_ylabel("observed")

    def _plot_limits(self, ax: Any) -> None:
        """Draw an arrow from the limit of a row to the side on which its target lies."""
        predicted, limit, side = self.record.limited.reshape(-1, 3).T
        low, high = ax.get_ylim()
        length = np.full(len(limit), _ARROW * (high - low))
        for sign, lower in ((-1.0, False), (1.0, True)):
            own = side == sign
            if own.any():
                ax.errorbar(
                    predicted[own],
                    limit[own],
                    yerr=length[own],
                    lolims=lower,
                    uplims=not lower,
                    fmt="none",
                    ecolor=COLOURS[1],
                    elinewidth=0.8,
                    capsize=2.0,
                    alpha=0.7,
                )
