"""Which columns act together."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from kernelect.explain import Explanation
from kernelect.facts.explanations import Interactions
from kernelect.plots.style import INK, RecordDisplay


class InteractionsDisplay(RecordDisplay[Interactions]):
    """The strongest pairs of columns, a bar for each."""

    @classmethod
    def from_explanation(cls, explanation: Explanation, *, most: int = 8, ax: Any = None) -> Self:
        """Draw and return the ``most`` strongest pairs; needs ``interactions=True`` in the explanation."""
        return cls(Interactions.of(explanation, most)).drawn(ax)

    def _size(self) -> tuple[float, float]:
        return 6.4, 1.0 + 0.3 * len(self.record.pairs)

    def _draw(self, ax: Any, colour: str) -> None:
        record = self.record
        place = np.arange(len(record.pairs))
        ax.barh(place, record.strength, xerr=2.0 * record.standard_error, color=colour, height=0.72, ecolor=INK)
        ax.set_yticks(place, record.pairs, parse_math=False)
        ax.invert_yaxis()
        ax.xaxis.get_major_locator().set_params(nbins=4)  # small numbers are long
        ax.grid(visible=False, axis="y")
        ax.set_xlabel("mean size of the joint effect", loc="right")  # names may leave the axes little room
