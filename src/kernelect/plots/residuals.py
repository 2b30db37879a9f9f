"""Observed against predicted values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from kernelect.facts.outcomes import Residuals
from kernelect.plots.style import COLOURS, QUIET, Display, axes_for


@dataclass(frozen=True)
class ResidualsDisplay(Display):
    """Observed against predicted values, and the band of 90 % of the residuals."""

    record: Residuals

    @classmethod
    def from_predictions(cls, y_true: Any, y_pred: Any, *, label: str = "predicted", max_points: int = 2000) -> Self:
        """Return the picture of at most ``max_points`` rows."""
        return cls(Residuals.from_predictions(y_true, y_pred, label=label, max_points=max_points))

    @classmethod
    def from_estimator(cls, estimator: Any, y: Any, ax: Any = None) -> Self:
        """Return the picture of exact leave-one-out predictions, drawn; ``y`` is what was fitted on."""
        return cls(Residuals.from_estimator(estimator, y)).drawn(ax)

    def plot(self, ax: Any = None, colour: str = COLOURS[0]) -> Any:
        """Draw on ``ax`` (a new one if none is given) and return it."""
        record = self.record
        with axes_for(ax, "ResidualsDisplay.plot", (5.2, 4.6)) as ax:
            ends = np.array([record.predicted.min(), record.predicted.max()])
            ax.fill_between(ends, ends + record.lower, ends + record.upper, color=colour, alpha=0.12, lw=0)
            size = 4.0 if len(record.predicted) < 500 else 2.5
            ax.plot(record.predicted, record.observed, "o", color=colour, alpha=0.55, ms=size, mew=0, label="rows")
            ax.plot(ends, ends, color=QUIET, lw=1.0, ls="--", label="perfect")
            ax.set_xlabel(record.label)
            ax.set_ylabel("observed")
        return ax
