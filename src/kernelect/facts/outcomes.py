"""What became of predictions: classes confused, residuals, probabilities that came true."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from kernelect.facts.estimates import COVERAGE
from kernelect.facts.leave_one_out import (
    left_out_interval,
    left_out_labels,
    left_out_probabilities,
    left_out_values,
)
from kernelect.facts.names import plain_name, told_apart
from kernelect.facts.sources import classes_of_estimator
from kernelect.typing import Array, Mask

#: Classes with a row of their own; the smaller ones share one.
_MOST_CLASSES = 12

_BINS = 10


@dataclass(frozen=True, kw_only=True)
class Confusion:
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
        """Return the record of labels ``y_true`` and ``y_pred``; if there are many classes, the smallest are merged."""
        y_true, y_pred = np.asarray(y_true), np.asarray(y_pred)
        classes = np.unique(np.concatenate([y_true, y_pred])) if classes is None else np.asarray(classes)
        place = {value: index for index, value in enumerate(classes.tolist())}
        counts = np.zeros((len(classes), len(classes)))
        pairs = ([place[value] for value in labels.tolist()] for labels in (y_true, y_pred))
        np.add.at(counts, tuple(pairs), 1.0)
        names = told_apart([plain_name(value) for value in classes])
        return cls(classes=tuple(names), counts=counts, label=label)._gathered()

    @classmethod
    def from_estimator(cls, estimator: Any, y: Any) -> Self:
        """Return the record of exact leave-one-out labels; ``y`` is what the estimator was fitted on."""
        classes = classes_of_estimator(estimator)
        return cls.from_predictions(y, left_out_labels(estimator), classes=classes, label="predicted, leave-one-out")

    @property
    def wrong(self) -> int:
        """Number of rows that were misclassified."""
        return int(self.counts.sum() - np.trace(self.counts))

    def _gathered(self) -> Self:
        if len(self.classes) <= _MOST_CLASSES:
            return self
        largest = np.sort(np.argsort(-self.counts.sum(axis=1), kind="stable")[: _MOST_CLASSES - 1])
        group = np.full(len(self.classes), len(largest))
        group[largest] = np.arange(len(largest))
        member = np.eye(len(largest) + 1)[group]  # (n_classes, n_groups)
        names = (*(self.classes[index] for index in largest), "other classes")
        return type(self)(classes=names, counts=member.T @ self.counts @ member, label=self.label)


@dataclass(frozen=True, kw_only=True)
class Residuals:
    """Observed against predicted values, and the ranges that should hold 90 % of the rows.

    Attributes
    ----------
    predicted, observed : ndarray of shape (n,)
    lower, upper : ndarray of shape (n,)
        The range of every row: its interval or, if there is none, its prediction plus the 5 % and 95 % quantiles of
        all residuals.
    held : float
        Share of all rows that lie in their ranges.
    rmse : float
    label : str
        Where the predictions come from.
    limited : ndarray of shape (k, 3)
        Rows whose target is only a limit: what was predicted, the limit, and on which side of it the target lies.
    """

    predicted: Array
    observed: Array
    lower: Array
    upper: Array
    held: float
    rmse: float
    label: str
    limited: Array = field(default_factory=lambda: np.zeros((0, 3)))

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_pred: Any,
        *,
        interval: Any = None,
        label: str = "predicted",
        max_points: int = 2000,
        limited: Any = None,
    ) -> Self:
        """Return the record; of more than ``max_points`` rows, some are kept, evenly along the predictions.

        ``interval`` (n, 2) has the ends of the intervals around the predictions, if there are any; ``limited`` (k, 3)
        are rows whose target is only a limit, as the attribute has them.
        """
        observed, predicted = np.asarray(y_true, dtype=float), np.asarray(y_pred, dtype=float)
        residuals = observed - predicted
        if interval is None:
            interval = predicted[:, None] + np.quantile(residuals, [0.5 - 0.5 * COVERAGE, 0.5 + 0.5 * COVERAGE])
        lower, upper = np.asarray(interval, dtype=float).T
        order = np.argsort(predicted, kind="stable")
        kept = order[np.linspace(0, len(order) - 1, min(max_points, len(order))).astype(np.intp)]
        return cls(
            predicted=predicted[kept],
            observed=observed[kept],
            lower=lower[kept],
            upper=upper[kept],
            held=float(np.mean((lower <= observed) & (observed <= upper))),
            rmse=float(np.sqrt(np.mean(residuals**2))),
            label=label,
            limited=np.zeros((0, 3)) if limited is None else np.asarray(limited, dtype=float)[:max_points],
        )

    @classmethod
    def from_estimator(cls, estimator: Any, y: Any) -> Self:
        """Return the record of exact leave-one-out predictions; ``y`` is what the estimator was fitted on."""
        interval = left_out_interval(estimator, COVERAGE)
        return cls.from_predictions(y, left_out_values(estimator), interval=interval, label="predicted, leave-one-out")


@dataclass(frozen=True, kw_only=True)
class Calibration:
    """How often events came true against their predicted probability, bin by bin.

    Two classes: the probability of the second one. More: that of the predicted class.

    Attributes
    ----------
    predicted, observed : ndarray of shape (n_bins,)
        Mean probability and share that came true, of the bins that hold a row.
    count : ndarray of shape (n_bins,)
    brier : float
        Mean squared distance between probabilities and what happened, summed over classes (twice
        that of the second class alone, if there are two).
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

    @property
    def spread(self) -> Array:
        """One standard error of every observed share where the probabilities are right."""
        return np.sqrt(self.predicted * (1.0 - self.predicted) / self.count)

    @classmethod
    def from_predictions(cls, y_true: Any, probability: Any, *, classes: Any = None) -> Self:
        """Return the record of labels and probabilities (n, n_classes), columns in the order of ``classes``."""
        y_true, probability = np.asarray(y_true), np.asarray(probability, dtype=float)
        classes = np.unique(y_true) if classes is None else np.asarray(classes)
        came_true = y_true[:, None] == classes
        brier = float(((probability - came_true) ** 2).sum(axis=1).mean())
        if len(classes) == 2:
            label = f"probability of {plain_name(classes[1])}"
            return cls._binned(probability[:, 1], came_true[:, 1], brier, label)
        rows, top = np.arange(len(y_true)), probability.argmax(axis=1)
        return cls._binned(probability[rows, top], came_true[rows, top], brier, "probability of the predicted class")

    @classmethod
    def from_estimator(cls, estimator: Any, y: Any) -> Self:
        """Return the record of exact leave-one-out probabilities; ``y`` is what the estimator was fitted on."""
        classes = classes_of_estimator(estimator)
        return cls.from_predictions(y, left_out_probabilities(estimator, y), classes=classes)

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
        return cls(
            predicted=predicted, observed=observed, count=count, brier=brier, ece=ece, chance=chance, label=label
        )
