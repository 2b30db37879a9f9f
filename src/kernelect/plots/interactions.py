"""Which columns act together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from kernelect.explain import Explanation
from kernelect.facts.explanations import Interactions
from kernelect.plots.style import COLOURS, INK, Display, axes_for


@dataclass(frozen=True)
class InteractionsDisplay(Display):
    """The strongest pairs of columns, a bar for each."""

    record: Interactions

    @classmethod
    def from_explanation(cls, explanation: Explanation, *, most: int = 8, ax: Any = None) -> Self:
        """Draw and return the ``most`` strongest pairs; needs ``interactions=True`` in the explanation."""
        return cls(Interactions.of(explanation, most)).drawn(ax)

    def plot(self, ax: Any = None, colour: str = COLOURS[0]) -> Any:
        """Draw a bar for each pair on ``ax`` and return it."""
        record = self.record
        with axes_for(ax, "InteractionsDisplay.plot", (6.4, 1.0 + 0.3 * len(record.pairs))) as ax:
            place = np.arange(len(record.pairs))
            ax.barh(place, record.strength, xerr=2.0 * record.standard_error, color=colour, height=0.72, ecolor=INK)
            ax.set_yticks(place, record.pairs, parse_math=False)
            ax.invert_yaxis()
            ax.xaxis.get_major_locator().set_params(nbins=4)  # small numbers are long
            ax.grid(visible=False, axis="y")
            ax.set_xlabel("mean size of the joint effect", loc="right")  # names may leave the axes little room
        return ax
