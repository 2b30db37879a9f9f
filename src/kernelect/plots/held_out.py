"""Which columns matter on rows that were held out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kernelect.facts.held_out import HeldOutRelevance
from kernelect.facts.names import short_name
from kernelect.plots.style import COLOURS, QUIET, Display, axes_for


@dataclass(frozen=True)
class HeldOutDisplay(Display):
    """How much worse predictions get when a column is shuffled, with two standard errors."""

    record: HeldOutRelevance

    def plot(self, ax: Any = None, colour: str = COLOURS[0]) -> Any:
        """Draw on ``ax`` (a new one if none is given) and return it."""
        record = self.record
        with axes_for(ax, "HeldOutDisplay.plot", (6.4, 1.0 + 0.28 * len(record.names))) as ax:
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
        return ax
