"""Predictions for the rows of a table become estimates of how good the predictor is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kernelect.exceptions import MissingCapability
from kernelect.facts.held_out import HeldOutRelevance
from kernelect.facts.leave_one_out import (
    left_out_interval,
    left_out_labels,
    left_out_probabilities,
    left_out_values,
)
from kernelect.facts.scores import (
    RowLoss,
    Score,
    area_under_curve,
    average_precision,
    classification_losses,
    concordance_score,
    f1_score,
    mean_over_folds,
    ordered_losses,
    regression_losses,
    stacked_folds,
)
from kernelect.facts.stakes import AVERAGE_PRECISION, COST, F1, Stakes, positive_class
from kernelect.typing import Array, Indices, Mask

LEAVE_ONE_OUT = "leave-one-out"

#: Nothing said: every error counts alike.
PLAIN = Stakes()

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
        Places in the table of the rows that were predicted; None if all rows were.
    event : ndarray of bool, or None
        Whether each of ``y_true`` is the time of an event, for survival times.
    """

    name: str
    scores: tuple[Score, ...]
    y_true: Any = None
    prediction: Any = None
    probability: Array | None = None
    interval: Array | None = None
    rows: Indices | None = None
    event: Mask | None = None

    def held(self) -> float | None:
        """Return the share of the rows that lie in their intervals; None if there are none."""
        if self.interval is None:
            return None
        lower, upper = self.interval.T
        return float(np.mean((lower <= self.y_true) & (self.y_true <= upper)))

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
    def times_source(self) -> Estimate | None:
        """The same, also for survival times, which pictures of numbers do not show."""
        found = (self.outer_folds, self.leave_one_out)
        return next((one for one in found if one is not None and one.prediction is not None), None)


