"""Predictions for the rows of a table become estimates of how good the predictor is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator

from kernelect.criteria.calibration import fit_temperature, probabilities
from kernelect.estimators._targets import decide_class
from kernelect.tabular.folds import FoldOutcome
from kernelect.tabular.schema import Rows, Schema
from kernelect.tabular.scores import (
    RowLoss,
    Score,
    area_under_curve,
    classification_losses,
    fold_standard_error,
    regression_losses,
)


@dataclass(frozen=True)
class Estimate:
    """How good the model is, estimated in one way.

    Attributes
    ----------
    name : str
        Such as ``"leave-one-out"``, ``"5 outer folds x 1"`` or ``"always the mean"``.
    scores : tuple of Score
    y_true, prediction : ndarray of shape (n,), or None
        Labels or values; of repeated folds, those of the first repetition.
    probability : ndarray of shape (n, n_classes), or None
        Columns in the order of the assessment's classes.
    """

    name: str
    scores: tuple[Score, ...]
    y_true: np.ndarray | None
    prediction: np.ndarray | None
    probability: np.ndarray | None

    def score(self, name: str) -> Score | None:
        """Return one figure by name, None if it is not there."""
        return next((score for score in self.scores if score.name == name), None)


class Judge:
    """Knows the rows' true targets and weights, and values predictions for them."""

    def __init__(self, schema: Schema, rows: Rows) -> None:
        self.schema = schema
        self.y = rows.y.to_numpy()
        self.weights = np.ones(len(self.y)) if rows.weights is None else rows.weights
        self._weighted = rows.weights is not None
        if schema.classes is not None:
            self.classes = np.array(schema.classes, dtype=self.y.dtype)
            self.index = self._indices(self.y)

    def of_rows(self, name: str, prediction: np.ndarray, probability: np.ndarray | None = None) -> Estimate:
        """Return the estimate from one prediction per row."""
        losses = self.losses(np.arange(len(self.y)), prediction, probability)
        scores = [loss.score(self.weights) for loss in losses]
        area = self._area(np.arange(len(self.y)), probability)
        return Estimate(name, (*scores, *([area] if area else [])), self.y, prediction, probability)

    def of_folds(self, name: str, outcomes: list[FoldOutcome], per_repeat: int) -> Estimate:
        """Return the estimate from folds, ``per_repeat`` of them in each repetition."""
        rows = np.concatenate([outcome.rows for outcome in outcomes])
        prediction = np.concatenate([outcome.prediction for outcome in outcomes])
        stacked = [outcome.probability for outcome in outcomes if outcome.probability is not None]
        probability = np.concatenate(stacked) if stacked else None
        places = np.split(np.arange(len(rows)), np.cumsum([len(outcome.rows) for outcome in outcomes])[:-1])
        losses = self.losses(rows, prediction, probability)
        scores = [loss.fold_score(self.weights[rows], places, per_repeat) for loss in losses]
        scores += self._mean_area(outcomes, per_repeat)
        order = np.argsort(rows[: len(self.y)])  # the first repetition, in the table's order
        first = None if probability is None else probability[order]
        return Estimate(name, tuple(scores), self.y, prediction[order], first)

    def losses(self, rows: np.ndarray, prediction: np.ndarray, probability: np.ndarray | None = None) -> list[RowLoss]:
        """Return the losses of predictions for some of the rows."""
        if self.schema.classes is None:
            return regression_losses(self.y[rows], prediction, self.weights[rows])
        return classification_losses(self.index[rows], self._indices(prediction), probability)

    def leave_one_out(self, machine: BaseEstimator) -> Estimate | None:
        """Return the estimate from exact leave-one-out values, None where the machine has none."""
        if hasattr(machine, "loo_prediction_"):
            return self.of_rows("leave-one-out", machine.loo_prediction_)
        if not hasattr(machine, "loo_decision_"):
            return None
        decision = machine.loo_decision_
        probability = probabilities(decision, fit_temperature(decision, self.index, self.weights))
        return self.of_rows("leave-one-out", self.classes[decide_class(decision)], probability)

    def baseline(self) -> Estimate:
        """Return what the largest class or the mean achieves, without looking at any input."""
        if self.schema.classes is None:
            mean = float(np.average(self.y, weights=self.weights))
            return self.of_rows("always the mean", np.full(len(self.y), mean))
        shares = np.bincount(self.index, weights=self.weights) / self.weights.sum()
        largest = np.repeat(self.classes[[np.argmax(shares)]], len(self.y))
        return self.of_rows("always the largest class", largest, np.tile(shares, (len(self.y), 1)))

    def _indices(self, labels: Any) -> np.ndarray:
        return pd.Index(self.classes).get_indexer(labels)

    def _area(self, rows: np.ndarray, probability: np.ndarray | None) -> Score | None:
        """Return the area under the curve, of two classes without weights."""
        if probability is None or probability.shape[1] != 2 or self._weighted:
            return None
        return area_under_curve(self.index[rows] == 1, probability[:, 1])

    def _mean_area(self, outcomes: list[FoldOutcome], per_repeat: int) -> list[Score]:
        """Return the mean over folds: probabilities of different models are not ranked together."""
        areas = [self._area(outcome.rows, outcome.probability) for outcome in outcomes]
        values = np.array([area.value for area in areas if area is not None])
        return [Score("AUC", float(values.mean()), fold_standard_error(values, per_repeat))] if len(values) else []
