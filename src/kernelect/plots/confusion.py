"""Which classes are taken for which."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from kernelect.plots._leave_one_out import left_out_labels
from kernelect.plots._names import plain_name, short_name, told_apart
from kernelect.plots._sources import machine_of
from kernelect.plots._style import COLOURS, house_style
from kernelect.typing import Array

#: Classes with a row of their own; the smaller ones share one.
_MOST_CLASSES = 12

_REST = "other classes"


@dataclass(frozen=True)
class ConfusionDisplay:
    """Counts of true against predicted classes.

    Attributes
    ----------
    classes : tuple of str
    counts : ndarray of shape (n_classes, n_classes)
        A row per true class.
    label : str
        Where the predictions come from.
    """

    classes: tuple[str, ...]
    counts: Array
    label: str

    @classmethod
    def from_predictions(cls, y_true: Any, y_pred: Any, *, classes: Any = None, label: str = "predicted") -> Self:
        """Return the record of labels ``y_true`` and ``y_pred``; of many classes the smallest are put together."""
        y_true, y_pred = np.asarray(y_true), np.asarray(y_pred)
        classes = np.unique(np.concatenate([y_true, y_pred])) if classes is None else np.asarray(classes)
        place = {value: index for index, value in enumerate(classes.tolist())}
        counts = np.zeros((len(classes), len(classes)))
        pairs = ([place[value] for value in labels.tolist()] for labels in (y_true, y_pred))
        np.add.at(counts, tuple(pairs), 1.0)
        return cls(tuple(told_apart([plain_name(value) for value in classes])), counts, label)._gathered()

    @classmethod
    def from_estimator(cls, estimator: Any, y: Any, ax: Any = None) -> Self:
        """Return the record of exact leave-one-out labels, drawn; ``y`` is what it was fitted on."""
        classes = machine_of(estimator).classes_
        display = cls.from_predictions(y, left_out_labels(estimator), classes=classes, label="predicted, leave-one-out")
        display.plot(ax)
        return display

    def _gathered(self) -> Self:
        if len(self.classes) <= _MOST_CLASSES:
            return self
        largest = np.sort(np.argsort(-self.counts.sum(axis=1), kind="stable")[: _MOST_CLASSES - 1])
        group = np.full(len(self.classes), len(largest))
        group[largest] = np.arange(len(largest))
        member = np.eye(len(largest) + 1)[group]  # (n_classes, n_groups)
        names = (*(self.classes[index] for index in largest), _REST)
        return type(self)(names, member.T @ self.counts @ member, self.label)

    def plot(self, ax: Any = None, colour: str = COLOURS[0]) -> Any:
        """Draw on ``ax`` (a new one if none is given) and return it: right in one colour, wrong in another."""
        with house_style("ConfusionDisplay.plot") as plt:
            if ax is None:
                _, ax = plt.subplots(figsize=(5.2, 4.6))
            shares = self.counts / np.maximum(self.counts.sum(axis=1, keepdims=True), 1.0)
            for (row, column), count in np.ndenumerate(self.counts):
                shade = colour if row == column else COLOURS[1]
                self._plot_cell(ax, plt, (row, column), int(count), float(shares[row, column]), shade)
            self._label_axes(ax)
        return ax

    def _plot_cell(self, ax: Any, plt: Any, at: tuple[int, int], count: int, share: float, shade: str) -> None:
        row, column = at
        # Weak enough for the number on it to be read on white and on black paper alike.
        strength = 0.06 + 0.5 * share if count else 0.0
        ax.add_patch(plt.Rectangle((column - 0.47, row - 0.47), 0.94, 0.94, fc=shade, alpha=strength, ec="none"))
        few = len(self.classes) <= 6
        words = f"{count}\n{100 * share:.0f} %" if few and count else f"{count}"
        ax.text(column, row, words, ha="center", va="center", fontsize="medium" if few else "x-small")

    def _label_axes(self, ax: Any) -> None:
        place = np.arange(len(self.classes))
        long = max(len(name) for name in self.classes) > 8 or len(place) > 6
        turned = {"rotation": 35, "ha": "right", "rotation_mode": "anchor"} if long and len(place) > 2 else {}
        names = [short_name(name, 18) for name in self.classes]
        ax.set_xticks(place, names, parse_math=False, **turned)
        ax.set_yticks(place, names, parse_math=False)
        ax.set_xlim(-0.5, len(place) - 0.5)
        ax.set_ylim(len(place) - 0.5, -0.5)
        ax.grid(visible=False)
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
        ax.set_xlabel(self.label)
        ax.set_ylabel("true")
