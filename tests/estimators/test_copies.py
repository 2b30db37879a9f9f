"""Copies of rows leave together: a table given twice is the table with weights of two, for every estimator."""

import numpy as np
import pytest

from kernelect import GPC, LSSVC, LSSVR, RVC, RVR, SVC, BasisSearchRegressor, KernelClassifier, KernelRegressor
from kernelect.exceptions import InvalidArgument
from kernelect.kernels import RBF
from speeds import slowly

N = 60
NUMBERS = [
    LSSVR("rbf"),
    LSSVR("rbf", landmarks=25, random_state=0),
    RVR("rbf"),
    BasisSearchRegressor(),
    KernelRegressor("fast"),
]
LABELS = [LSSVC("rbf"), GPC("rbf"), SVC("rbf"), SVC("rbf", criterion="span"), RVC("rbf"), KernelClassifier("fast")]


def problem(n=N, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, np.sin(2.0 * X[:, 0]) + X[:, 1] + 0.5 * rng.normal(size=n)


def learned(model, X):
    """Predictions and what is said of rows left out."""
    said = [model.predict_proba(X) if hasattr(model, "predict_proba") else model.predict(X)]
    return said + [
        getattr(model, name) for name in ("loo_prediction_", "loo_decision_", "loo_proba_") if hasattr(model, name)
    ]


@pytest.mark.parametrize("model", NUMBERS + LABELS, ids=str)
def test_a_table_given_twice_is_one_with_weights_of_two(model):
    X, y = problem()
    y = np.where(y > 0, "up", "down") if model in LABELS else y
    new = problem(20, 1)[0]
    weighted = learned(model.fit(X, y, np.full(N, 2.0)), new)
    twice = learned(model.fit(np.r_[X, X], np.r_[y, y]), new)
    np.testing.assert_allclose(twice[0], weighted[0], rtol=1e-6, atol=1e-8)
    for found, expected in zip(twice[1:], weighted[1:], strict=True):
        np.testing.assert_allclose(found, np.concatenate([expected, expected]), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize(
    "model", [GPC("rbf"), RVR("rbf"), BasisSearchRegressor(), *slowly(RVC("rbf"), KernelRegressor("fast"))], ids=str
)
def test_the_same_weight_for_all_rows_proves_nothing(model):
    """Weights of nine made the relevance vector machine explain the noise."""
    X, y = problem()
    y = np.where(y > 0, "up", "down") if model in LABELS or isinstance(model, GPC | RVC) else y
    one, nine = (learned(model.fit(X, y, np.full(N, weight)), X)[0] for weight in (1.0, 9.0))
    np.testing.assert_allclose(nine, one, rtol=1e-6, atol=1e-8)


def test_weights_count_rows_of_a_few_categories():
    cells = np.array([[a, b] for a in (0.0, 1.0) for b in (0.0, 1.0, 2.0) for _ in range(2)])
    y = np.tile([0, 1], 6)
    sure = GPC(RBF(1.0)).fit(cells, y, np.where(y == 1, 30.0, 10.0)).predict_proba(cells)[:, 1]
    rows = np.repeat(np.arange(12), np.where(y == 1, 30, 10))
    repeated = GPC(RBF(1.0)).fit(cells[rows], y[rows]).predict_proba(cells)[:, 1]
    np.testing.assert_allclose(sure, repeated, atol=1e-4)
    assert sure.min() > 0.7


def test_intervals_and_errors_of_a_bootstrap_sample_are_honest():
    X, y = problem(100)
    new, truth = problem(400, 1)
    rows = np.random.default_rng(0).integers(100, size=100)
    for model in (LSSVR(), KernelRegressor("fast")):
        model.fit(X[rows], y[rows])
        error = np.sqrt(np.mean((model.predict(new) - truth) ** 2))
        claim = np.sqrt(np.mean((model.loo_prediction_ - y[rows]) ** 2))
        low, high = model.predict_interval(new)
        assert 0.65 * error < claim
        assert np.mean((low <= truth) & (truth <= high)) > 0.8


def test_copies_are_counted_in_the_status():
    X, y = problem()
    rows = np.r_[:N, :24]
    assert "24 rows are copies of others and count with them" in LSSVR("rbf").fit(X[rows], y[rows]).selection_.status
    assert (
        "1 row is a copy of another and counts with it"
        in LSSVR("rbf").fit(X[rows[:61]], y[rows[:61]]).selection_.status
    )
    assert "cop" not in LSSVR("rbf").fit(X, y).selection_.status
    assert KernelRegressor("fast").fit(X[rows], y[rows]).remark() == "24 rows are copies of others and count with them"


@pytest.mark.parametrize("model", [LSSVR("rbf"), LSSVC("rbf"), KernelRegressor("fast")], ids=str)
def test_groups_that_are_copies_of_each_other_leave_together(model):
    """A table that was appended to itself, with new numbers for its subjects."""
    X, y = problem()
    y = np.where(y > 0, "up", "down") if isinstance(model, LSSVC) else y
    X2, y2, groups = np.r_[X, X], np.r_[y, y], np.arange(N) // 3
    weighted = learned(model.fit(X, y, np.full(N, 2.0), groups), X)
    for more in (groups, groups + N):
        twice = learned(model.fit(X2, y2, groups=np.r_[groups, more]), X)
        np.testing.assert_allclose(twice[0], weighted[0], rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(twice[1], np.concatenate([weighted[1]] * 2), rtol=1e-6, atol=1e-8)


def test_a_row_that_a_design_repeats_in_every_group_joins_none():
    X, y = problem()
    groups = np.arange(N) // 6
    X[::6], y[::6] = X[0], y[0]
    fitted = LSSVR("rbf").fit(X, y, groups=groups)
    assert len(np.unique(fitted.model_.training.groups)) == 10
    assert len(fitted.X_fit_) == N


def test_groups_that_are_all_copies_of_each_other_are_refused():
    X, y = problem()
    groups = np.r_[np.zeros(N), np.ones(N)]
    for model in (LSSVR("rbf"), KernelRegressor("fast")):
        with pytest.raises(InvalidArgument, match="groups hold copies of the same rows"):
            model.fit(np.r_[X, X], np.r_[y, y], groups=groups)


def test_copies_of_a_precomputed_kernel_are_merged():
    X, y = problem()
    rows = np.r_[:N, :N]
    model = LSSVR("precomputed").fit(RBF(0.3).gram(X[rows]), y[rows])
    single = LSSVR("precomputed").fit(RBF(0.3).gram(X), y)
    np.testing.assert_allclose(model.loo_prediction_, np.tile(single.loo_prediction_, 2), rtol=1e-6)
    np.testing.assert_array_equal(np.flatnonzero(model.model_.training.weights), np.arange(N))
    np.testing.assert_array_equal(model.model_.components[0].kernel_part.places, np.arange(N))


def test_support_vectors_are_the_first_of_their_copies():
    X, y = problem()
    labels = (y > 0).astype(int)
    model = SVC("rbf", criterion="span").fit(np.r_[X, X], np.r_[labels, labels])
    assert model.support_.max() < N
    np.testing.assert_array_equal(model.support_vectors_, X[model.support_])
