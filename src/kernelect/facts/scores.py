"""Figures for predictions, each with a standard error.

A score is a function of a mean of row losses: the error is the mean of misses, the root mean
square the root of the mean of squares. Its standard error is that of the mean, carried
through the function (delta method), and rows that belong together (a row predicted twice, the
rows of one group) count as one observation. Where the rows were predicted in folds, there is a
second standard error: that of the folds' means, widened for their overlap (Nadeau & Bengio
2003), since training sets that share rows make folds agree more than fresh data would. The
larger of the two is reported: five folds may agree by luck, and no figure is known better than
its rows allow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from kernelect.facts.stakes import MEAN_DISTANCE, RANKED
from kernelect.typing import Array, Indices, Mask

#: Least probability in a log-loss: one confident mistake must not hide everything else.
_LEAST_PROBABILITY = 1e-15

#: Two standard errors of a share that is 0 in n rows: by the rule of three it may be up to 3 / n.
_RULE_OF_THREE = 3.0

#: Standard errors by which two figures may differ by chance.
SURE = 2.0


def _none_in(count: int) -> float:
    """Return the standard error of a share that is 0 (or 1) in so many observations."""
    return 0.5 * _RULE_OF_THREE / count


@dataclass(frozen=True)
class Score:
    """One figure with its uncertainty."""

    name: str
    value: float
    standard_error: float | None


@dataclass(frozen=True, kw_only=True)
class RowLoss:
    """A score before it is averaged: a loss per row, and what is done to their mean."""

    name: str
    losses: Array
    transform: Callable[[float], float] = lambda mean: mean
    slope: Callable[[float], float] = lambda mean: 1.0  # noqa: ARG005
    counts: bool = False  # whether a loss is 1 or 0

    def score(self, weights: Array, units: Indices | None = None) -> Score:
        """Return the figure, its error from the spread of the rows.

        Parameters
        ----------
        weights : ndarray of shape (n,)
        units : ndarray of int, optional
            Numbers of independent observations, to which losses belong; by default each is one.
        """
        mean = float(np.average(self.losses, weights=weights))
        return self._of(mean, self._pooled_error(weights, mean, units))

    def fold_score(
        self, weights: Array, folds: Sequence[Indices], per_repeat: int, units: Indices | None = None
    ) -> Score:
        """Return the figure, its error from the spread of the folds (the rows of each), or of the rows if larger."""
        means = [np.average(self.losses[rows], weights=weights[rows]) for rows in folds if weights[rows].any()]
        mean = float(np.average(self.losses, weights=weights))
        between = fold_standard_error(np.array(means), per_repeat) or 0.0
        return self._of(mean, max(between, self._pooled_error(weights, mean, units)))

    def _pooled_error(self, weights: Array, mean: float, units: Indices | None) -> float:
        if self.counts and mean in (0.0, 1.0):
            return _none_in(len(weights) if units is None else len(np.unique(units)))
        return mean_standard_error(self.losses, weights, units)

    def _of(self, mean: float, error: float | None) -> Score:
        return Score(self.name, self.transform(mean), None if error is None else abs(self.slope(mean)) * error)


def mean_standard_error(losses: Array, weights: Array, units: Indices | None = None) -> float:
    """Return the standard error of a weighted mean of losses, of which those of one unit are one observation."""
    deviations: Array = weights * (losses - np.average(losses, weights=weights))
    if units is not None:
        deviations = _sums(deviations, units)
    count = len(deviations)
    spread = float(np.sqrt(np.sum(deviations**2)) / weights.sum())
    return spread * float(np.sqrt(count / (count - 1.0))) if count > 1 else spread


def fold_standard_error(values: Array, per_repeat: int) -> float | None:
    """Return the standard error of a mean over folds, corrected for their overlap.

    sqrt((1/J + 1/(k - 1)) var) for J values, k folds in each repetition: the second term is
    the ratio of test to training rows. Nadeau & Bengio (2003), eq. 9 and 10.
    """
    if len(values) < 2:
        return None
    return float(np.sqrt((1.0 / len(values) + 1.0 / (per_repeat - 1.0)) * np.var(values, ddof=1)))


def classification_losses(index: Indices, predicted: Indices, probability: Array | None) -> list[RowLoss]:
    """Return error, log-loss and Brier score by row.

    Parameters
    ----------
    index, predicted : ndarray of shape (n,)
        True and predicted classes as indices.
    probability : ndarray of shape (n, n_classes), optional
    """
    losses = [RowLoss(name="error", losses=(index != predicted).astype(float), counts=True)]
    if probability is None:
        return losses
    truth = probability[np.arange(len(index)), index]
    wanted = index[:, None] == np.arange(probability.shape[1])
    return [
        *losses,
        RowLoss(name="log-loss", losses=-np.log(np.maximum(truth, _LEAST_PROBABILITY))),
        RowLoss(name="Brier score", losses=np.sum((probability - wanted) ** 2, axis=1)),
    ]


def ordered_losses(index: Indices, predicted: Indices, probability: Array | None) -> list[RowLoss]:
    """Return mean distance and ranked probability score by row, for classes with an order; see above."""
    losses = [RowLoss(name=MEAN_DISTANCE, losses=np.abs(index - predicted).astype(float))]
    if probability is None:
        return losses
    reached = index[:, None] <= np.arange(probability.shape[1])
    squares = np.sum((np.cumsum(probability, axis=1) - reached) ** 2, axis=1)
    return [*losses, RowLoss(name=RANKED, losses=squares)]


def regression_losses(y: Array, predicted: Array, weights: Array) -> list[RowLoss]:
    """Return root mean square, mean absolute error and R² by row."""
    squares = (y - predicted) ** 2
    return [
        RowLoss(
            name="RMSE",
            losses=squares,
            transform=lambda mean: float(np.sqrt(mean)),
            slope=lambda mean: 0.5 / np.sqrt(mean) if mean else 0.0,
        ),
        RowLoss(name="MAE", losses=np.abs(y - predicted)),
        _explained(y, squares, weights),
    ]


def _explained(y: Array, squares: Array, weights: Array) -> RowLoss:
    """Return R² = 1 - r by row, r a ratio of two means over the same rows: squared errors over squared deviations.

    Its error is that of the mean of squares - r * deviations, which is 0 (delta method for a ratio). Rows far from the
    middle have both a large error and a large deviation, and always predicting the mean has r = 1 without any error.
    """
    deviations = (y - np.average(y, weights=weights)) ** 2
    total = float(np.average(deviations, weights=weights)) or np.nan  # one value has no variance to explain
    ratio = float(np.average(squares, weights=weights)) / total
    return RowLoss(
        name="R²",
        losses=squares - ratio * deviations,
        transform=lambda mean: 1.0 - ratio - mean / total,
        slope=lambda mean: 1.0 / total,  # noqa: ARG005
    )


def area_under_curve(positive: Mask, value: Array, units: Indices | None = None) -> Score | None:
    """Return the area under the ROC curve with its standard error, None if a class has under two rows.

    By placements (DeLong et al. 1988): the area is the mean share of negatives below each
    positive; the shares' variances on both sides give the error, with the rows of one unit added up first (Obuchowski
    1997). Where the classes do not overlap at all, that is 0 for any number of rows: then the error is that of as many
    independent pairs as the smaller class has units.
    """
    above, below = value[positive], value[~positive]
    if min(len(above), len(below)) < 2:
        return None
    units = np.arange(len(value)) if units is None else units
    of_positives, of_negatives = _placements(above, below), 1.0 - _placements(below, above)
    area, deviations, counts = float(of_positives.mean()), np.zeros(len(value)), list[int]()
    for rows, shares in ((positive, of_positives), (~positive, of_negatives)):
        counts.append(count := len(np.unique(units[rows])))
        deviations[rows] = (shares - area) / len(shares) * np.sqrt(count / max(count - 1.0, 1.0))
    error = float(np.sqrt(np.sum(_sums(deviations, units) ** 2)))
    return Score("AUC", area, _none_in(min(counts)) if area in (0.0, 1.0) else error)


def mean_over_folds(found: Iterable[Score | None], per_repeat: int) -> list[Score]:
    """Return the mean over folds: probabilities of different models are not ranked together."""
    known = [score for score in found if score is not None]
    if not known:
        return []
    values = np.array([score.value for score in known])
    within = np.sqrt(np.mean([(score.standard_error or 0.0) ** 2 for score in known]) / min(per_repeat, len(known)))
    between = fold_standard_error(values, per_repeat) or 0.0
    return [Score(known[0].name, float(values.mean()), float(max(between, within)))]


def stacked_folds(parts: Sequence[Array | None]) -> Array | None:
    """Return the folds' arrays one below the other; None if one of them has none, or one that is not finite."""
    known = [part for part in parts if part is not None and np.isfinite(part).all()]
    return np.concatenate(known) if known and len(known) == len(parts) else None


