"""GPR: scikit-learn's checks, regression where all targets are numbers, limits, and what is refused."""

import numpy as np
import pytest
from scipy.special import ndtr
from sklearn.utils.estimator_checks import parametrize_with_checks

from kernelect import GPR
from kernelect.exceptions import InvalidArgument, MissingCapability
from kernelect.kernels import RBF, Constant
from oracles import limits as slow

FIXED = 2.0 * RBF(gamma=0.3) + Constant(0.5)
RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 2))
F = np.sin(2.0 * X[:, 0]) + 0.5 * X[:, 1]
Y = F + 0.2 * RNG.normal(size=60)
Z = RNG.normal(size=(9, 2))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks([GPR(FIXED)])
def test_scikit_learn_compatibility(estimator, check):
    check(estimator)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks([GPR("rbf", tol=1e-3)])
def test_scikit_learn_compatibility_of_a_search(estimator, check):
    check(estimator)


@pytest.mark.parametrize("unit", [1.0, 1e6])
@pytest.mark.parametrize("pair", [False, True])
def test_with_numbers_alone_it_is_gaussian_process_regression(unit, pair):
    y = unit * (Y + 3.0)
    model = GPR(FIXED).fit(X, (y, y) if pair else y)
    centre, spread = y.mean(), y.std()
    mean, deviation, left_out, evidence = slow.regression(
        model.kernel_, X, (y - centre) / spread, model.noise_ / spread, Z
    )
    found = model.predict(Z, return_std=True)
    np.testing.assert_allclose((found[0] - centre) / spread, mean, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(found[1] / spread, deviation, rtol=1e-8)
    np.testing.assert_allclose((model.loo_prediction_ - centre) / spread, left_out, rtol=1e-8, atol=1e-8)
    assert model.log_marginal_likelihood_value_ == pytest.approx(evidence - 60.0 * np.log(spread), abs=1e-7)
    assert model.selection_.value == pytest.approx(-evidence / 60.0, abs=1e-8)


def test_covariances_are_those_of_the_posterior():
    model = GPR(FIXED).fit(X, Y)
    deviation, covariance = model.predict(Z, return_std=True)[1], model.predict(Z, return_cov=True)[1]
    np.testing.assert_allclose(np.sqrt(np.diagonal(covariance)), deviation, rtol=1e-8)
    K = Y.std() ** 2 * FIXED.gram(np.vstack([X, Z]))
    A = K[:60, :60] + model.noise_**2 * np.eye(60)
    expected = K[60:, 60:] - K[60:, :60] @ np.linalg.solve(A, K[:60, 60:]) + model.noise_**2 * np.eye(9)
    np.testing.assert_allclose(covariance, expected, atol=1e-8)


def test_limits_against_quadrature():
    """Two rows, a number and a limit; the unit of the targets is that of the model itself."""
    rows = np.array([[0.0], [0.7]])
    limits = np.array([[0.4, 0.4], [-np.inf, -0.3]])
    model = GPR(FIXED).fit(rows, limits)
    unit, centre = np.std([0.4, -0.3]), np.mean([0.4, -0.3])
    z = np.array([0.5])
    mean, variance = slow.posterior_at(model.kernel_, rows, (limits - centre) / unit, model.noise_ / unit, z)
    found = model.predict(z[None], return_std=True)
    # Expectation propagation matches moments; on two rows they are the exact ones to a few digits.
    assert (found[0][0] - centre) / unit == pytest.approx(mean, abs=0.01)
    assert (found[1][0] ** 2 - model.noise_**2) / unit**2 == pytest.approx(variance, rel=0.02)


def test_leave_one_out_is_what_a_fit_without_the_row_says():
    limits = np.column_stack([Y, np.where(np.arange(60) % 3, Y, np.inf)])
    model = GPR(FIXED).fit(X, limits)
    for row in (0, 1, 30):
        others = np.arange(60) != row
        again = GPR(model.kernel_).fit(X[others], limits[others])
        # The unit, and with it the kernel's variance, and the noise are selected anew.
        assert again.predict(X[[row]])[0] == pytest.approx(model.loo_prediction_[row], abs=0.05)
    mean, known = model.loo_prediction_, limits[:, 0] == limits[:, 1]
    assert np.all(model.loo_log_likelihood_[~known] < 0.0)
    assert np.corrcoef(model.loo_log_likelihood_[known], -((Y - mean)[known] ** 2))[0, 1] > 0.8


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5])
def test_limits_are_better_than_their_substitutes(share):
    limit = np.quantile(Y, share)
    below = limit > Y
    written = np.where(below, f"<{limit:.6f}", np.char.mod("%.6f", Y))

    def error(model):
        return np.sqrt(np.mean((model.predict(X)[below] - F[below]) ** 2))

    kept = error(GPR("rbf").fit(X, written))
    assert kept < 0.9 * error(GPR("rbf").fit(X, np.maximum(Y, limit)))
    assert kept < error(GPR("rbf").fit(X[~below], Y[~below]))


