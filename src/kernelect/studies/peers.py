"""Wrappers that run other packages like our estimators: scaled inputs, labels from 0, a fit method."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

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


#: Categories of a text column that are kept apart; the rarer ones share a column.
_MOST_CATEGORIES = 50


def coded_columns() -> Any:
    """Return what turns a DataFrame into numbers: scaled, gaps filled by the median and marked, text one-hot coded."""
    numbers = make_pipeline(SimpleImputer(strategy="median", add_indicator=True), StandardScaler())
    words = OneHotEncoder(handle_unknown="infrequent_if_exist", max_categories=_MOST_CATEGORIES, sparse_output=False)
    chosen = make_column_selector(dtype_include="number"), make_column_selector(dtype_exclude="number")
    return make_column_transformer((numbers, chosen[0]), (words, chosen[1]))


class WithCategories(BaseEstimator):  # type: ignore[misc]
    """Hands the text columns of a DataFrame to boosted trees as categories of their own kind.

    Parameters
    ----------
    estimator : estimator
    words : bool
        Whether it takes categories as words, in the columns that its ``cat_features`` names, as CatBoost does.
    """

    def __init__(self, estimator: Any = None, words: bool = False) -> None:
        self.estimator = estimator
        self.words = words

    def fit(self, X: Any, y: Array) -> Self:
        """Fit the estimator, and remember the categories of the training rows."""
        text = list(X.select_dtypes(exclude="number").columns)
        self.levels_ = {column: sorted(X[column].dropna().astype(str).unique()) for column in text}
        model, inputs = clone(self.estimator), self._inputs(X)
        if self.words:
            model.set_params(cat_features=[f"c{list(X.columns).index(column)}" for column in text])
        self.fitted_ = model.fit(inputs, y)
        return self

    def predict(self, X: Any) -> Any:
        """Return predictions."""
        return self.fitted_.predict(self._inputs(X))

    def predict_proba(self, X: Any) -> Any:
        """Return class probabilities."""
        return self.fitted_.predict_proba(self._inputs(X))

    @property
    def classes_(self) -> Any:
        """The classes, in the order of the probabilities."""
        return self.fitted_.classes_

    def _inputs(self, X: Any) -> Any:
        import pandas as pd

        coded = X.copy()
        for column, levels in self.levels_.items():
            known = [*levels, "missing"]
            words = X[column].astype(object).where(X[column].notna(), "missing").astype(str)
            coded[column] = words if self.words else pd.Categorical(words.where(words.isin(known)), categories=known)
        return coded.set_axis([f"c{i}" for i in range(coded.shape[1])], axis=1)  # LightGBM refuses some names


class ThenCalibrated(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Searches by accuracy, and gives probabilities to the best found alone, which is a sixth of the work.

    Parameters
    ----------
    search : GridSearchCV
    """

    def __init__(self, search: Any = None) -> None:
        self.search = search

    def fit(self, X: Any, y: Array) -> Self:
        """Search, then fit Platt's sigmoid to decision values of five folds."""
        best = clone(self.search).fit(X, y).best_estimator_
        self.fitted_ = CalibratedClassifierCV(clone(best), ensemble=False, cv=5).fit(X, y)
        self.classes_ = self.fitted_.classes_
        return self

    def predict(self, X: Any) -> Any:
        """Return labels."""
        return self.fitted_.predict(X)

    def predict_proba(self, X: Any) -> Any:
        """Return class probabilities."""
        return self.fitted_.predict_proba(X)


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
