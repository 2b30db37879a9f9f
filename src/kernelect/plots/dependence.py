"""How predictions change with one column, the others as they are."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from kernelect.facts.dependence import Dependence
from kernelect.facts.names import short_name
from kernelect.plots.style import COLOURS, QUIET, RecordDisplay, legend_above
from kernelect.typing import Array


class DependenceDisplay(RecordDisplay[Dependence]):
    """Partial dependence on one column: the mean prediction when all rows have the same value in it."""

    inches = (5.2, 3.8)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, column: Any = None, *, random_state: int = 0, ax: Any = None
    ) -> Self:
        """Draw and return the picture of a fitted estimator or pipeline; by default of its most relevant column.

        ``column`` is a name in a DataFrame or a place in an array; :class:`kernelect.facts.Dependence` explains the
        rest.
        """
        return cls(Dependence.from_estimator(estimator, X, column, random_state=random_state)).drawn(ax)

    def _draw(self, ax: Any, colour: str) -> None:
        record = self.record
        if record.levels:
            self._plot_levels(ax, colour)
        else:
            self._plot_lines(ax, colour)
        self._widen(ax)
        ax.set_xlabel(short_name(record.name, 40), parse_math=False)
        ax.set_ylabel(short_name(record.label, 34), parse_math=False)
        if record.outputs:
            legend_above(ax)

    @staticmethod
    def _widen(ax: Any) -> None:
        """Do not let the rounding of a flat line look like a finding."""
        low, high = ax.get_ylim()
        least = 0.02 * max(abs(low), abs(high)) or 1.0
        if high - low < least:
            ax.set_ylim(0.5 * (low + high - least), 0.5 * (low + high + least))
        ax.ticklabel_format(axis="y", useOffset=False)

    def _plot_lines(self, ax: Any, colour: str) -> None:
        record = self.record
        for curve in record.curves:
            ax.plot(record.at, curve, color=QUIET, lw=0.6, alpha=0.35)
        for line, shade, name in self._outputs(colour):
            ax.plot(record.at, line, color=shade, lw=2.0, label=name)
        if np.all(record.at == np.round(record.at)):  # no ticks between whole numbers: 0.2 of a yes is none
            ax.xaxis.get_major_locator().set_params(integer=True)
        within = record.rug[(record.rug >= record.at[0]) & (record.rug <= record.at[-1])]
        ax.plot(within, np.full(len(within), 0.0), "|", color=QUIET, ms=6, mew=0.6, transform=ax.get_xaxis_transform())

    def _plot_levels(self, ax: Any, colour: str) -> None:
        record = self.record
        for curve in record.curves:
            ax.plot(record.at, curve, color=QUIET, lw=0.5, alpha=0.25)
        for line, shade, name in self._outputs(colour):
            ax.plot(record.at, line, "o", color=shade, ms=6, label=name)
        long = max(len(level) for level in record.levels) > 6 and len(record.levels) > 3
        turned = {"rotation": 35, "ha": "right", "rotation_mode": "anchor"} if long else {}
        ax.set_xticks(record.at, [short_name(level, 16) for level in record.levels], parse_math=False, **turned)
        ax.set_xlim(-0.5, len(record.at) - 0.5)

    def _outputs(self, colour: str) -> list[tuple[Array, str, str | None]]:
        record = self.record
        if not record.outputs:
            return [(record.average[0], colour, None)]
        names = [short_name(name, 18) for name in record.outputs]
        return list(zip(record.average, COLOURS, names, strict=False))
