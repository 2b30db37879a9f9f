"""BasisSearchRegressor: fitted attributes, weights, several targets, bad input, interruption, scikit-learn's checks."""

import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

import kernelect
from kernelect import BasisSearchRegressor
from kernelect.dictionaries import Fourier, KernelFunctions, LinearTerms, PolynomialTerms
from kernelect.exceptions import InvalidArgument, MissingCapability
from kernelect.kernels import RBF
from kernelect.subsets import OLS, PTA, SFFS, Oscillating
from speeds import slowly


@pytest.fixture
def waves(rng):
    X = rng.uniform(-2, 2, size=(120, 2))
    y = 10.0 + np.sin(2.0 * X[:, 0]) + 0.1 * rng.normal(size=120)
    return X, y


RBFS = KernelFunctions(RBF(1.0))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.filterwarnings("ignore:.*hardly any residuals:sklearn.exceptions.ConvergenceWarning")  # 12 rows of a check
@parametrize_with_checks([BasisSearchRegressor("linear", strategy=OLS(stop="evidence"), fit_intercept=False)])
def test_scikit_learn_compatibility(estimator, check):
    check(estimator)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.filterwarnings("ignore:.*hardly any residuals:sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(
    [
        BasisSearchRegressor(),
        BasisSearchRegressor("polynomial", strategy="oscillating", criterion="mackay-evidence"),
        BasisSearchRegressor(KernelFunctions(RBF(0.03), max_centres=60), strategy="sffs"),
    ]
)
def test_scikit_learn_compatibility_of_other_functions(estimator, check):
    check(estimator)


