"""How much each candidate of a mixture weighs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from kernelect.facts.mixtures import Weights
from kernelect.facts.names import short_name
from kernelect.plots.style import COLOURS, QUIET, Display, axes_for


@dataclass(frozen=True)
class WeightsDisplay(Display):
    """Weights of the candidates, the heaviest first."""

    record: Weights

    @classmethod
    def from_estimator(cls, estimator: Any, ax: Any = None) -> Self:
        """Draw and return the picture of a fitted mixture, or of a pipeline around one."""
        return cls(Weights.from_estimator(estimator)).drawn(ax)

    def plot(self, ax: Any = None, colour: str = COLOURS[0]) -> Any:
        """Draw a bar for each candidate on ``ax`` and return it."""
        names, weight = self.record.names, self.record.weight
        with axes_for(ax, "WeightsDisplay.plot", (6.4, 1.0 + 0.24 * len(names))) as ax:
            place = np.arange(len(names))
            ax.barh(place, 100.0 * weight, color=colour, height=0.72)
            ax.axvline(100.0 / len(names), color=QUIET, lw=1.0, ls="--", label="equal weights")
            ax.set_yticks(place, [short_name(name, 36) for name in names], parse_math=False)
            ax.invert_yaxis()
            ax.grid(visible=False, axis="y")
            ax.set_xlabel("weight, %")
        return ax
