"""Predictions for the rows of a table become estimates of how good the predictor is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kernelect.facts.held_out import HeldOutRelevance
from kernelect.facts.scores import Score
from kernelect.typing import Array, Indices, Mask

#: Share of the rows that intervals are made to hold.
COVERAGE = 0.9

#: Rows of the larger class for one of the smaller, from which figures of the smaller are shown.
IMBALANCE = 5.0


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """How good the model is, estimated in one way.

    Attributes
    ----------
    name : str
        Such as ``"leave-one-out"``, ``"5 outer folds"`` or ``"always the mean"``.
    scores : tuple of Score
    y_true, prediction : ndarray of shape (n,), or None
        Labels or values; of repeated folds, those of the first repetition.
    probability : ndarray of shape (n, n_classes), or None
        Columns in the order of the assessment's classes.
    interval : ndarray of shape (n, 2), or None
        Ends of the intervals around predicted values that should hold 90 % of the rows.
    rows : ndarray of int, or None
        Places in the table of the rows that were predicted and whose target is known; None if all rows were.
    event : ndarray of bool, or None
        Whether each of ``y_true`` is the time of an event, for survival times.
    survival : ndarray of shape (n, 3), or None
        With what probability the event of every row was said to come after each of ``quarters``.
    quarters : ndarray of shape (3,), or None
        Quartiles of the times of events.
    limited : ndarray of shape (k, 3), or None
        Rows beside these whose target is only a limit: what was predicted, the limit, and -1 if the target is below it,
        1 if it is above, 0 if it lies around it between two limits.
    """

    name: str
    scores: tuple[Score, ...]
    y_true: Any = None
    prediction: Any = None
    probability: Array | None = None
    interval: Array | None = None
    rows: Indices | None = None
    event: Mask | None = None
    survival: Array | None = None
    quarters: Array | None = None
    limited: Array | None = None

    def held(self) -> float | None:
        """Return the share of the rows that lie in their intervals; None if there are none."""
        if self.interval is None:
            return None
        lower, upper = self.interval.T
        return float(np.mean((lower <= self.y_true) & (self.y_true <= upper)))

    def of_known(self, limits: Array) -> Estimate:
        """Return the estimate without rows whose target is only a limit, which it keeps apart.

        Parameters
        ----------
        limits : ndarray of shape (n_rows, 2)
            Lower and upper limit of every row of the table.
        """
        rows = np.arange(len(limits)) if self.rows is None else self.rows
        predicted, own = np.asarray(self.prediction, dtype=float), limits[rows]
        known = own[:, 0] == own[:, 1]
        return replace(
            self,
            y_true=self.y_true[known],
            prediction=predicted[known],
            interval=None if self.interval is None else self.interval[known],
            rows=rows[known],
            limited=np.column_stack([predicted[~known], *_limit_and_side(own[~known])]),
        )

    def score(self, name: str) -> Score | None:
        """Return one figure by name, None if it is not there."""
        return next((score for score in self.scores if score.name == name), None)


@dataclass(frozen=True, kw_only=True)
class Assessment:
    """All estimates of one fitted model; ``classes`` is None for regression.

    ``held_out`` tells what shuffled columns cost on the rows of outer folds.
    """

    classes: tuple[Any, ...] | None
    leave_one_out: Estimate | None
    outer_folds: Estimate | None
    baseline: Estimate
    held_out: HeldOutRelevance | None = None

    @property
    def best_source(self) -> Estimate | None:
        """The estimate whose single predictions are shown: outer folds before leave-one-out."""
        source = self.times_source
        return source if source is None or source.event is None else None

    @property
    def of_times(self) -> bool:
        """Whether targets are times until an event."""
        return self.baseline.event is not None

    @property
    def times_source(self) -> Estimate | None:
        """The same, also for survival times, which pictures of numbers do not show."""
        found = (self.outer_folds, self.leave_one_out)
        return next((one for one in found if one is not None and one.prediction is not None), None)


@dataclass(frozen=True, kw_only=True)
class FoldOutcome:
    """Predictions of one fold for the rows it left out, and the warnings of its fit.

    ``survival`` (m, n_times) has the probabilities that events come after the times of the judge's horizon, if targets
    are times. ``interval`` (m, 2) has the ends of intervals around predicted values; ``rises`` (n_columns, m) tells by
    how much shuffled columns raise the loss of the rows ``shuffled`` (m,). ``hurried`` is whether its fit had less time
    than the fit on all rows took, ``short_of_time`` whether it ended at its limit.
    """

    rows: Indices
    prediction: Any
    probability: Array | None
    warnings: tuple[str, ...] = ()
    interval: Array | None = None
    rises: Array | None = None
    shuffled: Indices | None = None
    hurried: bool = False
    short_of_time: bool = False
    survival: Array | None = None


def _limit_and_side(limits: Array) -> tuple[Array, Array]:
    """Return the limit of every row, the middle of two, and on which side of it the target lies."""
    below, above = np.isinf(limits[:, 0]), np.isinf(limits[:, 1])
    ends = np.where(np.isfinite(limits), limits, limits[:, ::-1])
    return np.where(below & above, 0.0, np.nan_to_num(ends.mean(axis=1), posinf=0.0, neginf=0.0)), above * 1.0 - below
