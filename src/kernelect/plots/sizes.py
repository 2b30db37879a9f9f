"""Evidence against the number of basis functions."""

from __future__ import annotations

from typing import Any, Self

from kernelect.facts.history import Sizes
from kernelect.plots.style import QUIET, RecordDisplay


class SizesDisplay(RecordDisplay[Sizes]):
    """Ln evidence of the best subset of every size, and the path of the search."""

    inches = (6.4, 4.0)

    @classmethod
    def from_selection(cls, selection: Any) -> Self:
        """Return the picture of a search among subsets."""
        return cls(Sizes.from_selection(selection))

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any = None, y: Any = None, *, ax: Any = None) -> Self:
        """Draw and return the picture of a fitted sparse machine.

        A :class:`kernelect.BasisSearchRegressor` keeps the evidence by size; for :class:`kernelect.RVC` and
        :class:`kernelect.RVR`, pass the ``X`` and ``y`` they were fitted on.
        """
        return cls(Sizes.from_estimator(estimator, X, y)).drawn(ax)

    def _draw(self, ax: Any, colour: str) -> None:
        record = self.record
        searched = len(record.path_size) > 0
        if searched:
            ax.plot(record.path_size, record.path_evidence, ".", color=QUIET, alpha=0.4, ms=4, label="visited")
        words = "best of its size" if searched else "weakest functions removed"
        ax.plot(record.size, record.evidence, "-", color=colour, lw=1.8, label=words)
        height = float(record.evidence[record.size == record.chosen].max())
        ax.plot([record.chosen], [height], "o", color=colour, ms=8, label=f"chosen: {record.chosen} functions")
        ax.set_xlabel("basis functions")
        ax.xaxis.get_major_locator().set_params(integer=True)
        ax.set_ylabel("ln evidence (larger is better)")
        ax.legend(loc="lower right")