@pytest.mark.parametrize(
    "strategy", ["forward", "pta", "sffs", "oscillating", "ols", "abf", PTA(3, 1), OLS("evidence")]
)
@pytest.mark.parametrize("criterion", ["evidence", "mackay-evidence", "marginal-likelihood"])
def test_every_strategy_and_criterion_learns_a_sine(waves, strategy, criterion):
    X, y = waves
    model = BasisSearchRegressor(RBFS, strategy=strategy, criterion=criterion, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.9
    assert model.selection_.value < model.selection_.null_value
    assert model.selection_.criterion == criterion
    assert model.noise_ == pytest.approx(0.1, abs=0.06)


def test_predictions_are_the_design_matrix_times_the_coefficients(waves):
    X, y = waves
    model = BasisSearchRegressor(strategy="sffs").fit(X, y)
    design = model.functions_.evaluate(X)
    np.testing.assert_allclose(model.predict(X), design @ model.coef_ + model.intercept_)
    assert design.shape[1] == len(model.basis_) == len(model.support_) == len(model.coef_)
    assert model.feature_importances_[0] > 0.9


def test_the_posterior_is_that_of_the_dense_formula(waves):
    X, y = waves
    model = BasisSearchRegressor(RBFS, fit_intercept=False, strategy="sffs").fit(X, y)
    Phi = model.functions_.evaluate(X)
    beta = model.noise_**-2
    alpha = model.regularization_ * beta
    Sigma = np.linalg.inv(beta * Phi.T @ Phi + alpha * np.eye(Phi.shape[1]))
    np.testing.assert_allclose(model.coef_, beta * Sigma @ Phi.T @ y, rtol=1e-6)
    new = model.functions_.evaluate(X[:5] + 0.1)
    _, deviation = model.predict(X[:5] + 0.1, return_std=True)
    np.testing.assert_allclose(deviation**2, 1 / beta + np.einsum("ij,jk,ik->i", new, Sigma, new), rtol=1e-6)
    # beta is at its fixed point, equation (2)
    gamma = Phi.shape[1] - alpha * np.trace(Sigma)
    assert beta == pytest.approx((len(y) - gamma) / np.sum((y - Phi @ model.coef_) ** 2), rel=1e-5)
    assert alpha == pytest.approx(gamma / np.sum(model.coef_**2), rel=1e-5)


def test_standard_deviations_cover_new_observations(rng):
    X = rng.uniform(-2, 2, size=(300, 1))
    y = np.sin(2.0 * X[:, 0]) + 0.2 * rng.normal(size=300)
    model = BasisSearchRegressor().fit(X[:150], y[:150])
    mean, deviation = model.predict(X[150:], return_std=True)
    assert 0.9 < np.mean(np.abs(y[150:] - mean) < 1.96 * deviation) < 0.99
    far = model.predict([[50.0]], return_std=True)[1]
    assert far[0] > deviation.min()


def test_a_weight_of_two_is_the_row_twice(waves):
    X, y = waves
    twice = np.concatenate([np.arange(120), np.arange(0, 120, 3)])
    weights = np.ones(120)
    weights[::3] = 2.0
    weighted = BasisSearchRegressor().fit(X, y, sample_weight=weights)
    repeated = BasisSearchRegressor().fit(X[twice], y[twice])
    np.testing.assert_array_equal(weighted.support_, repeated.support_)
    np.testing.assert_allclose(weighted.predict(X), repeated.predict(X), rtol=1e-4)
    assert weighted.selection_.value == pytest.approx(repeated.selection_.value, rel=1e-4)


def test_targets_share_the_subset_and_have_a_noise_each(waves, rng):
    X, y = waves
    Y = np.column_stack([y, -3.0 * y + 0.5 * rng.normal(size=120), np.full(120, 2.5)])
    model = BasisSearchRegressor(RBFS).fit(X, Y)
    assert model.coef_.shape == (3, len(model.basis_))
    assert model.predict(X).shape == (120, 3)
    assert model.noise_[1] > 3.0 * model.noise_[0]
    mean, deviation = model.predict(X, return_std=True)
    np.testing.assert_allclose(mean[:, 2], 2.5)
    np.testing.assert_allclose(deviation[:, 2], 0.0)
    assert model.score(X, Y) > 0.9


def test_scaling_and_shifting_the_target_changes_nothing_else(waves):
    X, y = waves
    model = BasisSearchRegressor(RBFS).fit(X, y)
    other = BasisSearchRegressor(RBFS).fit(X, 1e6 * y - 3e6)
    np.testing.assert_array_equal(model.support_, other.support_)
    np.testing.assert_allclose(other.predict(X), 1e6 * model.predict(X) - 3e6, rtol=1e-6)


@pytest.mark.parametrize("scale", [1e-8, 1e8])
def test_inputs_of_any_scale_give_the_same_model(waves, scale):
    X, y = waves
    model, other = BasisSearchRegressor().fit(X, y), BasisSearchRegressor().fit(scale * X, y)
    np.testing.assert_allclose(other.predict(scale * X), model.predict(X), atol=0.05)


@pytest.mark.parametrize("dictionary", ["linear", "polynomial", "fourier", "precomputed"])
@pytest.mark.parametrize(
    "change", [lambda X: X * 1e60, lambda X: X * 1e-60, lambda X: X + 1e9], ids=["1e60", "1e-60", "+1e9"]
)
def test_inputs_of_extreme_scale_or_offset_are_no_disaster(dictionary, change, rng):
    X = rng.normal(size=(60, 2))
    y = X @ [1.0, -2.0] + 0.1 * rng.normal(size=60)
    model = BasisSearchRegressor(dictionary).fit(change(X), y)
    assert model.score(change(X), y) > 0.9
    assert np.isfinite(model.selection_.value)


@pytest.mark.filterwarnings("ignore:.*hardly any residuals:sklearn.exceptions.ConvergenceWarning")  # of "abf"
@pytest.mark.parametrize("strategy", ["forward", "sffs", "oscillating", "abf", OLS("evidence")])
def test_two_rows_are_enough(strategy):
    model = BasisSearchRegressor(strategy=strategy, random_state=0).fit([[0.0], [1.0]], [0.0, 1.0])
    assert np.all(np.isfinite(model.predict([[0.0], [0.5]], return_std=True)))


def test_too_few_rows_to_validate_on_are_named():
    with pytest.raises(InvalidArgument, match="2 rows are too few to keep some aside"):
        BasisSearchRegressor(strategy="ols").fit([[0.0], [1.0]], [0.0, 1.0])


def test_inputs_that_never_vary_are_named():
    with pytest.raises(InvalidArgument, match="functions of the dictionary are constant at the training rows"):
        BasisSearchRegressor().fit(np.ones((20, 2)), np.arange(20.0))


def test_a_precomputed_design_matrix_is_searched_by_columns(rng):
    D = rng.normal(size=(60, 200))  # more candidates than rows
    y = 2.0 * D[:, 17] - D[:, 150] + 0.1 * rng.normal(size=60)
    model = BasisSearchRegressor("precomputed", strategy="sffs").fit(D, y)
    assert model.basis_ == ["column 17", "column 150"]
    assert model.support_.tolist() == [17, 150]
    assert model.feature_importances_.argmax() == 17


def test_unions_choose_from_all_their_parts(rng):
    X = rng.uniform(-1, 1, size=(150, 2))
    y = 5.0 * X[:, 1] + np.exp(-8.0 * (X[:, 0] - 0.3) ** 2) + 0.02 * rng.normal(size=150)
    model = BasisSearchRegressor(LinearTerms() + KernelFunctions(RBF(4.0)), strategy="sffs").fit(X, y)
    assert "x1" in model.basis_
    assert any(phrase.startswith("RBF at") for phrase in model.basis_)
    assert BasisSearchRegressor(["linear", Fourier(3)]).fit(X, y).score(X, y) > 0.95


def test_the_record_holds_the_trace_and_the_best_of_every_size(waves):
    X, y = waves
    selection = BasisSearchRegressor(RBFS, strategy="sffs").fit(X, y).selection_
    frame = selection.to_frame()
    assert list(frame.columns) == ["seconds", "action", "function", "size", "value", "regularization", "best"]
    assert len(frame) == len(selection.trace) == selection.n_evaluations
    assert (frame["best"].diff().dropna() <= 0).all()
    sizes = selection.sizes_to_frame()
    assert sizes.index.tolist() == sorted(set(sizes.index))
    assert sizes.index[0] == 0
    assert sizes["value"].min() == pytest.approx(selection.value, abs=1e-5)
    assert selection.value <= frame["value"].min() + 1e-5
    assert str(selection).startswith("evidence = ")
    assert set(selection.parameters) == {"regularization"}


def test_widths_that_were_found_are_in_the_record(waves):
    X, y = waves
    selection = BasisSearchRegressor().fit(X, y).selection_
    assert selection.names == ("gamma[0]", "gamma[1]", "regularization")
    assert selection.parameters["gamma[0]"] > selection.parameters["gamma[1]"]


def test_a_constant_target_is_predicted_as_such():
    X = np.arange(20.0)[:, None]
    model = BasisSearchRegressor().fit(X, np.full(20, 3.5))
    mean, deviation = model.predict(X, return_std=True)
    np.testing.assert_allclose(mean, 3.5)
    np.testing.assert_allclose(deviation, 0.0)
    assert "y is constant" in model.selection_.status


def test_noise_alone_gives_the_null_model_and_says_so(rng):
    X, y = rng.normal(size=(60, 2)), rng.normal(size=60)
    model = BasisSearchRegressor(LinearTerms()).fit(X, y)
    assert model.basis_ == []
    assert "null model" in model.selection_.status
    np.testing.assert_allclose(model.predict(X), y.mean())
    assert model.predict(X, return_std=True)[1] == pytest.approx(np.full(60, y.std()), rel=0.05)


def test_duplicates_are_dropped_and_reported(rng):
    column = rng.normal(size=40)
    X = np.column_stack([column] * 5)
    model = BasisSearchRegressor("precomputed").fit(X, column + 0.1 * rng.normal(size=40))
    assert model.basis_ == ["column 0"]
    assert "4 duplicate columns" in model.selection_.status


def test_a_perfect_fit_is_no_disaster(rng):
    X = rng.normal(size=(50, 3))
    model = BasisSearchRegressor("linear").fit(X, X @ [1.0, -2.0, 0.5] + 4.0)
    np.testing.assert_allclose(model.predict(X), X @ [1.0, -2.0, 0.5] + 4.0, rtol=1e-6)
    assert np.isfinite(model.selection_.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"strategy": "greedy"}, "strategy='greedy' is not known"),
        ({"criterion": "evidense"}, "Did you mean 'evidence'"),
        ({"dictionary": None}, "dictionary=None must be a name"),
        ({"dictionary": []}, "dictionary is empty"),
        ({"max_size": 0}, "max_size=0 must be"),
        ({"patience": "long"}, "patience='long' must be"),
        ({"slack": -1.0}, "slack=-1.0 must be"),
        ({"ranking": "evidense"}, "Did you mean 'evidence'"),
        ({"epsilon": -0.1}, "epsilon=-0.1 must be"),
        ({"max_width_rows": 1}, "max_width_rows=1 must be"),
        ({"max_iter": 0}, "max_iter=0 must be"),
        ({"tol": -1.0}, "tol=-1.0 must be"),
        ({"time_limit": "1h"}, "time_limit='1h' must be"),
    ],
)
def test_bad_arguments_are_named(waves, options, message):
    with pytest.raises(InvalidArgument, match=message):
        BasisSearchRegressor(**options).fit(*waves)


