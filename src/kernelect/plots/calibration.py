"""Whether probabilities come true as often as they claim."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from kernelect.facts.names import short_name
from kernelect.facts.outcomes import Calibration
from kernelect.plots.style import QUIET, RecordDisplay


class CalibrationDisplay(RecordDisplay[Calibration]):
    """How often events came true against their predicted probability, bin by bin."""

    inches = (5.2, 4.6)

    @classmethod
    def from_predictions(cls, y_true: Any, probability: Any, *, classes: Any = None) -> Self:
        """Return the picture of labels and probabilities (n, n_classes), columns in the order of ``classes``."""
        return cls(Calibration.from_predictions(y_true, probability, classes=classes))

    @classmethod
    def from_estimator(cls, estimator: Any, y: Any, ax: Any = None) -> Self:
        """Draw and return the picture of exact leave-one-out probabilities; ``y`` holds the targets of the fit."""
        return cls(Calibration.from_estimator(estimator, y)).drawn(ax)

    def _draw(self, ax: Any, colour: str) -> None:
        record = self.record
        ax.bar(record.predicted, 0.2 * record.count / record.count.max(), 0.04, color=QUIET, alpha=0.3, label="rows")
        ax.plot([0, 1], [0, 1], color=QUIET, lw=1.0, ls="--", label="perfect")
        # No share is below 0 or above 1.
        within = np.minimum(record.spread, [record.observed, 1.0 - record.observed])
        ax.errorbar(record.predicted, record.observed, within, color=colour, fmt="-", lw=1.2, elinewidth=0.9)
        # A bin of few rows says little, and should look it.
        size = 12.0 + 60.0 * np.sqrt(record.count / record.count.max())
        ax.scatter(record.predicted, record.observed, size, color=colour, zorder=3)
        for x, count in zip(record.predicted, record.count, strict=True):
            top = 0.2 * count / record.count.max() + 0.012
            ax.text(x, top, f"{count:.0f}", ha="center", fontsize="xx-small", color=QUIET)
        ax.set(xlim=(-0.03, 1.03), ylim=(0.0, 1.05), ylabel="share that came true")
        ax.set_xlabel(short_name(record.label, 44), parse_math=False)
