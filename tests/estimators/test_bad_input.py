"""Bad input: one clear sentence with argument, value and way out, or a good model; never worse."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.multioutput import MultiOutputClassifier

from kernelect import (
    GPC,
    GPR,
    LSSVC,
    LSSVR,
    RVC,
    RVR,
    SVC,
    BasisSearchRegressor,
    KernelClassifier,
    KernelRegressor,
)
from kernelect.datasets import twonorm
from kernelect.exceptions import InvalidArgument
from speeds import slowly

X, Y = twonorm(60, n_features=4, random_state=0)


def with_entry(value):
    spoilt = X.copy()
    spoilt[3, 2] = value
    return spoilt


@pytest.mark.parametrize("estimator", [LSSVC, LSSVR])
@pytest.mark.parametrize(
    ("arguments", "rows", "targets", "message"),
    [
        ({}, with_entry(np.nan), Y, "Input X contains NaN"),
        ({}, with_entry(np.inf), Y, "Input X contains infinity"),
        ({}, X[:1], Y[:1], "1 sample"),
        ({"kernel": "rbg"}, X, Y, "kernel='rbg' is not known. Did you mean 'rbf'?"),
        ({"kernel": None}, X, Y, "kernel=None must be a name"),
        ({"criterion": "pres"}, X, Y, "criterion='pres' is not known. Did you mean 'press'?"),
        ({"prior": "shrink"}, X, Y, "prior='shrink' is not known. Did you mean 'shrinkage'?"),
        ({"kernel": "linear", "prior": "gaussian"}, X, Y, "use prior='curvature', 'slope' or None"),
        ({"search": "bfgs"}, X, Y, "search='bfgs' is not known. Did you mean 'lbfgs'?"),
        ({"regularization": -1.0}, X, Y, "regularization=-1.0 must be a positive number, or 'auto'"),
        ({"n_restarts": -1}, X, Y, "n_restarts=-1 must be a whole number of at least 0"),
        ({"max_iter": 0}, X, Y, "max_iter=0 must be"),
        ({"tol": "small"}, X, Y, "tol='small' must be"),
        ({"time_limit": -5}, X, Y, "time_limit=-5 must be seconds"),
        ({"n_jobs": "2"}, X, Y, "n_jobs='2' must be a whole number other than 0, such as 2"),
        ({"n_jobs": 0}, X, Y, "n_jobs=0 must be a whole number other than 0"),
        ({"n_jobs": 1.5}, X, Y, "n_jobs=1.5 must be a whole number"),
        ({"kernel": "precomputed"}, X, Y, r"takes a square matrix of kernel values in fit, got shape \(60, 4\)"),
        ({"kernel": "precomputed"}, np.triu(np.ones((60, 60))), Y, "takes a symmetric matrix, and this one is not"),
        ({"kernel": "linear"}, X * 1e200, Y, "X varies by about 3e.200.*rescale X"),
        ({"kernel": "precomputed"}, -np.eye(60), Y, "not positive definite.*precomputed kernel"),
    ],
)
def test_a_clear_sentence(estimator, arguments, rows, targets, message):
    with pytest.raises(ValueError, match=message):
        estimator(**arguments).fit(rows, targets)


@pytest.mark.parametrize(
    ("scaled", "targets", "message"),
    [
        (X, 1e160 * X[:, 0], "y holds values as large as .*rescale y"),
        (1e-170 * X, Y, "X varies by about 1e-1.*rescale X"),
    ],
)
def test_numbers_whose_squares_no_float_holds_are_refused(scaled, targets, message):
    with pytest.raises(ValueError, match=message):
        LSSVR().fit(scaled, targets)


def test_negative_class_weights_are_refused():
    with pytest.raises(ValueError, match="class_weight=.* must be positive numbers by class, or 'balanced'"):
        LSSVC(class_weight={-1: -1.0, 1: 1.0}).fit(X, Y)


def test_one_class_is_refused():
    with pytest.raises(ValueError, match="y holds one class only .*needs at least two classes"):
        LSSVC().fit(X, np.ones(60))


@pytest.mark.parametrize("coverage", [0.0, 1.0, 90, "most"])
def test_impossible_coverage_is_refused(coverage):
    with pytest.raises(ValueError, match=r"coverage=.* must be a number between 0 and 1"):
        LSSVR("rbf").fit(X, X[:, 0]).predict_interval(X, coverage=coverage)


def test_weights_that_leave_too_few_rows_are_refused():
    with pytest.raises(ValueError, match=r"sample_weight leaves 1 row\(s\) of positive weight"):
        LSSVR().fit(X, X[:, 0], sample_weight=np.eye(60)[0])


EVERY = [LSSVC(), LSSVR(), SVC(), SVC(criterion="span"), GPC(), RVC(), RVR(), BasisSearchRegressor()]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("estimator", EVERY, ids=str)
def test_one_row_that_outweighs_all_others_is_refused(estimator):
    """Selection would look at that row alone: probabilities of 0.501 for all others were the result."""
    target = Y if hasattr(estimator, "predict_proba") else X[:, 0] + X[:, 1]
    weights = np.ones(60)
    weights[7] = 1e12
    with pytest.raises(InvalidArgument, match="sample_weight gives one row 1e.12 of a total of 1e.12"):
        estimator.fit(X, target, sample_weight=weights)
    weights[7] = 100.0
    model = estimator.fit(X, target, sample_weight=weights)
    assert np.isfinite(model.predict_proba(X) if hasattr(model, "predict_proba") else model.predict(X)).all()


@pytest.mark.parametrize("estimator", EVERY, ids=str)
def test_weights_that_double_precision_cannot_weigh_up_are_refused(estimator):
    target = Y if hasattr(estimator, "predict_proba") else X[:, 0]
    one = np.ones(60)
    one[7] = 1e100
    with pytest.raises(InvalidArgument, match=r"sample_weight ranges from 1 to 1e\+100.*keep the ratio below 1e\+13"):
        estimator.fit(X, target, sample_weight=one)
    far = 1e20 if isinstance(estimator, LSSVC | LSSVR) else 1e12
    for size in (far, 1.0 / far):
        with pytest.raises(InvalidArgument, match="sample_weight has a median of .*divide the weights by a constant"):
            estimator.fit(X, target, sample_weight=np.full(60, size))


@pytest.mark.parametrize("estimator", [e for e in EVERY if hasattr(e, "predict_proba")], ids=str)
def test_labels_that_mix_text_and_numbers_are_refused(estimator):
    mixed = np.where(Y > 0, "yes", "no").astype(object)
    mixed[3] = 1
    with pytest.raises(InvalidArgument, match="y mixes text and other labels .* make all labels text, or all numbers"):
        estimator.fit(X, mixed)


CURIOUS = {
    "duplicate rows": np.repeat(X[:10], 6, axis=0),
    "all rows equal": np.ones((60, 4)),
    "a constant column": np.column_stack([X[:, :3], np.full(60, 7.0)]),
    "scaled by 1e8": X * 1e8,
    "scaled by 1e-8": X * 1e-8,
    "one column scaled by 1e8": X * [1.0, 1e8, 1.0, 1.0],
    "far from the origin": X + 1e8,
    "huge": X * 1e140,
    "tiny and huge": X * [1e-140, 1e140, 1.0, 1.0],
    "one input": X[:, :1],
    "two rows": X[[int(np.argmax(Y == -1)), int(np.argmax(Y == 1))]],
    "more inputs than rows": np.tile(X[:12], 5),
}


@pytest.mark.parametrize("name", CURIOUS)
@pytest.mark.parametrize("kernel", ["ard", "linear", *slowly("rbf", "matern32-ard", "polynomial")])
@pytest.mark.parametrize("estimator", [LSSVC, LSSVR])
def test_curious_tables_give_finite_models_without_a_storm_of_warnings(name, kernel, estimator):
    rows = CURIOUS[name]
    y = Y[: len(rows)].copy()
    y[:2] = [-1, 1]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = estimator(kernel).fit(rows, y)
        assert np.isfinite(model.predict(rows)).all()
        if estimator is LSSVC:
            assert np.isfinite(model.predict_proba(rows)).all()
        else:
            assert np.isfinite(model.predict(rows, return_std=True)[1]).all()
    assert len(caught) <= 1


@pytest.mark.parametrize("name", ["scaled by 1e8", "one column scaled by 1e8", "far from the origin", "scaled by 1e-8"])
def test_units_do_not_spoil_the_default(name):
    model = LSSVC().fit(CURIOUS[name], Y)
    accuracy = np.mean((model.loo_decision_ > 0) == (Y > 0))
    assert accuracy >= np.mean((LSSVC().fit(X, Y).loo_decision_ > 0) == (Y > 0)) - 0.05


def test_a_constant_target_is_predicted():
    model = LSSVR().fit(X, np.full(60, 3.0))
    np.testing.assert_allclose(model.predict(X), 3.0)
    np.testing.assert_allclose(model.predict(X, return_std=True)[1], 0.0, atol=1e-8)


def test_contradictory_labels_on_equal_rows_are_a_coin_toss():
    model = LSSVC().fit(np.zeros((20, 2)), [0, 1] * 10)
    np.testing.assert_allclose(model.predict_proba(np.zeros((1, 2))), 0.5, atol=1e-6)


@pytest.mark.parametrize("estimator", [LSSVR(), RVR(), BasisSearchRegressor()], ids=lambda e: type(e).__name__)
def test_targets_beyond_double_precision_are_refused_in_words(estimator):
    X = np.random.default_rng(0).normal(size=(30, 2))
    with pytest.raises(InvalidArgument, match=r"y holds values as large as \de\+160, whose powers overflow: rescale y"):
        estimator.fit(X, 1e160 * X[:, 0])


REGRESSORS = [LSSVR(), LSSVR("rbf", prior=None), LSSVR(criterion="gcv"), RVR("rbf"), BasisSearchRegressor()]


@pytest.mark.parametrize("size", [2.0**-494, *slowly(2.0**-166, 2.0**166), 2.0**494])
@pytest.mark.parametrize("estimator", [*REGRESSORS, *slowly(RVR())], ids=str)
def test_targets_of_any_ordinary_size(estimator, size):
    generator = np.random.default_rng(0)
    X = generator.normal(size=(60, 2))
    y = np.sin(X[:, 0]) + 0.1 * generator.normal(size=60)
    model = estimator.fit(X, size * y)
    assert model.score(X, size * y) > 0.9
    _, deviation = model.predict(X, return_std=True)
    _, expected = clone(estimator).fit(X, y).predict(X, return_std=True)
    np.testing.assert_allclose(deviation / size, expected, rtol=1e-9)


@pytest.mark.parametrize("size", [1e-160, 1e-300])
@pytest.mark.parametrize("estimator", REGRESSORS, ids=str)
def test_targets_whose_powers_vanish_are_refused_in_words(estimator, size):
    X = np.random.default_rng(0).normal(size=(60, 2))
    with pytest.raises(InvalidArgument, match=r"y differs from its mean by .* at most, whose powers vanish: rescale y"):
        estimator.fit(X, size * X[:, 0])


@pytest.mark.parametrize("estimator", [GPC, KernelClassifier, KernelRegressor, RVC, RVR, SVC])
def test_numbers_of_jobs_that_are_none_are_refused(estimator):
    with pytest.raises(InvalidArgument, match="n_jobs='2' must be a whole number other than 0"):
        estimator(n_jobs="2").fit(X, Y)


@pytest.mark.parametrize("model", [LSSVC("rbf"), GPC("rbf"), SVC("rbf"), RVC("rbf"), KernelClassifier("fast")])
def test_several_labels_are_refused_with_a_way_out_that_works(model):
    X = np.random.default_rng(0).normal(size=(40, 2))
    Y = np.column_stack([X[:, 0] > 0.0, X[:, 1] > 0.3]).astype(int)
    with pytest.raises(InvalidArgument, match=r"y has shape \(40, 2\).*MultiOutputClassifier"):
        model.fit(X, Y)
    several = MultiOutputClassifier(model).fit(X, Y)
    assert several.predict(X).shape == (40, 2)
    assert [p.shape for p in several.predict_proba(X)] == [(40, 2), (40, 2)]
    assert several.score(X, Y) > 0.7


@pytest.mark.parametrize("machine", [LSSVR, RVR])
@pytest.mark.parametrize(
    ("y", "shown"),
    [
        (["1.5", "<0.5"] * 10, "such as '<0.5'"),
        ((np.tile([1.5, -np.inf], 10), np.tile([1.5, 0.5], 10)), "such as inf"),
        (np.tile([[1.5, 1.5], [2.0, np.inf]], (10, 1)), "such as inf"),
    ],
)
def test_limits_lead_to_those_that_take_them(machine, y, shown):
    X = np.arange(40.0).reshape(20, 2)
    with pytest.raises(InvalidArgument, match=f"y holds limits {shown}, and {machine.__name__} needs.*use GPR"):
        machine().fit(X, y)


FOUR = [GPR, LSSVR, RVR, BasisSearchRegressor, KernelRegressor]


@pytest.mark.parametrize("kind", [LSSVC, GPC, KernelClassifier, *FOUR], ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("missing", [None, pd.NA, np.ma.masked], ids=["None", "NA", "masked"])
def test_missing_targets_are_counted(kind, missing):
    y = np.ma.array(Y.astype(object)) if missing is np.ma.masked else Y.astype(object)
    y[[3, 7]] = missing
    with pytest.raises(InvalidArgument, match=r"Input y contains NaN or None: 2 of 60 .* first in row 3"):
        kind().fit(X, y)


def test_masked_cells_are_missing():
    """What stands behind a mask is not read."""
    masked = np.ma.array(X, mask=False)
    masked[3, 2] = np.ma.masked
    with pytest.raises(ValueError, match="Input X contains NaN"):
        LSSVR().fit(masked, X[:, 0])
    model = KernelRegressor("fast").fit(masked, X[:, 0])
    np.testing.assert_array_equal(model.predict(masked), model.predict(with_entry(np.nan)))
    expected = KernelRegressor("fast").fit(with_entry(np.nan), X[:, 0]).predict(X)
    np.testing.assert_array_equal(model.predict(X), expected)
