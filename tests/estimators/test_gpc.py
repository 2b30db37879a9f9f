"""GPC: scikit-learn's checks, the papers' units, probabilities, weights and hard cases."""

import pickle
import tracemalloc
import warnings

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process import kernels as sk
from sklearn.metrics import log_loss
from sklearn.utils.estimator_checks import parametrize_with_checks

from instances import wavy
from kernelect import GPC
from kernelect.criteria import EPEvidence
from kernelect.datasets import ringnorm, sparse_inputs, twonorm
from kernelect.estimators import fit_led
from kernelect.exceptions import InvalidArgument, MissingCapability
from kernelect.kernels import ARD, RBF, Constant, Precomputed
from kernelect.machines import EP, Probit
from kernelect.selection import Lead
from oracles.solutions import record

FIXED = 2.0 * RBF(gamma=0.3) + Constant(0.5)


@parametrize_with_checks([GPC(kernel=FIXED)])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks([GPC(kernel="rbf", tol=1e-3)])
def test_scikit_learn_checks_of_a_search(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def rings():
    return ringnorm(150, n_features=4, random_state=0)


@pytest.fixture(scope="module")
def model(rings):
    return GPC(kernel="rbf").fit(*rings)


def test_a_fixed_kernel_is_evaluated_once_in_the_papers_units(rings):
    X, y = rings
    model = GPC(kernel=FIXED).fit(X, y)
    gram, targets, ones = FIXED.gram(X), y[:, None].astype(float), np.ones(len(y))
    state = EP(Probit()).fit(gram, targets, 1.0, ones)
    expected = EPEvidence().value(record(EP(Probit()), gram, targets, 1.0, ones, state)).value
    assert model.selection_.value == pytest.approx(expected, rel=1e-6)
    assert model.selection_.n_evaluations == 1
    assert 0.0 < model.selection_.value < np.log(2.0)


def test_a_fixed_elliptical_kernel_has_no_prior_in_its_value(rings):
    X, y = rings
    elliptical = GPC(kernel=2.0 * ARD(gamma=[0.3] * 4) + Constant(0.5)).fit(X, y)
    assert elliptical.selection_.prior == "none"
    assert elliptical.selection_.value == pytest.approx(GPC(kernel=FIXED).fit(X, y).selection_.value, rel=1e-6)


def test_a_name_stands_for_amplitude_times_kernel_plus_constant(model):
    assert model.selection_.names == ("part1.constant", "gamma", "part2.constant") or len(model.selection_.names) == 3
    assert model.selection_.converged
    assert "Constant" in repr(model.kernel_)


def test_selection_raises_the_evidence_and_stops_at_a_maximum(rings, model):
    X, y = rings
    start = GPC(kernel=1.0 * RBF(gamma=0.1) + Constant(1.0)).fit(X, y).selection_.value
    assert model.selection_.value < start
    theta = model.kernel_.theta
    for k in range(3):
        for step in (-0.1, 0.1):
            moved = model.kernel_.with_theta(theta + step * (np.arange(3) == k))
            assert GPC(kernel=moved).fit(X, y).selection_.value > model.selection_.value - 1e-6


def test_a_search_from_a_flat_start_does_not_stop_at_once():
    """Per row the gradient here is 3e-3; a first step of that length would pass for converged."""
    generator = np.random.default_rng(0)
    X = generator.integers(0, 3, size=(300, 4)).astype(float)
    y = generator.uniform(size=300) < 0.4 + 0.1 * X[:, 0]
    model = GPC(kernel="rbf").fit(X, y)
    assert model.selection_.n_evaluations > 5
    assert GPC(kernel="rbf", tol=1e-9).fit(X, y).selection_.value == pytest.approx(model.selection_.value, abs=1e-4)


def test_the_value_with_a_prior_is_per_row_too(rings):
    X, y = rings
    model = GPC(max_iter=30).fit(X, y)
    assert model.selection_.prior == "log-normal"
    alone = GPC(kernel=model.kernel_).fit(X, y).selection_.value
    assert alone < model.selection_.value < alone + 0.1
    assert model.selection_.value == pytest.approx(model.selection_.trace.best_so_far()[-1], rel=1e-12)


def test_a_bias_is_part_of_the_model():
    """Without the constant ringnorm is got wrong several times as often."""
    X, y = ringnorm(200, random_state=1)
    Z, t = ringnorm(1000, random_state=2)
    assert np.mean(GPC(kernel="rbf").fit(X, y).predict(Z) != t) < 0.03


def test_probabilities_are_integrated_over_the_latent_posterior(model, rings):
    mean, variance = model.latent_mean_and_variance(rings[0][:5])
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    latent = mean[:, None] + np.sqrt(variance)[:, None] * nodes
    integrated = norm.cdf(latent) @ weights / np.sqrt(2 * np.pi)
    np.testing.assert_allclose(model.predict_proba(rings[0][:5])[:, 1], integrated, rtol=1e-6)


def test_latent_values_return_to_the_prior_far_from_the_data():
    X, y = twonorm(60, n_features=3, random_state=0)
    model = GPC(kernel=2.0 * RBF(gamma=0.3)).fit(X, y)
    mean, variance = model.latent_mean_and_variance(np.full((1, 3), 1e3))
    np.testing.assert_allclose(mean, 0.0, atol=1e-12)
    np.testing.assert_allclose(variance, 2.0, rtol=1e-12)
    np.testing.assert_allclose(model.predict_proba(np.full((1, 3), 1e3)), 0.5)


def test_it_agrees_with_laplace_where_the_likelihood_hardly_matters(rings):
    """Another implementation, another likelihood (logistic): the same side of the boundary."""
    X, y = rings
    theirs = GaussianProcessClassifier(9.0 * sk.RBF(1.5), optimizer=None).fit(X, y)
    ours = GPC(kernel=9.0 * RBF(gamma=1 / (2 * 1.5**2))).fit(X, y)
    Z, _ = ringnorm(400, n_features=4, random_state=3)
    assert np.mean(theirs.predict(Z) == ours.predict(Z)) > 0.97


@pytest.mark.parametrize("kernel", ["rbf", "ard"])
def test_predict_is_the_most_probable_class(kernel):
    X, y = load_iris(return_X_y=True)
    model = GPC(kernel=kernel, tol=1e-3).fit(X[::2], y[::2])
    proba = model.predict_proba(X[1::2])
    np.testing.assert_allclose(proba.sum(axis=1), 1.0, rtol=1e-12)
    np.testing.assert_array_equal(model.predict(X[1::2]), model.classes_[proba.argmax(axis=1)])
    np.testing.assert_array_equal(model.decision_function(X[1::2]).argmax(axis=1), proba.argmax(axis=1))
    assert np.mean(model.predict(X[1::2]) == y[1::2]) > 0.9
    assert log_loss(y[1::2], proba) < 0.25


def test_more_classes_sum_their_evidence():
    X, y = load_iris(return_X_y=True)
    X, y = X[::3], y[::3]
    kernel = 2.0 * RBF(gamma=0.2) + Constant(1.0)
    together = GPC(kernel=kernel).fit(X, y).selection_.value
    apart = sum(GPC(kernel=kernel).fit(X, y == k).selection_.value for k in range(3))
    assert together == pytest.approx(apart, rel=1e-6)


def test_weights_count_rows(rings):
    X, y = rings
    weights = np.random.default_rng(0).integers(0, 3, size=len(y))
    repeat = np.repeat(np.arange(len(y)), weights)
    weighted = GPC(kernel=FIXED).fit(X, y, sample_weight=weights)
    repeated = GPC(kernel=FIXED).fit(X[repeat], y[repeat])
    assert weighted.selection_.value == pytest.approx(repeated.selection_.value, rel=1e-6)
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-5)


