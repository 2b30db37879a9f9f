"""What an error costs and which figure counts most: said by the user, kept with the model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from kernelect.exceptions import InvalidArgument, unknown_name
from kernelect.model.decisions import Decision, decide_by_cost, decide_by_f1
from kernelect.typing import Array, Indices

COST, F1, AVERAGE_PRECISION = "cost", "F1", "average precision"

#: Scores of survival times.
CONCORDANCE, UNO = "concordance", "concordance (Uno)"
INTEGRATED_BRIER, CALIBRATION = "integrated Brier score", "calibration at the median time"

#: Scores of classes with an order.
MEAN_DISTANCE, RANKED = "mean distance", "ranked probability score"

#: Name of a metric in options -> what the score is called, by task.
METRICS: dict[str, dict[str, str]] = {
    "classification": {
        "error": "error",
        "log-loss": "log-loss",
        "auc": "AUC",
        "average-precision": AVERAGE_PRECISION,
        "brier": "Brier score",
        "f1": F1,
    },
    "regression": {"rmse": "RMSE", "mae": "MAE", "r2": "R²"},
}

#: Figures of one of two classes.
_OF_TWO = ("AUC", AVERAGE_PRECISION, F1)


@dataclass(frozen=True)
class Stakes:
    """What counts.

    Attributes
    ----------
    metric : str or None
        The score that counts most, as scores are called; None for the task's usual one.
    costs : tuple of tuple of float, or None
        Cost of predicting a class (column) when the truth is another (row), in the order of the classes.
    """

    metric: str | None = None
    costs: tuple[tuple[float, ...], ...] | None = None

    def main(self, task: str) -> str:
        """Return the score that counts most: the one asked for, else the cost if there are costs."""
        usual = "error" if task == "classification" else "RMSE"
        return self.metric or (usual if self.costs is None else COST)

    def decision(self, probability: Array | None, index: Indices, weights: Array | None = None) -> Decision | None:
        """Return how probabilities become classes; None if the most probable class is right.

        Parameters
        ----------
        probability : ndarray of shape (n, k), or None
            Of rows left out; None if the machine has none, and costs alone decide.
        index, weights : ndarrays of shape (n,)
        """
        if self.costs is not None:
            return decide_by_cost(np.array(self.costs), probability, index, weights)
        if self.metric == F1 and probability is not None and probability.shape[1] == 2:
            return decide_by_f1(probability, index, positive_class(index), weights)
        return None


def positive_class(index: Indices) -> int:
    """Return the rarer of two classes, the second where both are equally frequent."""
    return int(2 * np.sum(index == 1) <= len(index))


def metric_named(name: str | None, task: str, n_classes: int | None) -> str | None:
    """Return what the score of a metric is called, or say which metrics there are."""
    if name is None:
        return None
    known = METRICS[task]
    if name not in known and name in (other for metrics in METRICS.values() for other in metrics):
        what = (
            "numbers, and the target has classes" if task == "classification" else "classes, and the target is a number"
        )
        raise InvalidArgument(f"--metric {name} is for {what}: choose one of {', '.join(known)}.")
    if name not in known:
        raise unknown_name("--metric", name, list(known))
    if known[name] in _OF_TWO and n_classes != 2:
        raise InvalidArgument(f"--metric {name} is for two classes, and the target has {n_classes}: use log-loss.")
    return known[name]


def costs_of(classes: tuple[Any, ...], given: Mapping[tuple[str, str], float]) -> tuple[tuple[float, ...], ...]:
    """Return the costs of all pairs, 1 if a pair of true and predicted class is not given.

    Parameters
    ----------
    classes : tuple of labels
    given : mapping of (true, predicted) to cost
    """
    return tuple(
        tuple(0.0 if true == said else float(given.get((str(true), str(said)), 1.0)) for said in classes)
        for true in classes
    )


def costs_of_weights(weights: Array) -> tuple[tuple[float, ...], ...]:
    """Return costs by which every error counts with the weight of its true class.

    For calibrated probabilities this is what weights of classes do, without moving the probabilities.
    """
    return tuple(tuple(0.0 if k == j else float(weights[j]) for k in range(len(weights))) for j in range(len(weights)))
