"""Cox regression with a ridge, as the usual method that survival times are compared with.

Notation: b (p,) coefficients, eta = X b, w weights of rows, R_i the rows whose time is that of row i or later, H the
baseline hazard, a the ridge. Tied events as Breslow has them. Cox (1972); the ridge by the cross-validated partial
likelihood of Verweij & van Houwelingen (1993).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler

from kernelect.numerics import taken
from kernelect.typing import Array, Indices, Mask

#: Ridges that are tried, and folds that choose one.
_RIDGES, _FOLDS = 10.0 ** np.arange(-2, 4), 5

_MOST_STEPS, _TOL, _LEAST_STEP = 50, 1e-8, 1e-6

#: Largest eta: a hazard of e^30 times the usual one is certain.
_LARGEST = 30.0


class RidgeCox(BaseEstimator):
    """Proportional hazards: minimises minus the log partial likelihood plus a/2 |b|^2 on scaled inputs.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        For inputs of variance 1.
    ridge_ : float
    """

    coef_: Array
    ridge_: float

    def fit(self, X: Any, time: Any, event: Any, sample_weight: Any = None) -> Self:
        """Choose the ridge by folds, then fit on all rows."""
        self.scaler_ = StandardScaler().fit(X)
        times, seen = np.asarray(time, dtype=float), np.asarray(event, dtype=bool)
        order = np.argsort(times, kind="stable")
        weights = np.ones(len(times)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
        study = TimedRows(
            Z=self.scaler_.transform(X)[order], time=times[order], event=seen[order], weights=weights[order]
        )
        self.ridge_ = _best_ridge(study)
        self.coef_ = study.minimum(self.ridge_)
        self.times_ = study.time[study.event]
        self.hazards_ = np.cumsum(study.weights[study.event] / study.totals(self.coef_))
        return self

    def predict(self, X: Any) -> Array:
        """Return risks: eta."""
        return np.asarray(self.scaler_.transform(X) @ self.coef_, dtype=float)

    def predict_survival_function(self, X: Any, times: Array) -> Array:
        """Return exp(-H(t) e^eta), (m, n_times), with Breslow's H."""
        baseline = np.append(0.0, self.hazards_)[np.searchsorted(self.times_, times, side="right")]
        return np.exp(-baseline * np.exp(np.clip(self.predict(X), -_LARGEST, _LARGEST))[:, None])


def _best_ridge(study: TimedRows) -> float:
    event = study.event
    folds = min(_FOLDS, int(event.sum()), int((~event).sum()) or len(event))
    if folds < 2:
        return float(_RIDGES[-1])
    losses = np.zeros(len(_RIDGES))
    for train, _ in StratifiedKFold(folds, shuffle=True, random_state=0).split(study.Z, event):
        part = study.on(train)
        for place, ridge in enumerate(_RIDGES):
            b = part.minimum(ridge)
            losses[place] += study.loss(b) - part.loss(b)
    return float(_RIDGES[np.argmin(losses)])


@dataclass(frozen=True, kw_only=True)
class TimedRows:
    """Rows in the order of their times, and their partial likelihood."""

    Z: Array
    time: Array
    event: Mask
    weights: Array

    def on(self, rows: Indices) -> TimedRows:
        """Return some of the rows, given in their order."""
        return taken(self, rows, "Z", "time", "event", "weights")

    def hazard(self, b: Array) -> Array:
        """Return w e^eta of every row."""
        return np.asarray(self.weights * np.exp(np.clip(self.Z @ b, -_LARGEST, _LARGEST)), dtype=float)

    @property
    def first(self) -> Indices:
        """Where the rows begin that are still there, for every event."""
        return np.searchsorted(self.time, self.time)[self.event]

    def totals(self, b: Array) -> Array:
        """Return the hazards of the rows that are still there, summed, for every event."""
        return np.asarray(np.cumsum(self.hazard(b)[::-1])[::-1][self.first], dtype=float)

    def loss(self, b: Array) -> float:
        """Return minus the log partial likelihood, sum over events of w_i (ln sum_{j in R_i} w_j e^{eta_j} - eta_i)."""
        eta = np.clip(self.Z @ b, -_LARGEST, _LARGEST)[self.event]
        return float(self.weights[self.event] @ (np.log(self.totals(b)) - eta))

    def slopes(self, b: Array) -> tuple[Array, Array]:
        """Return the gradient of the loss, and its second derivatives."""
        hazard, total, w = self.hazard(b), self.totals(b), self.weights[self.event]
        means = np.cumsum((hazard[:, None] * self.Z)[::-1], axis=0)[::-1][self.first] / total[:, None]
        # Row j is in the sets of all events that begin at or before its place.
        shares = hazard * np.cumsum(np.bincount(self.first, w / total, minlength=len(self.time)))
        return w @ (means - self.Z[self.event]), (shares[:, None] * self.Z).T @ self.Z - (w[:, None] * means).T @ means

    def minimum(self, ridge: float) -> Array:
        """Return the coefficients of a ridge, by Newton's method with halved steps."""
        b = np.zeros(self.Z.shape[1])
        for _ in range(_MOST_STEPS):
            value = self.loss(b) + 0.5 * ridge * float(b @ b)
            gradient, hessian = self.slopes(b)
            gradient = gradient + ridge * b
            step = np.linalg.solve(hessian + ridge * np.eye(len(b)), -gradient)
            size = 1.0
            while size > _LEAST_STEP:
                there = b + size * step
                if self.loss(there) + 0.5 * ridge * float(there @ there) <= value:
                    break
                size *= 0.5
            if -gradient @ step < _TOL or size <= _LEAST_STEP:
                break
            b = there
        return b