def test_class_weights_move_the_boundary(rings):
    X, y = rings
    plain, heavy = (GPC(kernel=FIXED, class_weight=w).fit(X, y) for w in (None, {-1: 0.3, 1: 2.5}))
    assert np.all(heavy.decision_function(X) > plain.decision_function(X))


def test_relevances_find_the_inputs_that_matter():
    X, y = sparse_inputs(150, n_features=6, n_relevant=2, random_state=0)
    importances = GPC().fit(X, y).feature_importances_
    assert importances.sum() == pytest.approx(1.0)
    assert importances[:2].min() > 2 * importances[2:].max()


def test_a_pickle_predicts_the_same(model, rings):
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(rings[0]), model.predict_proba(rings[0]))


def test_precomputed_kernels_predict_but_have_no_probabilities(rings):
    X, y = rings
    gram, cross = FIXED.gram(X[:100]), FIXED.cross(X[100:], X[:100])
    model = GPC(kernel=Precomputed()).fit(gram, y[:100])
    np.testing.assert_array_equal(model.predict(cross), GPC(kernel=FIXED).fit(X[:100], y[:100]).predict(X[100:]))
    named = GPC(kernel="precomputed").fit(gram, y[:100])
    assert named.selection_.value <= model.selection_.value
    with pytest.raises(MissingCapability, match="use predict"):
        model.predict_proba(cross)


