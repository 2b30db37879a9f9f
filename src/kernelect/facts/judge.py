"""What knows the true targets of rows, and scores predictions of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from kernelect.exceptions import MissingCapability
from kernelect.facts.estimates import COVERAGE, IMBALANCE, Assessment, Estimate, FoldOutcome
from kernelect.facts.held_out import HeldOutRelevance
from kernelect.facts.leave_one_out import (
    left_out_interval,
    left_out_labels,
    left_out_probabilities,
    left_out_survival,
    left_out_values,
)
from kernelect.facts.scores import (
    RowLoss,
    Score,
    area_under_curve,
    average_precision,
    classification_losses,
    f1_score,
    mean_over_folds,
    ordered_losses,
    regression_losses,
    stacked_folds,
)
from kernelect.facts.stakes import AVERAGE_PRECISION, COST, F1, Stakes, positive_class
from kernelect.facts.survival import Horizon, calibration_score
from kernelect.numerics import kaplan_meier
from kernelect.typing import Array, Indices, Mask

LEAVE_ONE_OUT = "leave-one-out"

#: Nothing said: every error counts alike.
PLAIN = Stakes()


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
        Whether each target is the time of an event, for survival times.
    limits : ndarray of shape (n, 2), optional
        Lower and upper limit of every number, if some are only known by a limit: then the others alone are judged.
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
        limits: Array | None = None,
    ) -> None:
        self.y, self.stakes, self.ordered = np.asarray(y), stakes, ordered
        self.event = event
        self.horizon = None if event is None else Horizon.of(self.y, event)
        self.units: Indices = np.arange(len(self.y)) if units is None else units
        self.weights: Array = np.ones(len(self.y)) if weights is None else weights
        self._weighted, self.limits = weights is not None, limits
        if limits is not None:
            self.weights = self.weights * (limits[:, 0] == limits[:, 1])
        self.classes: Any = None
        if classes is not None:
            self.classes = np.array(classes, dtype=self.y.dtype)
            self._places = {label: place for place, label in enumerate(self.classes.tolist())}
            self.index = self._indices(self.y)

    def on(self, places: Indices) -> Judge:
        """Return the judge of some of the rows."""
        part = Judge(
            self.y[places],
            self.classes,
            self.weights[places] if self._weighted else None,
            self.units[places],
            self.stakes,
            ordered=self.ordered,
            event=None if self.event is None else self.event[places],
            limits=None if self.limits is None else self.limits[places],
        )
        part.horizon = None if self.horizon is None else self.horizon.on(places)
        return part

    def assess(self, machine: Any) -> Assessment:
        """Return the estimates of a fitted machine that need no further fit: leave-one-out and the baseline."""
        classes = None if self.classes is None else tuple(self.classes.tolist())
        return Assessment(
            classes=classes, leave_one_out=self.leave_one_out(machine), outer_folds=None, baseline=self.baseline()
        )

    def of_rows(
        self,
        name: str,
        prediction: Any,
        probability: Array | None = None,
        *,
        ranked: bool = True,
        survival: Array | None = None,
    ) -> Estimate:
        """Return the estimate from one prediction per row.

        ``ranked`` adds the area under the curve. Times may have ``survival`` functions at the times of the horizon.
        """
        if self.event is not None:
            rows = np.arange(len(self.y))
            only = FoldOutcome(rows=rows, prediction=prediction, probability=None, survival=survival)
            return self._of_times(name, [only], 1)
        losses = self.losses(np.arange(len(self.y)), prediction, probability)
        scores = [loss.score(self.weights, self.units) for loss in losses]
        area = self._area(np.arange(len(self.y)), probability) if ranked else None
        scores += [*([area] if area else []), *self._f1(np.arange(len(self.y)), prediction)]
        whole = Estimate(name=name, scores=tuple(scores), y_true=self.y, prediction=prediction, probability=probability)
        return whole if self.limits is None else whole.of_known(self.limits)

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
        whole = Estimate(
            name=name,
            scores=tuple(scores),
            y_true=self.y[rows[order]],
            prediction=prediction[order],
            probability=None if probability is None else probability[order],
            interval=None if interval is None else interval[order],
            rows=rows[order] if once < len(self.y) else None,
        )
        return whole if self.limits is None else whole.of_known(self.limits)

    def held_out(self, outcomes: Sequence[FoldOutcome], names: Sequence[Any]) -> HeldOutRelevance | None:
        """Return what shuffled columns cost on the rows of folds; None if none were shuffled."""
        found = [(one.rises, one.shuffled) for one in outcomes if one.rises is not None and one.shuffled is not None]
        if not found:
            return None
        score = "R²" if self.classes is None else "log-loss"
        return HeldOutRelevance.of(names, [rise for rise, _ in found], [self.units[rows] for _, rows in found], score)

    def losses(self, rows: Indices, prediction: Any, probability: Array | None = None) -> list[RowLoss]:
        """Return the losses of predictions for some of the rows; the order of times has none of single rows."""
        if self.event is not None:
            return []
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
        if self.event is not None:
            found = list(self._of_times("", [outcome], 1).scores)
            return next((score.value for score in found if score.name == name), np.nan)
        losses = self.losses(outcome.rows, outcome.prediction, outcome.probability)
        found = [loss.score(self.weights[outcome.rows]) for loss in losses]
        area, precision = self._area(outcome.rows, outcome.probability), self._precision(outcome)
        found += [score for score in (area, precision, *self._f1(outcome.rows, outcome.prediction)) if score]
        return next((score.value for score in found if score.name == name), np.nan)

    def leave_one_out(self, machine: Any) -> Estimate | None:
        """Return the estimate from exact leave-one-out values, None if the machine has none."""
        try:
            if self.event is not None:
                assert self.horizon is not None
                survival = left_out_survival(machine, self.horizon.times)
                return self.of_rows(LEAVE_ONE_OUT, -left_out_values(machine), survival=survival)
            if self.classes is None:
                found, interval = (
                    self.of_rows(LEAVE_ONE_OUT, left_out_values(machine)),
                    left_out_interval(machine, COVERAGE),
                )
                kept = slice(None) if found.rows is None else found.rows
                return replace(found, interval=None if interval is None else interval[kept])
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
        if self.event is not None:
            assert self.horizon is not None
            alive = kaplan_meier(self.y[rows], self.event[rows], self.horizon.times)[0]
            return {"prediction": np.zeros(count), "probability": None, "survival": np.tile(alive, (count, 1))}
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
        """Return the estimate of survival times: how well each fold orders its own rows, and its survival functions."""
        assert self.event is not None
        assert self.horizon is not None
        ranks = [{score.name: score for score in self.horizon.ranks(one.rows, one.prediction)} for one in outcomes]
        names = dict.fromkeys(each for found in ranks for each in found)
        scores = [score for each in names for score in mean_over_folds((one.get(each) for one in ranks), per_repeat)]
        once = list(outcomes[:per_repeat])
        rows = np.concatenate([one.rows for one in once])
        order = np.argsort(rows)
        time, event, quarters = self.y[rows[order]], self.event[rows[order]], None
        said = stacked_folds([one.survival for one in outcomes])
        if said is not None:
            every = np.concatenate([one.rows for one in outcomes])
            places = np.split(np.arange(len(every)), np.cumsum([len(one.rows) for one in outcomes])[:-1])
            loss = self.horizon.brier(every, said)
            scores.append(loss.fold_score(self.weights[every], places, per_repeat, self.units[every]))
            quarters = self.horizon.of_quarters(said[: len(rows)])[order]
            calibrated = calibration_score(time, event, quarters[:, 1], float(self.horizon.quarters[1]))
            scores += [] if calibrated is None else [calibrated]
        return Estimate(
            name=name,
            scores=tuple(scores),
            y_true=time,
            prediction=np.concatenate([one.prediction for one in once])[order],
            rows=rows[order] if len(rows) < len(self.y) else None,
            event=event,
            survival=quarters,
            quarters=None if quarters is None else self.horizon.quarters,
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
