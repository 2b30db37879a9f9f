"""Wrappers that run other packages like our estimators: scaled inputs, labels from 0, a fit method."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from kernelect.exceptions import InvalidArgument
from kernelect.studies.build import build
from kernelect.studies.definition import Method
from kernelect.studies.scoring import Figures, fitted_and_scored, seeded
from kernelect.studies.splits import Problem
from kernelect.typing import Array


def rbf_with_amplitude() -> Any:
    """Return scikit-learn's kernel in the same form as ours: amplitude * rbf + constant."""
    return ConstantKernel(1.0) * RBF(1.0) + ConstantKernel(1.0)


def fit_scaled(problem: Problem, method: Method, needed: Mapping[str, Any] | None, seed: int) -> Figures:
    """Standardise the inputs by the training rows, then fit and score."""
    del needed
    mean, spread = problem.X.mean(axis=0), problem.X.std(axis=0)
    spread = np.where(spread > 0, spread, 1.0)
    scaled = replace(problem, X=(problem.X - mean) / spread, X_test=(problem.X_test - mean) / spread)
    return fitted_and_scored(seeded(build(method.estimator), seed), scaled)


def fit_encoded(problem: Problem, method: Method, needed: Mapping[str, Any] | None, seed: int) -> Figures:
    """Number the classes from 0, then fit and score."""
    del needed
    classes, y = np.unique(problem.y, return_inverse=True)
    labels: Any = (y, np.searchsorted(classes, problem.y_test))
    encoded = replace(problem, y=labels[0], y_test=labels[1])
    return fitted_and_scored(seeded(build(method.estimator), seed), encoded)


class GPyClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """GPy's Gaussian process classifier by expectation propagation, for two classes, optimised until it settles."""

    def __init__(self, rounds: int = 5) -> None:
        self.rounds = rounds

    def fit(self, X: Array, y: Array) -> Self:
        """Optimise in rounds, because a single run of GPy stops short of its optimum."""
        import GPy

        self.classes_ = np.unique(y)
        if len(self.classes_) != 2:
            raise InvalidArgument(f"GPy's classifier distinguishes two classes, and y has {len(self.classes_)}.")
        self.mean_, self.scale_ = X.mean(axis=0), np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0)
        kernel = GPy.kern.RBF(X.shape[1]) + GPy.kern.Bias(X.shape[1])
        labels = (y == self.classes_[1]).astype(float)[:, None]
        self.model_ = GPy.models.GPClassification((X - self.mean_) / self.scale_, labels, kernel=kernel)
        for _ in range(self.rounds):
            self.model_.optimize("bfgs", max_iters=100)
        return self

    def predict_proba(self, X: Array) -> Array:
        """Return probabilities of the two classes."""
        p = np.asarray(self.model_.predict((X - self.mean_) / self.scale_)[0])[:, 0]
        return np.column_stack([1.0 - p, p])

    def predict(self, X: Array) -> Array:
        """Return the more probable class."""
        return np.asarray(self.classes_[(self.predict_proba(X)[:, 1] > 0.5).astype(int)])


class ArdProcess(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """scikit-learn's Gaussian process with one width per input, an amplitude and noise, on standardised inputs."""

    def __init__(self, random_state: int | None = None) -> None:
        self.random_state = random_state

    def fit(self, X: Array, y: Array) -> Self:
        """Fit by the evidence, starting from widths of the typical distance between rows."""
        d = X.shape[1]
        kernel = ConstantKernel() * RBF(np.full(d, np.sqrt(d)), (1e-2, 1e4)) + WhiteKernel(0.1)
        process = GaussianProcessRegressor(kernel, normalize_y=True, random_state=self.random_state)
        self.model_ = make_pipeline(StandardScaler(), process)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            self.model_.fit(X, y)
        return self

    def predict(self, X: Array) -> Array:
        """Return the posterior's mean."""
        return np.asarray(self.model_.predict(X))


class XRFM(BaseEstimator):  # type: ignore[misc]
    """xRFM with its defaults on standardised inputs; a fifth of the rows are the validation rows it needs."""

    def __init__(self, random_state: int | None = None) -> None:
        self.random_state = random_state

    def fit(self, X: Array, y: Array) -> Self:
        """Fit on four fifths of the rows, and stop by the error on the others."""
        from xrfm import xRFM

        targets: Any
        labels = y.dtype.kind != "f"
        if labels:
            self.classes_, targets = np.unique(y, return_inverse=True)
        else:
            self.level_, self.unit_ = float(y.mean()), float(y.std()) or 1.0
            targets = ((y - self.level_) / self.unit_).astype(np.float32)[:, None]
        self.scaler_ = StandardScaler().fit(X)
        Z = self.scaler_.transform(X).astype(np.float32)
        order = np.random.default_rng(self.random_state).permutation(len(Z))
        few, most = order[: len(Z) // 5], order[len(Z) // 5 :]
        if labels:  # every class is among the rows that are fitted
            most = np.union1d(most, np.unique(targets, return_index=True)[1])
        self.model_ = xRFM(verbose=False, random_state=self.random_state, n_threads=1, device="cpu")
        self.model_.fit(Z[most], targets[most], Z[few], targets[few])
        return self

    def predict_proba(self, X: Array) -> Array:
        """Return class probabilities."""
        return np.asarray(self.model_.predict_proba(self._inputs(X)), dtype=float)

    def predict(self, X: Array) -> Array:
        """Return the most probable class, or the predicted number."""
        if hasattr(self, "classes_"):
            return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])
        return self.level_ + self.unit_ * np.asarray(self.model_.predict(self._inputs(X)), dtype=float).reshape(-1)

    def _inputs(self, X: Array) -> Any:
        return self.scaler_.transform(X).astype(np.float32)
