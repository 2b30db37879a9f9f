"""Whether probabilities mean what they say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from kernelect.plots._leave_one_out import left_out_probabilities
from kernelect.plots._names import plain_name, short_name
from kernelect.plots._sources import machine_of
from kernelect.plots._style import COLOURS, QUIET, house_style
from kernelect.typing import Array, Mask

_BINS = 10


@dataclass(frozen=True)
class CalibrationDisplay:
    """How often what was given a probability came true, bin by bin.

    Two classes: the probability of the second one. More: that of the predicted class.

    Attributes
    ----------
    predicted, observed : ndarray of shape (n_bins,)
        Mean probability and share that came true, of the bins that hold a row.
    count : ndarray of shape (n_bins,)
    brier : float
        Mean squared distance between probabilities and what happened, summed over classes (twice
        that of the second class alone, where there are two).
    ece : float
        Expected calibration error: mean distance between the two, weighted by ``count``.
    chance : float
        What ``ece`` would be on average if the probabilities were perfect.
    label : str
    """

    predicted: Array
    observed: Array
    count: Array
    brier: float
    ece: float
    chance: float
    label: str

    @classmethod
    def from_predictions(cls, y_true: Any, probability: Any, *, classes: Any = None) -> Self:
        """Return the record of labels and probabilities (n, n_classes), columns in the order of ``classes``."""
        y_true, probability = np.asarray(y_true), np.asarray(probability, dtype=float)
        classes = np.unique(y_true) if classes is None else np.asarray(classes)
        came_true = y_true[:, None] == classes
        squares = ((probability - came_true) ** 2).sum(axis=1)
        if len(classes) == 2:
            label = f"probability of {plain_name(classes[1])}"
            return cls._binned(probability[:, 1], came_true[:, 1], float(squares.mean()), label)
        rows, top = np.arange(len(y_true)), probability.argmax(axis=1)
        label = "probability of the predicted class"
        return cls._binned(probability[rows, top], came_true[rows, top], float(squares.mean()), label)

    @classmethod
    def from_estimator(cls, estimator: Any, y: Any, ax: Any = None) -> Self:
        """Return the record of exact leave-one-out probabilities, drawn; ``y`` is what it was fitted on."""
        classes = machine_of(estimator).classes_
        display = cls.from_predictions(y, left_out_probabilities(estimator, y), classes=classes)
        display.plot(ax)
        return display

    @classmethod
    def _binned(cls, probability: Array, came_true: Mask, brier: float, label: str) -> Self:
        bins = np.minimum((probability * _BINS).astype(np.intp), _BINS - 1)
        count = np.bincount(bins, minlength=_BINS).astype(float)
        held = count > 0
        count = count[held]
        predicted = np.bincount(bins, weights=probability, minlength=_BINS)[held] / count
        observed = np.bincount(bins, weights=came_true, minlength=_BINS)[held] / count
        share = count / count.sum()
        # The mean distance of a share of n draws from its probability p is sqrt(2/pi) standard deviations.
        spread = np.sqrt(2.0 / np.pi * predicted * (1.0 - predicted) / count)
        ece, chance = float(share @ np.abs(predicted - observed)), float(share @ spread)
        return cls(predicted, observed, count, brier, ece, chance, label)

    def plot(self, ax: Any = None, colour: str = COLOURS[0]) -> Any:
        """Draw on ``ax`` (a new one if none is given) and return it; bars are the bins' counts."""
        with house_style("CalibrationDisplay.plot") as plt:
            if ax is None:
                _, ax = plt.subplots(figsize=(5.2, 4.6))
            ax.bar(self.predicted, 0.2 * self.count / self.count.max(), 0.04, color=QUIET, alpha=0.3, label="rows")
            ax.plot([0, 1], [0, 1], color=QUIET, lw=1.0, ls="--", label="perfect")
            spread = np.sqrt(self.predicted * (1.0 - self.predicted) / self.count)
            ax.errorbar(self.predicted, self.observed, spread, color=colour, fmt="-", lw=1.2, elinewidth=0.9)
            # A bin of few rows says little, and shall look it.
            size = 12.0 + 60.0 * np.sqrt(self.count / self.count.max())
            ax.scatter(self.predicted, self.observed, size, color=colour, zorder=3)
            for x, count in zip(self.predicted, self.count, strict=True):
                top = 0.2 * count / self.count.max() + 0.012
                ax.text(x, top, f"{count:.0f}", ha="center", fontsize="xx-small", color=QUIET)
            ax.set(xlim=(-0.03, 1.03), ylim=(0.0, 1.05), ylabel="share that came true")
            ax.set_xlabel(short_name(self.label, 44), parse_math=False)
        return ax
