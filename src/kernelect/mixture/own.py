"""Estimators of the user's own as members of a mixture: whatever fits and predicts as scikit-learn's do.

What other members say of rows left out is exact; of such an estimator only folds tell. It is fitted on four fifths of
the rows, five times, and judged on the fifth that it has not seen. All such estimators share these folds, whose units
are groups if there are any. The one that predicts is fitted on all rows. Its own folds had fewer of them, so that its
weight is a little cautious.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.utils.validation import has_fit_parameter

from kernelect.exceptions import InvalidArgument
from kernelect.mixture.bags import FOLDS
from kernelect.mixture.base import Member, MixtureCandidate, MixtureTask
from kernelect.mixture.folds import dealt_rows, indicators_of
from kernelect.model import View
from kernelect.typing import Array, Indices


@dataclass(frozen=True)
class OwnEstimator(MixtureCandidate):
    """An estimator of the user's own, not fitted yet: it sees numbers, and an indicator for every level of a category.

    Parameters
    ----------
    estimator : object
        Has ``fit``, ``get_params`` and ``predict_proba`` (labels) or ``predict`` (numbers).
    """

    estimator: Any

    kernel = "coded columns"

    @property
    def machine(self) -> str:  # type: ignore[override]
        """The name of the estimator's class."""
        return type(self.estimator).__name__

    @property
    def words(self) -> str:
        return " ".join(repr(self.estimator).split())

    @staticmethod
    def is_one(part: object) -> bool:
        """Return whether an object fits and has parameters as estimators do."""
        return not isinstance(part, type) and hasattr(part, "fit") and hasattr(part, "get_params")

    def takes_part(self, task: MixtureTask) -> bool:
        if task.partly:
            raise InvalidArgument(
                f"effort has {self.words}, which takes numbers: targets here are known in part, so leave it out."
            )
        fits = is_classifier(self.estimator) if task.labels else is_regressor(self.estimator)
        if not fits:
            kind, door = ("classifier", "KernelClassifier") if task.labels else ("regressor", "KernelRegressor")
            raise InvalidArgument(f"effort has {self.words}, which is no {kind}: {door} takes {kind}s as members.")
        if task.labels and not hasattr(self.estimator, "predict_proba"):
            raise InvalidArgument(
                f"effort has {self.words}, which has no predict_proba: wrap it in "
                "sklearn.calibration.CalibratedClassifierCV, or leave it out."
            )
        return True

    def fit(self, task: MixtureTask) -> Member:
        kept, indicators = task.weights > 0, indicators_of(task)
        E = indicators(task.Z)
        rows, fold = dealt_rows(task)
        whole = self._fitted(task, E, rows)
        left_out = _said(whole, E, task)
        for number in np.unique(fold):
            outside = rows[fold == number]
            left_out[outside] = _said(self._fitted(task, E, rows[fold != number]), E[outside], task)
        aligned = whole if not task.labels or len(whole.classes_) == task.n_classes else Aligned(whole, task)
        component = task.judged(self, aligned, left_out, View(indicators=indicators))
        weighted = "" if self._takes_weights or np.ptp(task.weights[kept]) == 0.0 else "; it takes no weights of rows"
        return Member(candidate=self, component=component, status=f"judged on {FOLDS} folds{weighted}")

    @property
    def _takes_weights(self) -> bool:
        return bool(has_fit_parameter(self.estimator, "sample_weight"))

    def _fitted(self, task: MixtureTask, E: Array, rows: Indices) -> Any:
        machine = clone(self.estimator)
        seeds = [name for name, value in machine.get_params().items() if _is_seed(name) and value is None]
        machine.set_params(**dict.fromkeys(seeds, task.seed))
        weights = {"sample_weight": task.weights[rows]} if self._takes_weights else {}
        return machine.fit(E[rows], task.y[rows], **weights)


class Aligned:
    """A fitted classifier that lacks some classes of a task: their probabilities are 0."""

    def __init__(self, machine: Any, task: MixtureTask) -> None:
        self.machine, self.n_classes = machine, task.n_classes

    def predict_proba(self, V: Array) -> Array:
        """Return probabilities (m, n_classes) of all classes of the task."""
        found = np.zeros((len(V), self.n_classes or 0))
        found[:, np.asarray(self.machine.classes_, dtype=np.intp)] = self.machine.predict_proba(V)
        return found


def _is_seed(name: str) -> bool:
    return name.split("__")[-1] == "random_state"


def _said(machine: Any, E: Array, task: MixtureTask) -> Array:
    """Return the probabilities of all classes, or predictions, (m, k)."""
    if task.labels:
        return Aligned(machine, task).predict_proba(E)
    return np.array(machine.predict(E), dtype=float).reshape(len(E), -1)
