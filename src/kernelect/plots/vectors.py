"""How good smaller versions of a model are."""

from __future__ import annotations

from typing import Any, Self

from kernelect.export import SizeCurve, size_curve
from kernelect.facts.numbers import fixed
from kernelect.plots.style import QUIET, RecordDisplay

#: Factor between two sizes from which both have room for their numbers.
_APART = 1.4


class SizeCurveDisplay(RecordDisplay[SizeCurve]):
    """Leave-one-out loss against the number of vectors; the dashed line is the whole model."""

    inches = (5.2, 3.6)

    @classmethod
    def from_estimator(cls, estimator: Any, ax: Any = None) -> Self:
        """Draw and return the picture of a fitted model that can be reduced."""
        return cls(size_curve(estimator)).drawn(ax)

    def _draw(self, ax: Any, colour: str) -> None:
        record = self.record
        ax.axhline(record.loss[-1], color=QUIET, lw=1.0, ls="--")
        ax.errorbar(record.vectors, record.loss, record.standard_error, color=colour, marker="o", ms=4.5, capsize=3)
        ax.set_xscale("log")
        ticks = _apart([float(size) for size in record.vectors])
        ax.set_xticks(ticks, [fixed(size, 0) for size in ticks])
        ax.set_xticks([], minor=True)
        ax.set_xlabel("vectors (the last one: the whole model)")
        ax.set_ylabel(f"leave-one-out {record.score}")


def _apart(sizes: list[float]) -> list[float]:
    """Return the sizes whose numbers do not touch each other; the last one always."""
    kept: list[float] = []
    for size in reversed(sizes):
        if not kept or kept[-1] >= _APART * size:
            kept.append(size)
    return kept[::-1]