@dataclass(frozen=True, kw_only=True)
class FoldOutcome:
    """Predictions of one fold for the rows it left out, and the warnings of its fit.

    ``interval`` (m, 2) has the ends of intervals around predicted values; ``rises`` (n_columns, m) tells by how much
    shuffled columns raise the loss of the rows ``shuffled`` (m,). ``hurried`` is whether its fit had less time than the
    fit on all rows took, ``short_of_time`` whether it ended at its limit.
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


class Judge:
    """Knows the rows' true targets and weights, and scores predictions for them.

    Parameters
    ----------
    y : array-like of shape (n,)
    classes : sequence of labels, optional
        Sorted; None for regression.
    weights : ndarray of shape (n,), optional
    units : ndarray of int, shape (n,), optional
        Rows of one unit, such as the visits of one patient, are one observation in standard errors.
    stakes : Stakes, optional
        What errors cost, and which figure counts most.
    ordered : bool
        Whether the classes have an order, in which they then stand.
    event : ndarray of bool of shape (n,), optional
        Whether each target is the time of an event, for survival times, of which only the order is scored.
    """

    def __init__(
        self,
        y: Any,
        classes: Sequence[Any] | None = None,
        weights: Array | None = None,
        units: Indices | None = None,
        stakes: Stakes = PLAIN,
        *,
        ordered: bool = False,
        event: Mask | None = None,
    ) -> None:
        self.y, self.stakes, self.ordered = np.asarray(y), stakes, ordered
        self.event = event
        self.units: Indices = np.arange(len(self.y)) if units is None else units
        self.weights: Array = np.ones(len(self.y)) if weights is None else weights
        self._weighted = weights is not None
        self.classes: Any = None
        if classes is not None:
            self.classes = np.array(classes, dtype=self.y.dtype)
            self._places = {label: place for place, label in enumerate(self.classes.tolist())}
            self.index = self._indices(self.y)

    def assess(self, machine: Any) -> Assessment:
        """Return the estimates of a fitted machine that need no further fit: leave-one-out and the baseline."""
        classes = None if self.classes is None else tuple(self.classes.tolist())
        return Assessment(
            classes=classes, leave_one_out=self.leave_one_out(machine), outer_folds=None, baseline=self.baseline()
        )

    def of_rows(self, name: str, prediction: Any, probability: Array | None = None, *, ranked: bool = True) -> Estimate:
        """Return the estimate from one prediction per row; ``ranked`` adds the area under the curve."""
        if self.event is not None:
            only = FoldOutcome(rows=np.arange(len(self.y)), prediction=prediction, probability=None)
            return self._of_times(name, [only], 1)
        losses = self.losses(np.arange(len(self.y)), prediction, probability)
        scores = [loss.score(self.weights, self.units) for loss in losses]
        area = self._area(np.arange(len(self.y)), probability) if ranked else None
        scores += [*([area] if area else []), *self._f1(np.arange(len(self.y)), prediction)]
        return Estimate(
            name=name,
            scores=tuple(scores),
            y_true=self.y,
            prediction=prediction,
            probability=probability,
        )

    def of_folds(self, name: str, outcomes: Sequence[FoldOutcome], per_repeat: int) -> Estimate:
        """Return the estimate from folds, ``per_repeat`` of them in each repetition."""
        if self.event is not None:
            return self._of_times(name, outcomes, per_repeat)
        rows = np.concatenate([outcome.rows for outcome in outcomes])
        prediction = np.concatenate([outcome.prediction for outcome in outcomes])
        probability = stacked_folds([outcome.probability for outcome in outcomes])
        interval = stacked_folds([outcome.interval for outcome in outcomes])
        places = np.split(np.arange(len(rows)), np.cumsum([len(outcome.rows) for outcome in outcomes])[:-1])
        losses = self.losses(rows, prediction, probability)
        scores = [loss.fold_score(self.weights[rows], places, per_repeat, self.units[rows]) for loss in losses]
        areas = (self._area(outcome.rows, outcome.probability) for outcome in outcomes)
        scores += [*mean_over_folds(areas, per_repeat), *self._f1(rows, prediction)]
        scores += mean_over_folds(map(self._precision, outcomes), per_repeat)
        once = sum(len(outcome.rows) for outcome in outcomes[:per_repeat])
        order = np.argsort(rows[:once])  # the first repetition, in the table's order
        return Estimate(
            name=name,
            scores=tuple(scores),
            y_true=self.y[rows[order]],
            prediction=prediction[order],
            probability=None if probability is None else probability[order],
            interval=None if interval is None else interval[order],
            rows=rows[order] if once < len(self.y) else None,
        )

    def held_out(self, outcomes: Sequence[FoldOutcome], names: Sequence[Any]) -> HeldOutRelevance | None:
        """Return what shuffled columns cost on the rows of folds; None if none were shuffled."""
        found = [(one.rises, one.shuffled) for one in outcomes if one.rises is not None and one.shuffled is not None]
        if not found:
            return None
        score = "R²" if self.classes is None else "log-loss"
        return HeldOutRelevance.of(names, [rise for rise, _ in found], [self.units[rows] for _, rows in found], score)

    def losses(self, rows: Indices, prediction: Any, probability: Array | None = None) -> list[RowLoss]:
        """Return the losses of predictions for some of the rows."""
        if self.classes is None:
            return regression_losses(self.y[rows], np.asarray(prediction), self.weights[rows])
        predicted = self._indices(prediction)
        losses = classification_losses(self.index[rows], predicted, probability)
        losses += ordered_losses(self.index[rows], predicted, probability) if self.ordered else []
        if self.stakes.costs is not None:
            losses.append(RowLoss(name=COST, losses=np.array(self.stakes.costs)[self.index[rows], predicted]))
        return losses

    def value_of(self, name: str, outcome: FoldOutcome) -> float:
        """Return one score of one fold by name; NaN where it has none."""
        losses = self.losses(outcome.rows, outcome.prediction, outcome.probability)
        found = [loss.score(self.weights[outcome.rows]) for loss in losses]
        area, precision = self._area(outcome.rows, outcome.probability), self._precision(outcome)
        found += [score for score in (area, precision, *self._f1(outcome.rows, outcome.prediction)) if score]
        return next((score.value for score in found if score.name == name), np.nan)

    def leave_one_out(self, machine: Any) -> Estimate | None:
        """Return the estimate from exact leave-one-out values, None if the machine has none."""
        try:
            if self.event is not None:
                return self.of_rows(LEAVE_ONE_OUT, -left_out_values(machine))
            if self.classes is None:
                found = self.of_rows(LEAVE_ONE_OUT, left_out_values(machine))
                return replace(found, interval=left_out_interval(machine, COVERAGE))
            probability = left_out_probabilities(machine, self.y, self.weights)
            decision = self.stakes.decision(probability, self.index, self.weights)
            labels = left_out_labels(machine) if decision is None else self.classes[decision(probability)]
            # Models that each lack another row do not rank rows alike: a pooled area is too small, 0 on pure noise.
            return self.of_rows(LEAVE_ONE_OUT, labels, probability, ranked=False)
        except MissingCapability:
            return None

    def baseline(self, splits: Sequence[tuple[Indices, Indices]] = (), per_repeat: int = 1) -> Estimate:
        """Return what the most frequent class or the mean achieves, without looking at any input.

        With ``splits`` into training and test rows, each test row is guessed from the training rows, as a model that
        is judged by these folds predicts it: two scores are compared on the same rows.
        """
        if splits:
            guesses = [FoldOutcome(rows=test, **self._guess(train, len(test))) for train, test in splits]
            return self.of_folds(self._guessing, guesses, per_repeat)
        return self.of_rows(self._guessing, **self._guess(np.arange(len(self.y)), len(self.y)))

    @property
    def _guessing(self) -> str:
        """What the baseline does."""
        if self.event is not None:
            return "one curve for all rows (Kaplan-Meier)"
        if self.classes is None:
            return "always the mean"
        return "always the most frequent class" if self.stakes.costs is None else "always the cheapest class"

    def _guess(self, rows: Indices, count: int) -> dict[str, Any]:
        """Return the same prediction so many times, and the probabilities of classes, from some of the rows."""
        weights = self.weights[rows]
        if self.classes is None:
            return {"prediction": np.full(count, np.average(self.y[rows], weights=weights)), "probability": None}
        shares = np.bincount(self.index[rows], weights=weights, minlength=len(self.classes)) / weights.sum()
        costs = self.stakes.costs
        best = int(np.argmax(shares) if costs is None else np.argmin(shares @ np.array(costs)))
        return {
            "prediction": np.repeat(self.classes[[best]], count),
            "probability": np.tile(shares, (count, 1)),
        }

    def _of_times(self, name: str, outcomes: Sequence[FoldOutcome], per_repeat: int) -> Estimate:
        """Return the estimate of survival times: how well each fold orders its own rows."""
        assert self.event is not None
        found = [concordance_score(self.y[one.rows], self.event[one.rows], one.prediction) for one in outcomes]
        rows = np.concatenate([one.rows for one in outcomes[:per_repeat]])
        order = np.argsort(rows)
        return Estimate(
            name=name,
            scores=tuple(mean_over_folds(found, per_repeat)),
            y_true=self.y[rows[order]],
            prediction=np.concatenate([one.prediction for one in outcomes[:per_repeat]])[order],
            rows=rows[order] if len(rows) < len(self.y) else None,
            event=self.event[rows[order]],
        )

    def _indices(self, labels: Any) -> Indices:
        return np.array([self._places[label] for label in np.asarray(labels).tolist()], dtype=np.intp)

    def _area(self, rows: Indices, probability: Array | None) -> Score | None:
        """Return the area under the curve, of two classes without weights."""
        if probability is None or probability.shape[1] != 2 or self._weighted:
            return None
        return area_under_curve(self.index[rows] == 1, probability[:, 1], self.units[rows])

    @property
    def _of_two(self) -> bool:
        """Whether figures of the rarer of two classes are wanted: where it is rare, or where the user asks."""
        if self.classes is None or len(self.classes) != 2:
            return False
        rare = IMBALANCE * np.bincount(self.index, minlength=2).min() <= np.bincount(self.index, minlength=2).max()
        return bool(rare or self.stakes.costs is not None or self.stakes.metric in (F1, AVERAGE_PRECISION))

    def _f1(self, rows: Indices, prediction: Any) -> list[Score]:
        if not self._of_two:
            return []
        positive = positive_class(self.index)
        truth, said = self.index[rows] == positive, self._indices(prediction) == positive
        return [f1_score(truth, said, self.weights[rows], self.units[rows])]

    def _precision(self, outcome: FoldOutcome) -> Score | None:
        if not self._of_two or outcome.probability is None or self._weighted:
            return None
        positive = positive_class(self.index)
        truth, units = self.index[outcome.rows] == positive, self.units[outcome.rows]
        return average_precision(truth, outcome.probability[:, positive], units)
