"""Errors of many trials, one panel per method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from kernelect.exceptions import InvalidArgument
from kernelect.plots.style import COLOURS, INK, house_style
from kernelect.typing import Array


@dataclass(frozen=True)
class ErrorHistogramDisplay:
    """Histogram of each method's errors, like figures 2 to 4 of Gold & Sollich (2003).

    Attributes
    ----------
    edges : ndarray of shape (n_bins + 1,)
    counts : dict of str to ndarray of shape (n_bins,)
        Trials in each bin, by method.
    means : dict of str to float
    """

    edges: Array
    counts: Mapping[str, Array]
    means: Mapping[str, float]

    @classmethod
    def from_errors(cls, errors: Mapping[str, Sequence[float]], *, width: float | None = None) -> Self:
        """Return the record behind the picture: ``errors`` of all trials by method, bins of one ``width``."""
        everything = np.concatenate([np.asarray(values, dtype=float) for values in errors.values()] or [np.zeros(0)])
        if not len(everything):
            raise InvalidArgument("errors is empty: give at least one method with one trial.")
        low, high = float(everything.min()), float(everything.max())
        width = width or _round_width((high - low) / 12.0 or 1.0)
        edges = np.arange(np.floor(low / width), np.ceil(high / width) + 1.5) * width
        counts = {name: np.histogram(values, edges)[0].astype(float) for name, values in errors.items()}
        return cls(edges, counts, {name: float(np.mean(values)) for name, values in errors.items()})

    def plot(self, axes: Any = None, title: str = "", label: str = "test error, %") -> Any:
        """Draw one panel per method, one above the other, and return their axes."""
        with house_style("ErrorHistogramDisplay.plot") as plt:
            if axes is None:
                size = (6.4, 0.8 + 0.85 * len(self.counts))
                _, axes = plt.subplots(len(self.counts), sharex=True, sharey=True, figsize=size, squeeze=False)
            axes = np.ravel(axes)
            for number, (ax, name) in enumerate(zip(axes, self.counts, strict=True)):
                colour = COLOURS[number % len(COLOURS)]
                ax.bar(self.edges[:-1], self.counts[name], np.diff(self.edges), align="edge", color=colour, alpha=0.85)
                ax.axvline(self.means[name], color=INK, lw=1.2, ls="--")
                ax.text(1.0, 0.95, name, transform=ax.transAxes, ha="right", va="top", fontsize="small")
                ax.yaxis.get_major_locator().set_params(integer=True, nbins=2)
            axes[-1].set_xlabel(f"{label} (dashed: mean)")
            axes[0].set_title(title)
        return axes


def _round_width(width: float) -> float:
    """Return 1, 2 or 5 times a power of ten, not less than ``width``."""
    power = 10.0 ** np.floor(np.log10(width))
    return float(next(factor * power for factor in (1.0, 2.0, 5.0, 10.0) if factor * power >= width))
