"""The criterion around the selected point."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from kernelect.facts.names import short_name
from kernelect.facts.surface import CRITERION_ROWS, Surface
from kernelect.plots.style import COLOURS, INK, QUIET, RecordDisplay

#: Rises in nats at which the shade changes: 1 is noise, 3 is much, beyond 300 nothing is distinguished.
_LEVELS = (0.0, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0)


class SurfaceDisplay(RecordDisplay[Surface]):
    """The criterion over its two most influential parameters, or a curve if only one was selected."""

    inches = (6.4, 4.4)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, max_rows: int = CRITERION_ROWS, size: int = 15, ax: Any = None
    ) -> Self:
        """Draw and return the picture of a fitted kernel machine (or a pipeline around one).

        Parameters
        ----------
        X, y
            What it was fitted on.
        max_rows : int
            Largest number of rows on which the criterion is evaluated. If there are more, rows are taken evenly, and
            the values are those of this smaller problem.
        size : int
            Points along each parameter.
        """
        return cls(Surface.from_estimator(estimator, X, y, max_rows=max_rows, size=size)).drawn(ax)

    def _draw(self, ax: Any, colour: str) -> None:
        record = self.record
        if len(record.names) == 1:
            self._plot_curve(ax, colour)
        else:
            self._plot_surface(ax, colour)
        ax.set_xscale("log")
        for axis in (ax.xaxis, ax.yaxis)[: len(record.names)]:
            axis.set_major_formatter("{x:g}")
            axis.set_minor_formatter("")
        ax.set_xlabel(short_name(record.names[0], 40), parse_math=False)

    def _plot_curve(self, ax: Any, colour: str) -> None:
        record = self.record
        ax.plot(record.at[0], np.where(np.isfinite(record.rise), record.rise, np.nan), color=colour, lw=1.8)
        ax.axvline(float(record.chosen[0]), color=COLOURS[1], lw=1.2, ls="--", label="selected")
        ax.set_ylabel("nats above the lowest point")
        ax.legend()

    def _plot_surface(self, ax: Any, colour: str) -> None:
        record = self.record
        from matplotlib.colors import to_rgba

        # One colour in rising strength reads on white and on black paper alike.
        shades = [to_rgba(colour, alpha) for alpha in np.linspace(0.62, 0.04, len(_LEVELS))]
        rise = np.where(np.isfinite(record.rise), record.rise, 10.0 * _LEVELS[-1])
        ax.contourf(*record.at, rise, levels=_LEVELS, colors=shades[:-1], extend="max")
        lines = ax.contour(*record.at, rise, levels=_LEVELS[1:], colors=QUIET, linewidths=0.5)
        ax.clabel(lines, fmt="%g", fontsize="x-small", colors=INK)
        ax.plot(*record.chosen, "o", color=COLOURS[1], ms=7, mec="white", mew=1.0, label="selected")
        ax.set_yscale("log")
        ax.set_ylabel(short_name(record.names[1], 30), parse_math=False)
        ax.grid(visible=False)
