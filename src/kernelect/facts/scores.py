"""Figures for predictions, each with a standard error.

A score is a function of a mean of row losses: the error is the mean of misses, the root mean
square the root of the mean of squares. Its standard error is that of the mean, carried
through the function (delta method). Where the rows were predicted in folds, the mean's
standard error comes from the folds' means and is widened for their overlap (Nadeau & Bengio
2003): training sets that share rows make folds agree more than fresh data would.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from kernelect.registry import stored
from kernelect.typing import Array, Indices, Mask

#: Least probability in a log-loss: one confident mistake must not hide everything else.
_LEAST_PROBABILITY = 1e-15


@stored
@dataclass(frozen=True)
class Score:
    """One figure with its uncertainty."""

    name: str
    value: float
    standard_error: float | None


@dataclass(frozen=True)
class RowLoss:
    """A score before it is averaged: a loss per row, and what is done to their mean."""

    name: str
    losses: Array
    transform: Callable[[float], float] = lambda mean: mean
    slope: Callable[[float], float] = lambda mean: 1.0  # noqa: ARG005

    def score(self, weights: Array) -> Score:
        """Return the figure, its error from the spread of the rows."""
        mean = float(np.average(self.losses, weights=weights))
        error = float(np.sqrt(np.sum((weights * (self.losses - mean)) ** 2)) / weights.sum())
        return self._of(mean, error)

    def fold_score(self, weights: Array, folds: Sequence[Indices], per_repeat: int) -> Score:
        """Return the figure, its error from the spread of the folds (the rows of each)."""
        means = [np.average(self.losses[rows], weights=weights[rows]) for rows in folds if weights[rows].any()]
        mean = float(np.average(self.losses, weights=weights))
        return self._of(mean, fold_standard_error(np.array(means), per_repeat))

    def _of(self, mean: float, error: float | None) -> Score:
        return Score(self.name, self.transform(mean), None if error is None else abs(self.slope(mean)) * error)


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
    losses = [RowLoss("error", (index != predicted).astype(float))]
    if probability is None:
        return losses
    truth = probability[np.arange(len(index)), index]
    wanted = index[:, None] == np.arange(probability.shape[1])
    return [
        *losses,
        RowLoss("log-loss", -np.log(np.maximum(truth, _LEAST_PROBABILITY))),
        RowLoss("Brier score", np.sum((probability - wanted) ** 2, axis=1)),
    ]


def regression_losses(y: Array, predicted: Array, weights: Array) -> list[RowLoss]:
    """Return root mean square, mean absolute error and R2 by row."""
    squares = (y - predicted) ** 2
    total = float(np.average((y - np.average(y, weights=weights)) ** 2, weights=weights))
    return [
        RowLoss("RMSE", squares, lambda mean: float(np.sqrt(mean)), lambda mean: 0.5 / np.sqrt(mean) if mean else 0.0),
        RowLoss("MAE", np.abs(y - predicted)),
        RowLoss("R2", squares, lambda mean: 1.0 - mean / total, lambda mean: 1.0 / total),  # noqa: ARG005
    ]


def area_under_curve(positive: Mask, value: Array) -> Score | None:
    """Return the area under the ROC curve with its standard error, None where a class has under two rows.

    By placements (DeLong et al. 1988): the area is the mean share of negatives below each
    positive; the shares' variances on both sides give the error.
    """
    above, below = value[positive], value[~positive]
    if min(len(above), len(below)) < 2:
        return None
    of_positives, of_negatives = _placements(above, below), 1.0 - _placements(below, above)
    variance = of_positives.var(ddof=1) / len(above) + of_negatives.var(ddof=1) / len(below)
    return Score("AUC", float(of_positives.mean()), float(np.sqrt(variance)))


def _placements(values: Array, others: Array) -> Array:
    """Return the share of ``others`` below each value, ties counting half."""
    ordered = np.sort(others)
    left, right = np.searchsorted(ordered, values, "left"), np.searchsorted(ordered, values, "right")
    return (left + right) / (2.0 * len(others))