def test_contradictory_duplicates_and_constant_inputs():
    X = np.repeat(np.random.default_rng(0).normal(size=(15, 2)), 2, axis=0)
    X = np.column_stack([X, np.ones(30)])
    model = GPC(max_iter=50).fit(X, np.tile([0, 1], 15))
    np.testing.assert_allclose(model.predict_proba(X), 0.5, atol=1e-3)


@pytest.mark.parametrize("scale", [1e-8, 1e8])
def test_units_do_not_matter(rings, scale):
    X, y = rings
    far = GPC(kernel="rbf").fit(scale * X, y)
    assert far.selection_.value == pytest.approx(GPC(kernel="rbf").fit(X, y).selection_.value, abs=1e-4)


def test_a_linear_kernel_starts_at_the_scale_of_its_values():
    X, y = twonorm(80, n_features=3, random_state=0)
    assert GPC(kernel="linear").fit(1e8 * X, y).score(1e8 * X, y) > 0.6


def test_two_rows_are_enough():
    model = GPC().fit([[0.0], [1.0]], ["a", "b"])
    assert model.predict([[0.0], [1.0]]).tolist() == ["a", "b"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"criterion": "pres"}, "criterion='pres' is not known"),
        ({"likelihood": "logit"}, "likelihood='logit' is not known"),
        ({"kernel": "arrd"}, "Did you mean 'ard'"),
        ({"prior": "log"}, "prior='log' is not known"),
        ({"max_iter": 0}, "max_iter=0 must be"),
    ],
)
def test_bad_arguments_are_named(rings, arguments, message):
    with pytest.raises(InvalidArgument, match=message):
        GPC(**arguments).fit(*rings)


def test_one_class_is_refused():
    with pytest.raises(InvalidArgument, match="one class only"):
        GPC().fit([[0.0], [1.0]], [1, 1])


def test_a_time_limit_warns_once(rings):
    with pytest.warns(ConvergenceWarning, match="time limit") as caught:
        GPC(time_limit=0.0).fit(*rings)
    assert len(caught) == 1


@pytest.mark.parametrize("weight", [1.0, 0.6, 1.02, 2.0, 3.5])
def test_left_out_probabilities_are_those_of_the_other_rows_sites(weight):
    """The slow definition: the normal of all sites but those of one row, from its precision matrix."""
    X, _, y = wavy(40)
    weights = np.where(np.arange(len(X)) % 2 == 0, weight, 1.0)
    model = GPC(kernel="rbf").fit(X, y, weights)
    weights = weights / max(weights.mean(), 1.0)  # as many rows as there are
    K = model.kernel_.gram(X) + 1e-10 * np.eye(len(X))
    state = EP(tol=1e-9).fit(K, np.where(y == model.classes_[1], 1.0, -1.0)[:, None], 1.0, weights)
    (column,) = state.columns
    slow = np.empty(len(X))
    for row in range(len(X)):
        tau, nu = np.ceil(weights) * column.sites.tau, np.ceil(weights) * column.sites.nu
        tau[row] = nu[row] = 0.0
        covariance = np.linalg.inv(np.linalg.inv(K) + np.diag(tau))
        mean, variance = (covariance @ nu)[row], covariance[row, row]
        slow[row] = norm.cdf(mean / np.sqrt(1.0 + variance))
    np.testing.assert_allclose(model.loo_proba_[:, 1], slow, atol=1e-5)


def test_left_out_probabilities_are_close_to_refits():
    X, _, y = wavy(30)
    model = GPC(kernel="rbf").fit(X, y)
    kept = ~np.eye(len(X), dtype=bool)
    refits = [GPC(model.kernel_).fit(X[rows], y[rows]).predict_proba(X[[i]])[0, 1] for i, rows in enumerate(kept)]
    np.testing.assert_allclose(model.loo_proba_[:, 1], refits, atol=0.05)


