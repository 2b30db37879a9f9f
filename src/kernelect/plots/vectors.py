"""How good smaller versions of a model are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from kernelect.export import SizeCurve, size_curve
from kernelect.facts.numbers import fixed
from kernelect.plots.style import COLOURS, QUIET, Display, axes_for

#: Factor between two sizes from which both have room for their numbers.
_APART = 1.4


@dataclass(frozen=True)
class SizeCurveDisplay(Display):
    """Leave-one-out loss against the number of vectors; the dashed line is the whole model."""

    record: SizeCurve

    @classmethod
    def from_estimator(cls, estimator: Any, ax: Any = None) -> Self:
        """Draw and return the picture of a fitted model that can be reduced."""
        return cls(size_curve(estimator)).drawn(ax)

    def plot(self, ax: Any = None, colour: str = COLOURS[0]) -> Any:
        """Draw on ``ax`` (a new one if none is given) and return it."""
        record = self.record
        with axes_for(ax, "SizeCurveDisplay.plot", (5.2, 3.6)) as ax:
            ax.axhline(record.loss[-1], color=QUIET, lw=1.0, ls="--")
            ax.errorbar(record.vectors, record.loss, record.standard_error, color=colour, marker="o", ms=4.5, capsize=3)
            ax.set_xscale("log")
            ticks = _apart([float(size) for size in record.vectors])
            ax.set_xticks(ticks, [fixed(size, 0) for size in ticks])
            ax.set_xticks([], minor=True)
            ax.set_xlabel("vectors (the last one: the whole model)")
            ax.set_ylabel(f"leave-one-out {record.score}")
        return ax


def _apart(sizes: list[float]) -> list[float]:
    """Return the sizes whose numbers do not touch each other; the last one always."""
    kept: list[float] = []
    for size in reversed(sizes):
        if not kept or kept[-1] >= _APART * size:
            kept.append(size)
    return kept[::-1]
