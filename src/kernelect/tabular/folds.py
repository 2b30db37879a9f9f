"""Fitting a pipeline without noise, once or in repeated outer folds."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import RepeatedKFold, RepeatedStratifiedKFold
from threadpoolctl import threadpool_limits

from kernelect.exceptions import InvalidArgument, UnusableTable
from kernelect.facts import FoldOutcome
from kernelect.tabular.schema import Rows, Schema

Split = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class FoldOptions:
    """Outer folds: how many, how often, how many at a time, and for how many seconds all together."""

    folds: int = 5
    repeats: int = 1
    jobs: int = 1
    seed: int = 0
    time_limit: float | None = None

    @property
    def name(self) -> str:
        """What the estimate from these folds is called."""
        return f"{self.folds} outer folds" + (f", {self.repeats} times" if self.repeats > 1 else "")

    def splits(self, rows: Rows, schema: Schema) -> list[Split]:
        """Return training and test rows of each fold, repetition after repetition."""
        if self.folds < 2 or self.folds > len(rows.y):
            raise InvalidArgument(f"--folds {self.folds} must be a number from 2 to {len(rows.y)}, the number of rows.")
        splitter = RepeatedStratifiedKFold if schema.classes is not None else RepeatedKFold
        folds = splitter(n_splits=self.folds, n_repeats=self.repeats, random_state=self.seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # a class with fewer rows than folds
            return list(folds.split(rows.X, rows.y))


def fit_quietly(model: BaseEstimator, rows: Rows, chosen: np.ndarray | None = None) -> tuple[str, ...]:
    """Fit a pipeline (on chosen rows) and return the warnings as sentences."""
    chosen = np.arange(len(rows.y)) if chosen is None else chosen
    given: dict[str, Any] = {} if rows.weights is None else {"machine__sample_weight": rows.weights[chosen]}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(rows.X.iloc[chosen], rows.y.iloc[chosen], **given)
    return tuple(dict.fromkeys(str(warning.message) for warning in caught))


def fold_outcomes(
    model: BaseEstimator, rows: Rows, schema: Schema, splits: list[Split], jobs: int = 1
) -> Iterator[FoldOutcome]:
    """Yield the outcome of each fold in turn: a fresh copy fitted on the training rows, all of it."""
    work = (delayed(run_fold)(model, rows, schema, train, test) for train, test in splits)
    yield from Parallel(n_jobs=jobs, return_as="generator")(work)


def run_fold(model: BaseEstimator, rows: Rows, schema: Schema, train: np.ndarray, test: np.ndarray) -> FoldOutcome:
    """Fit a copy on the training rows and predict the test rows."""
    fresh, inputs = clone(model), rows.X.iloc[test]
    with threadpool_limits(1, user_api="openmp"):  # threads of boosting wait for each other on a busy machine
        caught = _fitted(fresh, rows, train)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # categories that only the test rows have
            return FoldOutcome(
                rows=test,
                prediction=np.asarray(fresh.predict(inputs)),
                probability=_probability(fresh, inputs, schema),
                warnings=caught,
            )


def _fitted(model: BaseEstimator, rows: Rows, train: np.ndarray) -> tuple[str, ...]:
    """Fit on the training rows of a fold, which may lack what makes a column worth using."""
    try:
        return fit_quietly(model, rows, train)
    except InvalidArgument as error:
        raise UnusableTable(
            f"The training rows of one outer fold make no model ({str(error).rstrip('.')}): fit without outer folds "
            "(--folds 0), or add rows."
        ) from error


def _probability(model: BaseEstimator, inputs: Any, schema: Schema) -> np.ndarray | None:
    """Return probabilities of all classes, 0 for those the training rows did not have."""
    if schema.classes is None or not hasattr(model, "predict_proba"):
        return None
    out = np.zeros((len(inputs), len(schema.classes)))
    places = {label: place for place, label in enumerate(schema.classes)}
    out[:, [places[label] for label in model.classes_.tolist()]] = model.predict_proba(inputs)
    return out
