"""Evidence against the number of basis functions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from kernelect.exceptions import InvalidArgument
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
        Every subset the search passed; empty where there was no search among subsets.
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
    def from_path(cls, size: Array, evidence: Array) -> Self:
        """Return the record of models of several sizes, the chosen one first."""
        order = np.argsort(size, kind="stable")
        return cls(size[order], evidence[order], size[:0], evidence[:0], int(size[0]))

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any = None, y: Any = None, *, ax: Any = None) -> Self:
        """Return the record of a fitted sparse machine, drawn.

        A :class:`kernelect.BasisSearchRegressor` keeps it; for :class:`kernelect.RVC` and
        :class:`kernelect.RVR` give what they were fitted on.
        """
        if hasattr(estimator.selection_, "best_per_size"):
            display = cls.from_selection(estimator.selection_)
        elif X is None or y is None:
            raise InvalidArgument(f"SizesDisplay of a {type(estimator).__name__} needs X and y: what it was fitted on.")
        else:
            display = cls.from_path(*estimator.evidence_by_size(X, y))
        display.plot(ax)
        return display

    def plot(self, ax: Any = None, colour: str = COLOURS[0]) -> Any:
        """Draw on ``ax`` (a new one if none is given) and return it."""
        with house_style("SizesDisplay.plot") as plt:
            if ax is None:
                _, ax = plt.subplots(figsize=(6.4, 4.0))
            searched = len(self.path_size) > 0
            if searched:
                ax.plot(self.path_size, self.path_evidence, ".", color=QUIET, alpha=0.4, ms=4, label="passed")
            words = "best of its size" if searched else "weakest functions taken away"
            ax.plot(self.size, self.evidence, "-", color=colour, lw=1.8, label=words)
            height = float(self.evidence[self.size == self.chosen].max())
            ax.plot([self.chosen], [height], "o", color=colour, ms=8, label=f"chosen: {self.chosen} functions")
            ax.set_xlabel("basis functions")
            ax.xaxis.get_major_locator().set_params(integer=True)
            ax.set_ylabel("ln evidence (larger is better)")
            ax.legend(loc="lower right")
        return ax
