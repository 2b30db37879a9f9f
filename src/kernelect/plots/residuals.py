"""Observed against predicted values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from kernelect.plots._leave_one_out import left_out_values
from kernelect.plots._style import COLOURS, QUIET, house_style
from kernelect.typing import Array

#: Share of the residuals between the two edges of the band.
_SHARE = 0.9


@dataclass(frozen=True)
class ResidualsDisplay:
    """Observed against predicted, and between which residuals 90 % of the rows lie.

    Attributes
    ----------
    predicted, observed : ndarray of shape (n,)
    lower, upper : float
        The 5 % and 95 % quantile of observed minus predicted.
    rmse : float
    label : str
        Where the predictions come from.
    """

    predicted: Array
    observed: Array
    lower: float
    upper: float
    rmse: float
    label: str

    @classmethod
    def from_predictions(cls, y_true: Any, y_pred: Any, *, label: str = "predicted", max_points: int = 2000) -> Self:
        """Return the record; of more than ``max_points`` rows, that many are kept, evenly along the predictions."""
        observed, predicted = np.asarray(y_true, dtype=float), np.asarray(y_pred, dtype=float)
        residuals = observed - predicted
        lower, upper = np.quantile(residuals, [0.5 - 0.5 * _SHARE, 0.5 + 0.5 * _SHARE])
        rmse = float(np.sqrt(np.mean(residuals**2)))
        kept = np.argsort(predicted, kind="stable")
        kept = kept[np.linspace(0, len(kept) - 1, min(max_points, len(kept))).astype(np.intp)]
        return cls(predicted[kept], observed[kept], float(lower), float(upper), rmse, label)

    @classmethod
    def from_estimator(cls, estimator: Any, y: Any, ax: Any = None) -> Self:
        """Return the record of exact leave-one-out predictions, drawn; ``y`` is what it was fitted on."""
        display = cls.from_predictions(y, left_out_values(estimator), label="predicted, leave-one-out")
        display.plot(ax)
        return display

    def plot(self, ax: Any = None, colour: str = COLOURS[0]) -> Any:
        """Draw on ``ax`` (a new one if none is given) and return it."""
        with house_style("ResidualsDisplay.plot") as plt:
            if ax is None:
                _, ax = plt.subplots(figsize=(5.2, 4.6))
            ends = np.array([self.predicted.min(), self.predicted.max()])
            ax.fill_between(ends, ends + self.lower, ends + self.upper, color=colour, alpha=0.12, lw=0)
            size = 4.0 if len(self.predicted) < 500 else 2.5
            ax.plot(self.predicted, self.observed, "o", color=colour, alpha=0.55, ms=size, mew=0, label="rows")
            ax.plot(ends, ends, color=QUIET, lw=1.0, ls="--", label="perfect")
            ax.set_xlabel(self.label)
            ax.set_ylabel("observed")
        return ax
