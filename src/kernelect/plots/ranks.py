"""Mean ranks of methods over data sets, and which of them do not differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kernelect.plots.style import COLOURS, INK, QUIET, house_style
from kernelect.typing import Array


@dataclass(frozen=True)
class CriticalDifferenceDisplay:
    """The diagram of Demsar (2006): methods on a line of mean ranks, bars joining those that do not differ.

    Attributes
    ----------
    labels : tuple of str
    mean_rank : ndarray of shape (n_methods,)
        1 is best.
    critical_difference : float
    groups : list of (int, int)
        First and last method, in the order of rank, of every bar.
    """

    labels: tuple[str, ...]
    mean_rank: Array
    critical_difference: float
    groups: Sequence[tuple[int, int]]

    def plot(self, ax: Any = None, title: str = "") -> Any:
        """Draw on ``ax`` (a new one if none is given) and return it."""
        with house_style("CriticalDifferenceDisplay.plot") as plt:
            k = len(self.labels)
            if ax is None:
                _, ax = plt.subplots(figsize=(8.0, 1.4 + 0.3 * ((k + 1) // 2) + 0.12 * len(self.groups)))
            ax.axis("off")
            bars = 0.25 * len(self.groups) + 0.5
            ax.set(xlim=(1 - 0.55 * (k - 1) - 0.5, k + 0.55 * (k - 1) + 0.5), ylim=(-bars - 0.55 * ((k + 1) // 2), 1.8))
            self._draw_axis(ax, k)
            self._draw_methods(ax, k, bars)
            ranks = np.sort(self.mean_rank)
            for number, (first, last) in enumerate(self.groups):
                ends = [ranks[first] - 0.03, ranks[last] + 0.03]
                ax.plot(ends, [-0.25 * (number + 1)] * 2, color=COLOURS[0], lw=4, solid_capstyle="butt")
            ax.set_title(title)
        return ax

    def _draw_axis(self, ax: Any, k: int) -> None:
        ax.plot([1, k], [0, 0], color=INK, lw=1.2)
        for rank in range(1, k + 1):
            ax.plot([rank, rank], [0, 0.15], color=INK, lw=1.0)
            ax.text(rank, 0.25, str(rank), ha="center", va="bottom", color=QUIET, fontsize="small")
        ax.plot([1, 1 + self.critical_difference], [1.0, 1.0], color=INK, lw=1.6, marker="|", ms=7)
        words = f"critical difference {self.critical_difference:.2f}"
        ax.text(1 + self.critical_difference / 2, 1.12, words, ha="center", va="bottom", fontsize="small")

    def _draw_methods(self, ax: Any, k: int, bars: float) -> None:
        """The better half is named on the left, best on top; the other half on the right."""
        order = np.argsort(self.mean_rank, kind="stable")
        left = (k + 1) // 2
        for position, method in enumerate(order):
            on_left = position < left
            level = -bars - 0.5 * (position if on_left else k - 1 - position)
            end = 1 - 0.1 if on_left else k + 0.1
            rank = float(self.mean_rank[method])
            ax.plot([rank, rank, end], [0, level, level], color=QUIET, lw=0.9)
            text = f"{self.labels[method]}  {rank:.2f}" if on_left else f"{rank:.2f}  {self.labels[method]}"
            ax.text(end - 0.05 if on_left else end + 0.05, level, text, ha="right" if on_left else "left", va="center")