def test_left_out_probabilities_of_rows_without_weight_are_predictions():
    X, _, y = wavy(40)
    weights = np.where(np.arange(len(X)) % 5 == 0, 0.0, 1.0)
    model = GPC(kernel="rbf").fit(X, y, weights)
    np.testing.assert_allclose(model.loo_proba_[weights == 0], model.predict_proba(X[weights == 0]))
    np.testing.assert_allclose(model.loo_proba_.sum(axis=1), 1.0)


def one_fast_wave(seed=8, n=60):
    """Labels by a wave along the first of four inputs: any width common to all of them explains next to nothing."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    return X, np.sin(3.0 * X[:, 0]) + 0.3 * X[:, 1] + 0.5 * rng.normal(size=n) > 0.0


def test_narrow_widths_are_looked_at_too():
    """Without them the search stays where it explains nothing: n ln 2 = 41.6 nats."""
    X, y = one_fast_wave()
    model = GPC(prior=None).fit(X, y)
    assert 60 * model.selection_.value < 30.0
    assert model.selection_.runs == ("spherical", "all parameters", "narrow start", "on from there")
    assert np.argmax(model.feature_importances_) == 0


def test_narrow_widths_that_are_no_better_change_nothing():
    model = GPC(prior=None).fit(*one_fast_wave(seed=0))
    assert model.selection_.runs == ("spherical", "all parameters", "narrow start")


@pytest.mark.parametrize("options", [{"kernel": "rbf"}, {"n_restarts": 1}])
def test_narrow_widths_are_for_free_searches_of_several_widths(options):
    model = GPC(random_state=0, **options).fit(*one_fast_wave())
    assert "narrow start" not in model.selection_.runs


@pytest.mark.parametrize(("most", "looked"), [(60, True), (59, False)])
def test_narrow_widths_are_for_few_rows(most, looked, monkeypatch):
    monkeypatch.setattr("kernelect.estimators.gpc.FEW_ROWS", most)
    model = GPC(random_state=0).fit(*one_fast_wave(n=60))
    assert ("narrow start" in model.selection_.runs) == looked


def test_a_search_that_is_led_does_not_look_at_narrow_widths():
    X, y = one_fast_wave()
    free, led = (GPC(Constant("auto") * ARD() + Constant("auto"), random_state=0) for _ in range(2))
    assert "narrow start" in free.fit(X, y).selection_.runs
    fit_led(led, X, y, np.ones(len(X)), None, lead=Lead(shape=np.zeros(4), max_iter=5))
    assert "narrow start" not in led.selection_.runs


def test_little_is_left_to_gain():
    """A search with a tolerance a thousand times smaller finds hundredths of a nat."""
    X, y = twonorm(120, random_state=0)
    usual, long = (GPC(prior=None, tol=tol, max_iter=1000).fit(X, y) for tol in (1e-4, 1e-7))
    assert 120 * (usual.selection_.value - long.selection_.value) < 0.05


@pytest.mark.parametrize("rounding", [-2e-16, 3e-16])
def test_a_weight_that_rounding_moved_from_one_is_one(rounding):
    X, _, y = wavy(30)
    plain, rounded = GPC(kernel="rbf").fit(X, y), GPC(kernel="rbf").fit(X, y, np.full(len(X), 1.0 + rounding))
    np.testing.assert_allclose(rounded.loo_proba_, plain.loo_proba_, atol=1e-9)


def test_many_columns_take_memory_in_proportion():
    """No step holds a square matrix over the columns."""
    rng = np.random.default_rng(0)
    X, d = rng.normal(size=(16, 3000)), 3000
    tracemalloc.start()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            GPC(max_iter=4).fit(X, np.arange(16) % 2)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 0.5 * 8 * d**2


def test_kernels_side_by_side_are_refused_in_a_sentence():
    for kernel in (sk.CompoundKernel([sk.RBF(), sk.RBF(2.0)]), sk.CompoundKernel(0)):
        with pytest.raises(InvalidArgument, match=r"kernel cannot be a CompoundKernel.*such as their sum"):
            GPC(kernel).fit(np.eye(6), np.arange(6) % 2)
