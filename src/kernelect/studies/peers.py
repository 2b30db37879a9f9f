"""What other packages need to be run like an estimator of ours: scaled inputs, labels from 0, a fit method."""

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
    """Return scikit-learn's kernel of the form that ours has: amplitude * rbf + constant."""
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
    """GPy's Gaussian process classifier by expectation propagation, two classes, optimised until it stays."""

    def __init__(self, rounds: int = 5) -> None:
        self.rounds = rounds

    def fit(self, X: Array, y: Array) -> Self:
        """Optimise in rounds: one of GPy's runs stops short of its own optimum."""
        import GPy

        self.classes_ = np.unique(y)
        if len(self.classes_) != 2:
            raise InvalidArgument(f"GPy's classifier tells two classes apart, and y has {len(self.classes_)}.")
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
        """Fit by the evidence, from widths of the usual distance between rows."""
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
