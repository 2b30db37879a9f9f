"""Which classes are taken for which."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from kernelect.facts.names import short_name
from kernelect.facts.numbers import fixed
from kernelect.facts.outcomes import Confusion
from kernelect.plots.style import COLOURS, RecordDisplay

#: Letters for which there is room below the cells, all of the same width.
_LETTERS = 32


class ConfusionDisplay(RecordDisplay[Confusion]):
    """Counts of true against predicted classes."""

    inches = (5.2, 4.6)

    @classmethod
    def from_predictions(cls, y_true: Any, y_pred: Any, *, classes: Any = None, label: str = "predicted") -> Self:
        """Return the picture of labels ``y_true`` and ``y_pred``."""
        return cls(Confusion.from_predictions(y_true, y_pred, classes=classes, label=label))

    @classmethod
    def from_estimator(cls, estimator: Any, y: Any, ax: Any = None) -> Self:
        """Draw and return the picture of exact leave-one-out labels; ``y`` holds the targets of the fit."""
        return cls(Confusion.from_estimator(estimator, y)).drawn(ax)

    def _draw(self, ax: Any, colour: str) -> None:
        record = self.record
        shares = record.counts / np.maximum(record.counts.sum(axis=1, keepdims=True), 1.0)
        for (row, column), count in np.ndenumerate(record.counts):
            shade = colour if row == column else COLOURS[1]
            self._plot_cell(ax, (row, column), int(count), float(shares[row, column]), shade)
        self._label_axes(ax)

    def _plot_cell(self, ax: Any, at: tuple[int, int], count: int, share: float, shade: str) -> None:
        from matplotlib.patches import Rectangle

        row, column = at
        # Weak enough for the number on it to be read on white and on black paper alike.
        strength = 0.06 + 0.5 * share if count else 0.0
        ax.add_patch(Rectangle((column - 0.47, row - 0.47), 0.94, 0.94, fc=shade, alpha=strength, ec="none"))
        few = len(self.record.classes) <= 6
        words = f"{fixed(count, 0)}\n{100 * share:.0f} %" if few and count else fixed(count, 0)
        ax.text(column, row, words, ha="center", va="center", fontsize="medium" if few else "x-small")

    def _label_axes(self, ax: Any) -> None:
        record = self.record
        place = np.arange(len(record.classes))
        long = len(place) * max(len(name) for name in record.classes) > _LETTERS
        turned = {"rotation": 35, "ha": "right", "rotation_mode": "anchor"} if long and len(place) > 2 else {}
        names = [short_name(name, 18) for name in record.classes]
        ax.set_xticks(place, names, parse_math=False, **turned)
        ax.set_yticks(place, names, parse_math=False)
        ax.set_xlim(-0.5, len(place) - 0.5)
        ax.set_ylim(len(place) - 0.5, -0.5)
        ax.grid(visible=False)
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
        ax.set_xlabel(record.label)
        ax.set_ylabel("true")
