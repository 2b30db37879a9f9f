"""Curves over all thresholds, classes that are found, residuals along predictions, more and more rows."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from kernelect.facts.curves import Curve, Recalls, ResidualTrend
from kernelect.facts.learning import LearningCurve
from kernelect.facts.names import short_name
from kernelect.facts.numbers import fixed
from kernelect.plots.style import COLOURS, INK, QUIET, RecordDisplay


class CurveDisplay(RecordDisplay[Curve]):
    """A curve over all thresholds; the point is the model's own threshold, the dashed line is guessing."""

    inches = (4.6, 4.0)

    def _draw(self, ax: Any, colour: str) -> None:
        record = self.record
        ax.plot([0.0, 100.0], 100.0 * record.guessing, color=QUIET, lw=1.0, ls="--")
        ax.plot(100.0 * record.x, 100.0 * record.y, color=colour, lw=1.8)
        ax.plot(*(100.0 * record.at[:, None]), "o", color=COLOURS[1], ms=7.0)
        ax.set_xlim(-2.0, 102.0)
        ax.set_ylim(-2.0, 102.0)
        ax.set_xlabel(f"% of {short_name(record.x_label, 44)}", parse_math=False)
        ax.set_ylabel(f"% of {short_name(record.y_label, 44)}", parse_math=False)


class RecallsDisplay(RecordDisplay[Recalls]):
    """How much of every class is found, with standard errors; points show how often its label is right."""

    @classmethod
    def from_counts(cls, classes: tuple[str, ...], counts: Any, ax: Any = None) -> Self:
        """Draw and return the picture of a confusion matrix, a row per true class."""
        return cls(Recalls.of(classes, np.asarray(counts, dtype=float))).drawn(ax)

    def _size(self) -> tuple[float, float]:
        return 5.4, 1.2 + 0.34 * len(self.record.classes)

    def _draw(self, ax: Any, colour: str) -> None:
        record = self.record
        place = np.arange(len(record.classes))
        found, error = 100.0 * record.found, 100.0 * record.found_error
        ax.barh(place, found, color=colour, height=0.6, label="found")
        within = np.minimum(error, [found, 100.0 - found])  # no share is below 0 or above 100 %
        ax.errorbar(found, place, xerr=within, fmt="none", color=INK, ecolor=INK, capsize=3)
        ax.plot(100.0 * record.right, place, "o", color=COLOURS[1], ms=6.0, label="right")
        ax.set_yticks(place, [short_name(name, 22) for name in record.classes], parse_math=False)
        ax.set_ylim(len(place) - 0.4, -0.6)
        ax.set_xlim(0.0, 105.0)
        ax.grid(visible=False, axis="y")
        ax.set_xlabel("% of its rows found (bar)\n% of its labels right (point)")


class ResidualTrendDisplay(RecordDisplay[ResidualTrend]):
    """Residuals against predictions, with their median and the band that holds 90 % of them along the predictions."""

    inches = (5.2, 4.0)

    def _draw(self, ax: Any, colour: str) -> None:
        record = self.record
        ax.axhline(0.0, color=QUIET, lw=1.0, ls="--")
        ax.plot(record.predicted, record.residual, "o", color=colour, alpha=0.5, ms=3.5, mew=0)
        for height, width in ((record.lower, 1.0), (record.middle, 2.0), (record.upper, 1.0)):
            ax.plot(record.at, height, color=COLOURS[1], lw=width)
        ax.set_xlabel("predicted")
        ax.set_ylabel("observed minus predicted")


class LearningCurveDisplay(RecordDisplay[LearningCurve]):
    """Leave-one-out loss against the number of rows."""

    inches = (5.2, 3.6)

    @classmethod
    def from_estimator(cls, estimator: Any, *, random_state: int = 0, ax: Any = None) -> Self:
        """Draw and return the picture of a fitted least-squares machine or a mixture."""
        return cls(LearningCurve.from_estimator(estimator, random_state)).drawn(ax)

    def _draw(self, ax: Any, colour: str) -> None:
        record = self.record
        ax.errorbar(record.rows, record.loss, record.standard_error, color=colour, marker="o", ms=4.5, capsize=3)
        ax.set_xscale("log")
        ax.set_xticks(record.rows, [fixed(float(rows), 0) for rows in record.rows])
        ax.set_xticks([], minor=True)
        ax.set_xlabel("rows")
        ax.set_ylabel(f"leave-one-out {record.score}")