def test_the_papers_steps_are_for_one_target_and_lead_to_a_model(waves):
    X, y = waves
    for options in ({"ranking": "evidence"}, {"epsilon": 0.1, "criterion": "mackay-evidence"}):
        model = BasisSearchRegressor(strategy="sffs", fit_intercept=False, **options).fit(X, y - y.mean())
        assert model.score(X, y - y.mean()) > 0.8
        with pytest.raises(MissingCapability, match="the noise of one target, and y has 2"):
            model.fit(X, np.column_stack([y, -y]))
    with pytest.raises(MissingCapability, match="use criterion='mackay-evidence'"):
        BasisSearchRegressor(epsilon=0.1).fit(X, y)


@pytest.mark.parametrize("weight", [1.5, 3.0, 100.0])
def test_the_same_weight_for_all_rows_changes_nothing(waves, weight):
    """Weights of 3 said that every row was seen three times without noise: a model through all points won."""
    X, y = waves
    plain = BasisSearchRegressor().fit(X, y)
    weighted = BasisSearchRegressor().fit(X, y, sample_weight=np.full(len(y), weight))
    np.testing.assert_array_equal(weighted.support_, plain.support_)
    for one, other in zip(plain.predict(X, return_std=True), weighted.predict(X, return_std=True), strict=True):
        np.testing.assert_allclose(other, one, rtol=1e-6)


