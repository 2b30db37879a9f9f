"""What survival times and ordered classes are compared with: methods that know less, or that others use."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy.special import ndtr
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV

from kernelect.mixture import KernelClassifier, KernelRegressor, KernelSurvival
from kernelect.mixture.survival_forest import SurvivalForest
from kernelect.numerics import kaplan_meier
from kernelect.tabular.cox import RidgeCox
from kernelect.typing import Array

#: Trees of the forest alone.
_TREES = 200

#: Inverse ridges of logistic regression.
_STRENGTHS = (0.01, 0.1, 1.0, 10.0)


class OneCurve(BaseEstimator):
    """Survival times without looking at any input: Kaplan and Meier's curve for all rows."""

    def fit(self, X: Any, time: Any, event: Any, sample_weight: Any = None) -> Self:
        """Remember the rows."""
        self.time_, self.event_ = np.asarray(time, dtype=float), np.asarray(event, dtype=bool)
        return self

    def predict(self, X: Any) -> Array:
        """Return the same risk for all rows."""
        return np.zeros(len(X))

    def predict_survival_function(self, X: Any, times: Array) -> Array:
        """Return the same curve for all rows."""
        return np.tile(kaplan_meier(self.time_, self.event_, times)[0], (len(X), 1))


class Graded(ClassifierMixin, BaseEstimator):
    """Classes with an order as the numbers 0 to K - 1 for a regressor; class k is what lies within 1/2 of k.

    Parameters
    ----------
    regressor : estimator
        Whose ``predict`` has ``return_std``.
    order : list of labels
    """

    def __init__(self, regressor: Any, order: Any) -> None:
        self.regressor = regressor
        self.order = order

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the regressor to the places of the classes."""
        self.classes_ = np.array(self.order)
        places = {label: float(place) for place, label in enumerate(self.classes_.tolist())}
        self.regressor.fit(X, np.array([places[label] for label in np.asarray(y).tolist()]), sample_weight)
        return self

    def predict_proba(self, X: Any) -> Array:
        """Return the shares of a normal distribution around the prediction."""
        mean, deviation = self.regressor.predict(X, return_std=True)
        cuts = np.arange(len(self.classes_) - 1) + 0.5
        below = ndtr((cuts - mean[:, None]) / np.maximum(deviation, 1e-9)[:, None])
        return np.diff(below, axis=1, prepend=0.0, append=1.0)

    def predict(self, X: Any) -> Any:
        """Return the most probable class."""
        return self.classes_[np.argmax(self.predict_proba(X), axis=1)]


def peers_of_times(seed: int) -> dict[str, BaseEstimator]:
    """Return methods for survival times by name."""
    return {
        "Cox regression, ridge": RidgeCox(),
        "survival forest alone": KernelSurvival([SurvivalForest(n_trees=_TREES)], random_state=seed),
    }


def peers_of_order(order: list[Any], seed: int, effort: str | None) -> dict[str, BaseEstimator]:
    """Return methods for ordered classes by name."""
    effort = effort or "balanced"
    return {
        "auto, order ignored": KernelClassifier(effort, random_state=seed),
        "auto, classes as numbers": Graded(KernelRegressor(effort, random_state=seed), order),
        "sklearn logistic regression": GridSearchCV(
            LogisticRegression(max_iter=1000), {"C": list(_STRENGTHS)}, scoring="neg_log_loss", cv=3
        ),
    }
