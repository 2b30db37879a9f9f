"""Which columns matter on rows that were held out."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernelect.facts.held_out import HeldOutRelevance
from kernelect.facts.names import short_name
from kernelect.plots.style import QUIET, RecordDisplay


class HeldOutDisplay(RecordDisplay[HeldOutRelevance]):
    """How much worse predictions get when a column is shuffled, with two standard errors."""

    def _size(self) -> tuple[float, float]:
        return 6.4, 1.0 + 0.28 * len(self.record.names)

    def _draw(self, ax: Any, colour: str) -> None:
        record = self.record
        place = np.arange(len(record.names))
        ax.axvline(0.0, color=QUIET, lw=1.0)
        ax.errorbar(
            record.rise,
            place,
            xerr=2.0 * record.standard_error,
            fmt="o",
            color=colour,
            ecolor=colour,
            elinewidth=1.6,
            capsize=3,
            ms=5.0,
        )
        ax.set_yticks(place, [short_name(name) for name in record.names], parse_math=False)
        ax.set_ylim(len(place) - 0.5, -0.5)
        ax.grid(visible=False, axis="y")
        ax.set_xlabel(record.cost)