def test_rows_that_differ_at_the_same_inputs_count_in_full(rng):
    X = np.repeat(np.arange(4.0), 25)[:, None]
    y = np.round(X[:, 0] + rng.normal(size=100), 1)
    model = BasisSearchRegressor("polynomial").fit(X, y)
    halves = BasisSearchRegressor("polynomial").fit(X, y, sample_weight=np.full(100, 0.5))
    assert model.selection_.value - model.selection_.null_value < 1.5 * (
        halves.selection_.value - halves.selection_.null_value
    )
    assert model.noise_ == pytest.approx(1.0, abs=0.2)


@pytest.mark.parametrize("n", [4, *slowly(5, 6, 8)])
def test_a_few_rows_of_noise_are_not_taken_for_certain(n):
    """With one residual left, 18 of 40 models of four rows claimed a tenth of the noise or less."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        model = BasisSearchRegressor().fit(rng.normal(size=(n, 3)), rng.normal(size=n))
        assert len(model.support_) <= n - 4
        assert model.noise_ > 0.01


def test_a_model_through_all_rows_warns(rng):
    X, y = np.random.default_rng(11).normal(size=(2, 5, 3))
    with pytest.warns(ConvergenceWarning, match=r"hardly any residuals, .* give more rows, or a smaller max_size"):
        model = BasisSearchRegressor(RBFS, strategy="abf").fit(X, y[:, 0])
    assert not model.selection_.converged


def test_data_without_noise_do_not_warn(rng):
    X = rng.normal(size=(40, 3))
    model = BasisSearchRegressor("linear").fit(X, X @ [1.0, 2.0, 3.0])
    assert model.selection_.converged
    assert model.noise_ < 1e-5


def test_weights_that_leave_nothing_are_named(waves):
    X, y = waves
    with pytest.raises(InvalidArgument, match="leaves 1 row"):
        BasisSearchRegressor(RBFS).fit(X, y, sample_weight=np.eye(120)[0])
    with pytest.raises(InvalidArgument, match="weights count rows"):
        BasisSearchRegressor(RBFS).fit(X, y, sample_weight=np.full(120, 1e-3))


def test_a_time_limit_gives_one_warning_and_a_usable_model(waves):
    X, y = waves
    with pytest.warns(ConvergenceWarning, match="time limit") as caught:
        model = BasisSearchRegressor(RBFS, time_limit=0.0).fit(X, y)
    assert len(caught) == 1
    assert len(model.basis_) == 1
    assert np.all(np.isfinite(model.predict(X)))


@pytest.mark.parametrize("when", ["Evaluation", "Step"])
def test_ctrl_c_leaves_the_earlier_model_whole(waves, when):
    """During the search for widths and during the search for functions."""
    X, y = waves
    model = BasisSearchRegressor().fit(X, y)
    before = model.predict(X)

    def interrupt(row):
        if type(row).__name__ == when and row.number == 3:
            raise KeyboardInterrupt

    model.set_params(verbose=interrupt)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X[:, :1], y)
    np.testing.assert_array_equal(model.predict(X), before)
    assert model.n_features_in_ == 2


def test_progress_is_written_or_handed_over(waves, capsys):
    X, y = waves
    BasisSearchRegressor(RBFS, strategy="forward", verbose=2, max_size=3).fit(X, y)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 3
    assert lines[0].startswith("[BasisSearchRegressor] step 1: 1 functions, ")
    steps = []
    BasisSearchRegressor(strategy="forward", verbose=steps.append, max_size=3).fit(X, y)
    assert type(steps[0]).__name__ == "Evaluation"
    assert [step.size for step in steps[-3:]] == [1, 2, 3]


def test_one_line_a_second_at_most(waves, capsys, monkeypatch):
    X, y = waves
    BasisSearchRegressor(RBFS, strategy="forward", verbose=1).fit(X, y)
    assert len(capsys.readouterr().err.splitlines()) <= 2


def test_models_are_small_and_pickle(waves):
    X, y = waves
    model = BasisSearchRegressor(strategy="sffs").fit(X, y)
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.predict(X), model.predict(X))
    assert len(model.functions_.centres) == len(model.basis_) < 20
    assert clone(model).get_params()["strategy"] == "sffs"


def test_order_of_rows_does_not_matter(waves, rng):
    X, y = waves
    order = rng.permutation(120)
    model, other = BasisSearchRegressor().fit(X, y), BasisSearchRegressor().fit(X[order], y[order])
    np.testing.assert_allclose(model.predict(X), other.predict(X), atol=1e-3)


def test_public_names():
    assert kernelect.BasisSearchRegressor is BasisSearchRegressor
    assert kernelect.subsets.Oscillating is Oscillating
    assert kernelect.subsets.SFFS is SFFS
    assert {"BasisSearchRegressor", "dictionaries", "subsets"} <= set(dir(kernelect))


def test_no_warning_in_an_ordinary_fit(waves):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        BasisSearchRegressor(PolynomialTerms(5), strategy="sffs").fit(*waves)
