"""Fitted models to try laws on, and how two of them are compared."""

from functools import cache

import numpy as np
import pytest
from sklearn.base import clone, is_regressor

from contracts.parts import ESTIMATORS, SLOW, is_classifier, sample, target_for
from speeds import slowly


def over(names):
    """Run a law over estimators, and over those that take long with ``make test-all`` only."""
    names = list(names)
    return pytest.mark.parametrize(
        "name", [*(name for name in names if name not in SLOW), *slowly(*(name for name in names if name in SLOW))]
    )


every_estimator = over(ESTIMATORS)
every_classifier = over(name for name in ESTIMATORS if is_classifier(name))
every_regressor = over(name for name, estimator in ESTIMATORS.items() if is_regressor(estimator))


@cache
def queries():
    """Return rows to predict: some near the data, some between and beyond."""
    X, *_ = sample()
    generator = np.random.default_rng(9)
    return X[:10] + 0.2 * generator.normal(size=(10, 3))


def answers(model, Z):
    """Return all that the model says of the rows, one column per number."""
    columns = [model.predict_proba(Z)] if hasattr(model, "predict_proba") else [model.predict(Z)]
    if hasattr(model, "decision_function"):
        columns.append(model.decision_function(Z))
    if hasattr(model, "predict_interval"):
        columns.extend(model.predict_interval(Z, coverage=0.8))
    if hasattr(model, "predict_survival_function"):
        columns.append(model.predict_survival_function(Z, [0.5, 2.0]))
    if is_regressor(model):
        columns.append(model.predict(Z, return_std=True)[1])
    return np.column_stack(columns)


@cache
def fitted(name):
    X, *_ = sample()
    return clone(ESTIMATORS[name]).fit(X, target_for(name))


def refitted(name, X, y, **arguments):
    return clone(ESTIMATORS[name]).set_params(**arguments).fit(X, y)


def assert_same(found, expected, digits=1e-6):
    """Compare, column by column, relative to how much the column varies."""
    unit = np.maximum(expected.std(axis=0), 1e-3 * np.abs(expected).max())
    np.testing.assert_allclose(found / unit, expected / unit, atol=digits, rtol=0.0)


def searched(name):
    """Return how far apart two selections of the same problem may end; the evidence of an RVM is flat and bumpy."""
    return 0.03 if name.startswith("RV") else 1e-5
