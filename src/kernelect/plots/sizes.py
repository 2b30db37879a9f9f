"""Evidence against the number of basis functions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from kernelect.plots._style import COLOURS, QUIET, house_style
from kernelect.typing import Array


@dataclass(frozen=True)
class SizesDisplay:
    """Ln evidence of the best subset of every size, and the way the search went.

    Attributes
    ----------
    size, evidence : ndarray of shape (n_sizes,)
        The best subset seen of every size, the model without functions first.
    path_size, path_evidence : ndarray of shape (n_steps,)
        Every subset the search passed.
    chosen : int
        Size of the chosen subset.
    """

    size: Array
    evidence: Array
    path_size: Array
    path_evidence: Array
    chosen: int

    @classmethod
    def from_selection(cls, selection: Any) -> Self:
        """Return the record behind the picture."""
        size = np.array([len(model) for model in selection.best_per_size], dtype=float)
        evidence = np.array([-model.value for model in selection.best_per_size])
        chosen = int(size[int(np.argmax(evidence))])
        return cls(size, evidence, selection.trace.size.astype(float), -selection.trace.value, chosen)

    @classmethod
    def from_estimator(cls, estimator: Any, ax: Any = None) -> Self:
        """Return the record of a fitted :class:`kernelect.BasisSearchRegressor`, drawn."""
        display = cls.from_selection(estimator.selection_)
        display.plot(ax)
        return display

    def plot(self, ax: Any = None, colour: str = COLOURS[0]) -> Any:
        """Draw on ``ax`` (a new one if none is given) and return it."""
        with house_style("SizesDisplay.plot") as plt:
            if ax is None:
                _, ax = plt.subplots(figsize=(6.4, 4.0))
            ax.plot(self.path_size, self.path_evidence, ".", color=QUIET, alpha=0.4, ms=4, label="passed")
            ax.plot(self.size, self.evidence, "-", color=colour, lw=1.8, label="best of its size")
            best = float(self.evidence.max())
            ax.plot([self.chosen], [best], "o", color=colour, ms=8, label=f"chosen: {self.chosen} functions")
            ax.set_xlabel("basis functions")
            ax.set_ylabel("ln evidence (larger is better)")
            ax.legend(loc="lower right")
        return ax
