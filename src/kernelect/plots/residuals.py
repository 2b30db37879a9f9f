"""Observed against predicted values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from kernelect.facts.outcomes import Residuals
from kernelect.plots.style import COLOURS, QUIET, Display, axes_for

#: Ranges that are drawn; of more, some, evenly along the predictions.
_MOST_RANGES = 250


@dataclass(frozen=True)
class ResidualsDisplay(Display):
    """Observed against predicted values, and the ranges that should hold 90 % of the rows."""

    record: Residuals

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

    def plot(self, ax: Any = None, colour: str = COLOURS[0]) -> Any:
        """Draw on ``ax`` (a new one if none is given) and return it."""
        record = self.record
        with axes_for(ax, "ResidualsDisplay.plot", (5.2, 4.6)) as ax:
            ends = np.array([record.predicted.min(), record.predicted.max()])
            shown = np.unique(np.linspace(0, len(record.predicted) - 1, _MOST_RANGES).astype(np.intp))
            gap = np.full(len(shown), np.nan)
            heights = np.column_stack([record.lower[shown], record.upper[shown], gap]).ravel()
            ax.plot(np.repeat(record.predicted[shown], 3), heights, color=colour, alpha=0.25, lw=1.0)
            size = 4.0 if len(record.predicted) < 500 else 2.5
            ax.plot(record.predicted, record.observed, "o", color=colour, alpha=0.55, ms=size, mew=0, label="rows")
            ax.plot(ends, ends, color=QUIET, lw=1.0, ls="--", label="perfect")
            ax.set_xlabel(record.label)
            ax.set_ylabel("observed")
        return ax