def test_intervals_cover_what_limits_hide():
    rng = np.random.default_rng(3)
    rows = rng.normal(size=(300, 2))
    truth = np.sin(2.0 * rows[:, 0]) + 0.5 * rows[:, 1] + 0.3 * rng.normal(size=300)
    upper = np.where(truth > 0.5, np.inf, truth)
    model = GPR("rbf").fit(rows[:150], (np.minimum(truth, 0.5)[:150], upper[:150]))
    lower, higher = model.predict_interval(rows[150:], coverage=0.9)
    assert np.mean((lower <= truth[150:]) & (truth[150:] <= higher)) == pytest.approx(0.9, abs=0.06)


def test_the_same_limits_in_three_forms():
    lower, upper = np.where(Y < 0.0, -np.inf, Y), np.where(Y > 1.0, np.inf, np.maximum(Y, 0.0))
    lower = np.where(Y > 1.0, 1.0, lower)
    texts = [
        f"< {b!r}" if np.isinf(a) else f">={a!r}" if np.isinf(b) else repr(a)
        for a, b in zip(lower.tolist(), upper.tolist(), strict=True)
    ]
    expected = GPR(FIXED).fit(X, (lower, upper)).predict(Z)
    for y in (np.column_stack([lower, upper]), texts, np.array(texts, dtype=object)):
        np.testing.assert_array_equal(GPR(FIXED).fit(X, y).predict(Z), expected)


def test_weights_are_copies():
    weights = np.tile([1, 2, 3], 20)
    limits = np.column_stack([Y, np.where(np.arange(60) % 2, Y, np.inf)])
    rows = np.repeat(np.arange(60), weights)
    weighted = GPR(FIXED).fit(X, limits, weights)
    copies = GPR(FIXED).fit(X[rows], limits[rows])
    np.testing.assert_allclose(weighted.predict(Z), copies.predict(Z), rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(weighted.loo_prediction_[rows], copies.loo_prediction_, rtol=1e-6, atol=1e-6)


def test_copies_say_nothing_of_the_noise():
    limits = np.column_stack([Y, np.where(np.arange(60) % 2, Y, np.inf)])
    once, twice = GPR("rbf").fit(X, limits), GPR("rbf").fit(np.tile(X, (2, 1)), np.tile(limits, (2, 1)))
    assert twice.noise_ == pytest.approx(once.noise_, rel=1e-3)


def test_a_row_of_weight_0_is_as_if_it_were_new():
    weights = np.ones(60)
    weights[:5] = 0.0
    model, less = GPR(FIXED).fit(X, Y, weights), GPR(FIXED).fit(X[5:], Y[5:])
    np.testing.assert_allclose(model.predict(Z), less.predict(Z), rtol=1e-9)
    np.testing.assert_allclose(model.loo_prediction_[:5], less.predict(X[:5]), rtol=1e-9)
    density = -0.5 * ((Y[:5] - less.predict(X[:5])) / less.predict(X[:5], return_std=True)[1]) ** 2
    expected = density - np.log(less.predict(X[:5], return_std=True)[1]) - 0.5 * np.log(2 * np.pi)
    np.testing.assert_allclose(model.loo_log_likelihood_[:5], expected, rtol=1e-8)


def test_limits_far_above_the_data_and_of_tiny_width():
    far = np.column_stack([Y, Y])
    far[0], far[1] = (-np.inf, 1e6), (Y[1] - 1e-9, Y[1] + 1e-9)
    model = GPR(FIXED).fit(X[1:], far[1:])
    np.testing.assert_allclose(model.predict(Z), GPR(FIXED).fit(X[1:], Y[1:]).predict(Z), atol=1e-5)
    assert np.isfinite(GPR("rbf").fit(X, far).predict(Z)).all()


def test_targets_that_are_all_equal():
    model = GPR("rbf").fit(X, np.full(60, 7.0))
    np.testing.assert_allclose(model.predict(Z), 7.0, atol=1e-6)


@pytest.mark.parametrize(
    ("y", "words"),
    [
        ((np.full(60, np.nan), Y), "y holds NaN: give -inf or inf"),
        ((Y + 1.0, Y), "above the upper one.*in row 0"),
        ((Y, np.full(60, np.inf)), "all 60 rows with a limit that they lie above it.*on the other side"),
        (["<0.5"] * 60, "all 60 rows with a limit that they lie below it"),
        (["a few"] * 60, "y holds 'a few', which is no number or limit: write such as"),
        ((Y, Y[:5]), "60 lower and 5 upper limits"),
        ((np.full(60, np.inf), np.full(60, np.inf)), "y holds infinite numbers"),
    ],
)
def test_limits_that_say_nothing_are_refused(y, words):
    with pytest.raises(InvalidArgument, match=words):
        GPR().fit(X, y)


def test_what_it_does_not_do_is_said():
    with pytest.raises(MissingCapability, match="kernel='precomputed' does not tell"):
        GPR("precomputed").fit(X @ X.T, Y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        GPR().fit(X, (Y[:5], Y[:5]))


def test_probability_of_a_limit_left_out():
    limits = np.column_stack([Y, Y])
    limits[3] = (-np.inf, 0.2)
    model = GPR(FIXED).fit(X, limits, np.where(np.arange(60) == 3, 0.0, 1.0))
    mean, deviation = model.predict(X[[3]], return_std=True)
    assert model.loo_log_likelihood_[3] == pytest.approx(np.log(ndtr((0.2 - mean[0]) / deviation[0])), rel=1e-9)
