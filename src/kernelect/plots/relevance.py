"""Which inputs matter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from kernelect.plots._names import plain_name, short_name
from kernelect.plots._sources import relevance_by_column
from kernelect.plots._style import COLOURS, QUIET, house_style
from kernelect.typing import Array

_MOST_SHOWN = 30


@dataclass(frozen=True)
class RelevanceDisplay:
    """Relevance of the inputs, largest first; the shares of all inputs sum to 1.

    Attributes
    ----------
    names : tuple of str
    relevance : ndarray of shape (n_features,)
    n_inputs : int
        More than there are names where the least relevant were put together.
    """

    names: tuple[str, ...]
    relevance: Array
    n_inputs: int

    @classmethod
    def from_values(cls, relevance: Array, names: Any = None) -> Self:
        """Return the record, sorted."""
        order = np.argsort(relevance, kind="stable")[::-1]
        words = [f"x{j}" for j in range(len(relevance))] if names is None else [plain_name(name) for name in names]
        return cls(tuple(words[j] for j in order), np.asarray(relevance, dtype=float)[order], len(relevance))

    @classmethod
    def from_estimator(cls, estimator: Any, ax: Any = None) -> Self:
        """Return the record of a fitted estimator or pipeline, drawn; a pipeline's by columns of its table."""
        names, relevance = relevance_by_column(estimator)
        display = cls.from_values(relevance, names)
        display.plot(ax)
        return display

    def gathered(self, most: int) -> Self:
        """Return the record of the ``most`` relevant inputs and one entry for all others."""
        if len(self.names) <= most + 1:
            return self
        rest = f"{len(self.names) - most} others together"
        relevance = np.append(self.relevance[:most], self.relevance[most:].sum())
        return type(self)((*self.names[:most], rest), relevance, self.n_inputs)

    def plot(self, ax: Any = None, colour: str = COLOURS[0], most: int = _MOST_SHOWN) -> Any:
        """Draw bars for the ``most`` relevant inputs on ``ax`` and return it."""
        names, values = self.names[:most], self.relevance[:most]
        with house_style("RelevanceDisplay.plot") as plt:
            if ax is None:
                _, ax = plt.subplots(figsize=(6.4, 1.0 + 0.24 * len(names)))
            place = np.arange(len(names))
            bars = ax.barh(place, 100.0 * values, color=colour, height=0.72)
            if self.n_inputs > len(self.relevance) == len(bars):
                self._set_apart(ax, bars[-1])
            ax.axvline(100.0 / self.n_inputs, color=QUIET, lw=1.0, ls="--", label="all alike")
            ax.set_yticks(place, [short_name(name) for name in names], parse_math=False)
            ax.invert_yaxis()
            ax.grid(visible=False, axis="y")
            ax.set_xlabel("relevance, % of all inputs")
            if len(self.names) > most:
                ax.annotate(f"and {len(self.names) - most} more", (0.98, 0.02), xycoords="axes fraction", ha="right")
        return ax

    def _set_apart(self, ax: Any, rest: Any) -> None:
        """Draw the bar of all others faintly, and do not let it dwarf the single ones."""
        rest.set(color=QUIET, alpha=0.35)
        ax.set_xlim(0.0, 115.0 * float(self.relevance[:-1].max()))
        share, middle = f"{100.0 * self.relevance[-1]:.1f} %", rest.get_y() + 0.5 * rest.get_height()
        ax.annotate(share, (0.0, middle), (5, 0), textcoords="offset points", va="center", fontsize="small")
