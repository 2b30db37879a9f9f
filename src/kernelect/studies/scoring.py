"""What is measured in one cell: fit on the training part, score on the test part."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import is_classifier

from kernelect.facts.scores import area_under_curve, classification_losses
from kernelect.studies.build import build
from kernelect.studies.definition import Method
from kernelect.studies.splits import Problem
from kernelect.typing import Array, Indices

Figures = dict[str, Any]


def fit_and_score(problem: Problem, method: Method, needed: Mapping[str, Any] | None, seed: int) -> Figures:
    """Fit the method's estimator on the training part and score it on the test part."""
    del needed
    estimator = build(method.estimator)
    return fitted_and_scored(seeded(estimator, seed), problem)


def seeded(estimator: Any, seed: int) -> Any:
    """Give a seed to every part of an estimator that takes one and has none."""
    names = [name for name, value in estimator.get_params().items() if name.endswith("random_state") and value is None]
    return estimator.set_params(**dict.fromkeys(names, seed))


def fitted_and_scored(model: Any, problem: Problem) -> Figures:
    """Fit, score and describe a model; seconds are those of this thread, because others may share the process."""
    began = time.thread_time()
    model.fit(problem.X, problem.y)
    seconds = time.thread_time() - began
    return {**score(model, problem), **describe_fit(model), "fit_seconds": seconds}


def score(model: Any, problem: Problem) -> Figures:
    """Return error % and log-loss of a classifier, mean squared error of a regressor."""
    predicted = model.predict(problem.X_test)
    if not (is_classifier(model) or hasattr(model, "classes_")):  # some peers do not say what they are
        return score_numbers(predicted, problem)
    if not hasattr(model, "predict_proba"):
        return _error(predicted, problem)
    return score_labels(predicted, model.classes_, model.predict_proba(problem.X_test), problem)


def score_numbers(predicted: Any, problem: Problem) -> Figures:
    """Return the mean squared error of predicted numbers."""
    return {"mse": float(np.mean((predicted - problem.y_test) ** 2))}


def score_labels(predicted: Any, classes: Any, probabilities: Any, problem: Problem) -> Figures:
    """Return the error % of predicted labels, and log-loss, Brier score and area of probabilities."""
    figures = _error(predicted, problem)
    every, p = _widened(classes, np.asarray(probabilities), problem)
    index = np.searchsorted(every, problem.y_test)
    means = {each.name: float(each.losses.mean()) for each in classification_losses(index, index, p)}
    return {**figures, "log_loss": means["log-loss"], "brier": means["Brier score"], "auc": _area(index, p)}


def _error(predicted: Any, problem: Problem) -> Figures:
    error = 100.0 * float(np.mean(predicted != problem.y_test))
    return {"error": error, "majority": 100.0 * _majority_error(problem)}


def _area(index: Indices, p: Array) -> float:
    """Return the area under the curve of every class against the others, weighted by the rows of each; NaN of one."""
    positive = index[:, None] == np.arange(p.shape[1])
    areas = [(area_under_curve(*pair), pair[0].sum()) for pair in zip(positive.T, p.T, strict=True)]
    told = [(area.value, int(count)) for area, count in areas if area is not None]
    if not told:
        return float("nan")
    return float(np.average([area for area, _ in told], weights=[count for _, count in told]))


def _widened(known: Any, p: Array, problem: Problem) -> tuple[Any, Array]:
    """Return classes and probabilities, with 0 for a class that only the test part has."""
    classes = np.union1d(known, problem.y_test)
    wide = np.zeros((len(p), len(classes)))
    wide[:, np.searchsorted(classes, known)] = p
    return classes, wide


def _majority_error(problem: Problem) -> float:
    labels, counts = np.unique(problem.y, return_counts=True)
    return float(np.mean(problem.y_test != labels[np.argmax(counts)]))


def describe_fit(model: Any) -> Figures:
    """Return the size and how the selection ended, if the model has them."""
    model = getattr(model, "best_estimator_", model)
    figures: Figures = {}
    if hasattr(model, "support_"):
        figures["vectors"] = int(np.size(model.support_))
    if hasattr(model, "feature_importances_"):
        figures.update(_inputs_left(np.asarray(model.feature_importances_, dtype=float)))
    selection = getattr(model, "selection_", None)
    if selection is not None:
        figures["value"] = float(selection.value)
        figures["status"] = str(selection.status)
        figures["evaluations"] = len(selection.trace)
        figures["at_bound"] = list(getattr(selection, "at_bound", ()))
    return figures


def _inputs_left(relevance: Array) -> Figures:
    """Return how many inputs a model uses at all, and how many equal ones would be as uneven (by the entropy)."""
    part = relevance[relevance > 0.0] / np.sum(relevance)
    return {"inputs": len(part), "effective_inputs": float(np.exp(-np.sum(part * np.log(part))))}
