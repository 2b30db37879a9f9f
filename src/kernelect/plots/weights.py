"""How much each candidate of a mixture weighs."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from kernelect.facts.mixtures import Weights
from kernelect.facts.names import short_name
from kernelect.plots.style import QUIET, RecordDisplay


class WeightsDisplay(RecordDisplay[Weights]):
    """Weights of the candidates, the heaviest first."""

    @classmethod
    def from_estimator(cls, estimator: Any, ax: Any = None) -> Self:
        """Draw and return the picture of a fitted mixture, or of a pipeline around one."""
        return cls(Weights.from_estimator(estimator)).drawn(ax)

    def _size(self) -> tuple[float, float]:
        return 6.4, 1.0 + 0.24 * len(self.record.names)

    def _draw(self, ax: Any, colour: str) -> None:
        names, weight = self.record.names, self.record.weight
        place = np.arange(len(names))
        ax.barh(place, 100.0 * weight, color=colour, height=0.72)
        ax.axvline(100.0 / len(names), color=QUIET, lw=1.0, ls="--", label="equal weights")
        ax.set_yticks(place, [short_name(name, 36) for name in names], parse_math=False)
        ax.invert_yaxis()
        ax.grid(visible=False, axis="y")
        ax.set_xlabel("weight, %")
