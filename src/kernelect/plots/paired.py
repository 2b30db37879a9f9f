"""Two methods on the same splits, point by point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kernelect.plots.style import COLOURS, QUIET, axes_for


@dataclass(frozen=True, kw_only=True)
class PairedScatterDisplay:
    """Scores of one method against another's on the same splits; below the diagonal, ``y`` is better.

    Attributes
    ----------
    x, y : dict of str to sequence of float
        By data set, in the same order of splits.
    x_label, y_label : str
    """

    x: Mapping[str, Sequence[float]]
    y: Mapping[str, Sequence[float]]
    x_label: str
    y_label: str

    def plot(self, ax: Any = None, title: str = "") -> Any:
        """Draw on ``ax`` (a new one if none is given) and return it."""
        with axes_for(ax, "PairedScatterDisplay.plot", (6.0, 5.6)) as ax:
            everything = np.concatenate([np.ravel(list(v)) for side in (self.x, self.y) for v in side.values()])
            low, high = float(everything.min()), float(everything.max())
            margin = 0.04 * (high - low or 1.0)
            ax.plot([low - margin, high + margin], [low - margin, high + margin], color=QUIET, lw=1.0, ls="--")
            for number, name in enumerate(self.x):
                marker, colour = "osD^v<>"[number // len(COLOURS) % 7], COLOURS[number % len(COLOURS)]
                ax.plot(self.x[name], self.y[name], marker, color=colour, alpha=0.35, ms=4, mew=0)
                ax.plot(np.mean(self.x[name]), np.mean(self.y[name]), marker, color=colour, ms=8, label=name)
            ax.set(xlabel=self.x_label, ylabel=self.y_label, aspect="equal")
            ax.set_title(title)
            ax.legend(fontsize="small", loc="upper left", bbox_to_anchor=(1.01, 1.0))
        return ax