def _sums(values: Array, units: Indices) -> Array:
    """Return the sums of the values of each unit."""
    return np.asarray(np.bincount(np.unique(units, return_inverse=True)[1], values), dtype=float)


def _placements(values: Array, others: Array) -> Array:
    """Return the share of ``others`` below each value, ties counting half."""
    ordered = np.sort(others)
    left, right = np.searchsorted(ordered, values, "left"), np.searchsorted(ordered, values, "right")
    return (left + right) / (2.0 * len(others))


def f1_score(truth: Mask, said: Mask, weights: Array, units: Indices) -> Score:
    """Return F1 = 2 tp / (2 tp + fp + fn), its error by the delta method for a ratio of sums over units."""
    top, bottom = 2.0 * weights * (truth & said), weights * (truth.astype(float) + said)
    value = float(top.sum() / bottom.sum()) if bottom.any() else 0.0
    by_unit = _sums(top - value * bottom, units)
    if not bottom.any():
        return Score("F1", value, None)
    error = float(np.sqrt(np.sum(by_unit**2)) / bottom.sum())
    return Score("F1", value, _none_in(len(np.unique(units[truth]))) if value == 1.0 else error)


def average_precision(positive: Mask, value: Array, units: Indices | None = None) -> Score | None:
    """Return the mean precision at the positives, None without any; ties share the precision at their end.

    The standard error is that of a share of the positives, sqrt(a (1 - a) / n) (Boyd, Eng & Page 2013), or of a share
    that is 1 among them; rows of one unit are one of the n.
    """
    if not positive.any():
        return None
    order = np.argsort(-value, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(value[order])), len(value) - 1)
    hits = np.cumsum(positive[order])[ends]
    area = float(np.sum(np.diff(np.append(0, hits)) * hits / (ends + 1.0)) / hits[-1])
    count = int(hits[-1]) if units is None else len(np.unique(units[positive]))
    error = float(np.sqrt(max(area * (1.0 - area), 0.0) / count))
    return Score("average precision", area, _none_in(count) if area >= 1.0 else error)
