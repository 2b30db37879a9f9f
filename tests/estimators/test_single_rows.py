"""Rows that need no check are not checked; all others are, as before."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from instances import wavy
from kernelect import LSSVC, LSSVR
from kernelect.estimators import _base
from kernelect.kernels import RBF


@pytest.fixture
def fitted():
    X, y, _ = wavy(30)
    return LSSVR(RBF(0.5), regularization=0.1).fit(X, y), X


def test_plain_rows_pass_without_scikit_learn(fitted, monkeypatch):
    model, X = fitted
    expected = model.predict(X.tolist())
    monkeypatch.setattr(_base, "validate_data", None)
    np.testing.assert_array_equal(model.predict(X), expected)
    np.testing.assert_allclose(model.predict(X[3:4]), expected[3:4], rtol=1e-12)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda X: X[:, :1], "X has 1 features, but LSSVR is expecting 2 features"),
        (lambda X: np.where(X > 0.0, np.nan, X), "Input X contains NaN"),
        (lambda X: np.where(X > 0.0, np.inf, X), "Input X contains infinity"),
        (lambda X: X[0], "Expected 2D array, got 1D array"),
        (lambda X: X[:0], "Found array with 0 sample"),
    ],
)
def test_rows_that_are_wrong_are_refused_as_ever(fitted, change, words):
    model, X = fitted
    with pytest.raises(ValueError, match=words):
        model.predict(change(X))


def test_names_and_unfitted_models_are_checked_as_ever(fitted):
    _, X = fitted
    with pytest.raises(NotFittedError):
        LSSVR().predict(X)
    named = LSSVR(RBF(0.5), regularization=0.1).fit(pd.DataFrame(X, columns=["a", "b"]), X[:, 0])
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        named.predict(X)


@pytest.mark.parametrize("model", [LSSVC(RBF(1.0), regularization=1e-10), LSSVR(RBF(1.0), regularization=1e-10)])
def test_equal_rows_with_different_targets_do_not_round_away_what_is_predicted(model):
    rng = np.random.default_rng(0)
    X = np.vstack([3.0 * rng.normal(size=(40, 2)), np.zeros((2, 2))])
    y = (X[:, 0] > 0.0).astype(float)
    y[-2:] = 0.0, 1.0
    model = clone(model).fit(X, y)
    values = model.decision_function if isinstance(model, LSSVC) else model.predict
    np.testing.assert_allclose(np.concatenate([values(row[None]) for row in X]), values(X), rtol=0.0, atol=1e-11)
