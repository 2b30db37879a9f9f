"""SVC by its evidence: values against quadrature, both predictors, probabilities, weights and hard data."""

import pickle
import warnings

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import log_loss
from sklearn.utils.estimator_checks import parametrize_with_checks

from kernelect import SVC
from kernelect.criteria import EPEvidence, HMCEvidence
from kernelect.datasets import ringnorm, sparse_inputs, twonorm
from kernelect.exceptions import InvalidArgument, MissingCapability
from kernelect.kernels import ARD, RBF, Constant
from kernelect.machines.ep.likelihoods import hinge_for
from oracles.ep import exact_posterior
from speeds import slowly

SLACKS = ["linear", "quadratic"]
FIXED = 2.0 * RBF(gamma=0.3) + Constant(0.5)
QUICK = HMCEvidence(n_chains=30, n_samples=30, n_burn_in=5, n_draws=300)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # class weights of 1000 to 0.0001
@parametrize_with_checks([SVC(FIXED, C=1.0)])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks([SVC(), SVC("rbf", slack="quadratic")])
def test_scikit_learn_checks_of_a_search(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def rings():
    return ringnorm(120, n_features=4, random_state=0)


@pytest.fixture(scope="module")
def model(rings):
    return SVC("rbf").fit(*rings)


def exact_value(X, y, slack, C, weights=None):
    log_evidence, _, _ = exact_posterior(hinge_for(slack), FIXED.gram(X), y, C, weights, points=161)
    return -log_evidence / (len(y) if weights is None else weights.sum())


@pytest.mark.parametrize("slack", SLACKS)
@pytest.mark.parametrize("C", [0.3, *slowly(2.0)])
def test_fixed_hyper_parameters_give_minus_the_log_evidence_per_row(slack, C):
    X = np.array([[0.0, 0.3], [1.1, -0.4], [-0.8, 0.9]])
    y = np.array([1.0, -1.0, 1.0])
    for criterion, tolerance in [("ep-evidence", 3e-3), ("hmc-evidence", 2e-2)]:
        model = SVC(FIXED, C=C, slack=slack, criterion=criterion, random_state=0).fit(X, y)
        assert model.selection_.value == pytest.approx(exact_value(X, y, slack, C), abs=tolerance)
        assert model.selection_.n_evaluations == 1
        assert model.selection_.prior == "none"
    weights = np.array([2.0, 1.0, 0.5])
    weighted = SVC(FIXED, C=C, slack=slack).fit(X, y, sample_weight=weights)
    assert weighted.selection_.value == pytest.approx(exact_value(X, y, slack, C, weights), abs=1e-2)


def test_it_is_the_default_with_its_prior_and_its_value_is_per_row(rings):
    X, y = rings
    model = SVC().fit(X, y)
    assert (model.selection_.criterion, model.selection_.prior) == ("ep-evidence", "log-normal")
    assert model.selection_.names == ("amplitude", *(f"gamma[{j}]" for j in range(4)), "offset", "C")
    alone = SVC(model.kernel_, C=model.C_).fit(X, y).selection_.value
    theta = model.selection_.theta
    log_lengths = -0.5 * (theta[1:5] - ARD().space(X).reference)
    penalty = 0.125 * (theta[0] ** 2 + theta[-1] ** 2) + 0.5 * np.sum((log_lengths - log_lengths.mean()) ** 2)
    assert model.selection_.value == pytest.approx(alone + penalty / len(y), abs=1e-6)
    assert model.selection_.value == pytest.approx(model.selection_.trace.best_so_far()[-1], rel=1e-9)


@pytest.mark.parametrize("slack", SLACKS)
def test_selection_stops_at_a_maximum_of_the_evidence(rings, slack):
    X, y = rings
    model = SVC("rbf", slack=slack, prior=None, tol=1e-8).fit(X, y)
    theta = model.selection_.theta
    inside = [k for k, name in enumerate(model.selection_.names) if name not in model.selection_.at_bound]
    assert len(inside) >= 2
    for k in inside:
        for step in (-0.2, 0.2):
            moved = theta + step * (np.arange(4) == k)
            other = SVC(model.kernel_.with_theta(moved[:3]), C=float(np.exp(moved[3])), slack=slack).fit(X, y)
            assert other.selection_.value > model.selection_.value - 1e-6


@pytest.mark.parametrize("slack", SLACKS)
def test_probabilities_are_those_of_the_model(rings, slack):
    """E Q(1) / (E Q(1) + E Q(-1)), the expectations here by quadrature over the latent posterior."""
    X, y = rings
    model = SVC(FIXED, C=1.5, slack=slack).fit(X, y)
    new = np.random.default_rng(1).normal(size=(4, 4))
    mean, variance = model.model_.components[0].latent(new)

    def factor(z):
        miss = max(1.0 - z, 0.0)
        return np.exp(-1.5 * (miss if slack == "linear" else 0.5 * miss**2))

    for row, (m, s) in enumerate(zip(mean[:, 0], np.sqrt(variance[:, 0]), strict=True)):

        def expectation(sign, m=m, s=s):
            kinks = [point for point in (-1.0, 1.0) if abs(point - m) < 8 * s]
            return quad(lambda f: norm.pdf(f, m, s) * factor(sign * f), m - 8 * s, m + 8 * s, points=kinks or None)[0]

        plus, minus = expectation(1.0), expectation(-1.0)
        assert model.predict_proba(new)[row, 1] == pytest.approx(plus / (plus + minus), rel=1e-6)
        assert model.decision_function(new)[row] == pytest.approx(np.log(plus / minus), abs=1e-6)
        assert model.decision_function(new)[row] * m > 0


def test_the_plain_machine_stands_at_the_same_hyper_parameters(rings):
    X, y = rings
    mean, plain = SVC("rbf").fit(X, y), SVC("rbf", predictor="svm").fit(X, y)
    np.testing.assert_array_equal(plain.selection_.theta, mean.selection_.theta)
    fixed = SVC(plain.kernel_, C=plain.C_, criterion="span").fit(X, y)
    np.testing.assert_allclose(plain.decision_function(X), fixed.decision_function(X), atol=1e-7)
    np.testing.assert_allclose(plain.predict_proba(X), fixed.predict_proba(X), atol=1e-6)
    assert len(plain.support_) < len(X)
    assert len(mean.support_) == len(X)
    latent = mean.kernel_.cross(mean.support_vectors_, X).T @ mean.dual_coef_
    np.testing.assert_array_equal(latent > 0, mean.decision_function(X) > 0)


@pytest.mark.parametrize("slack", SLACKS)
def test_the_posterior_mean_learns_with_honest_probabilities(slack):
    X, y = twonorm(200, random_state=0)
    X_new, y_new = twonorm(3000, random_state=1)
    model = SVC(slack=slack).fit(X, y)
    assert model.score(X_new, y_new) > 0.955
    assert log_loss(y_new, model.predict_proba(X_new)) < 0.12
    np.testing.assert_array_equal(model.predict(X_new), model.classes_[model.predict_proba(X_new).argmax(axis=1)])


def test_the_prior_keeps_the_amplitude_from_its_bound():
    """The model pays for every |theta| < 1, and the evidence alone climbs to the largest amplitude."""
    X, y = twonorm(200, random_state=0)
    assert "amplitude" in SVC("rbf", prior=None).fit(X, y).selection_.at_bound
    assert "amplitude" not in SVC("rbf").fit(X, y).selection_.at_bound


def test_relevant_inputs_are_found():
    X, y = sparse_inputs(150, n_features=6, n_relevant=2, random_state=0)
    importances = SVC().fit(X, y).feature_importances_
    assert importances.sum() == pytest.approx(1.0)
    assert importances[:2].min() > 2 * importances[2:].max()


@pytest.mark.parametrize("predictor", ["posterior-mean", "svm"])
def test_more_classes_share_kernel_and_C_with_coherent_probabilities(predictor):
    X, y = load_iris(return_X_y=True)
    model = SVC("rbf", predictor=predictor, tol=1e-3).fit(X[::2], y[::2])
    proba = model.predict_proba(X[1::2])
    np.testing.assert_allclose(proba.sum(axis=1), 1.0, rtol=1e-12)
    np.testing.assert_array_equal(model.predict(X[1::2]), model.classes_[proba.argmax(axis=1)])
    assert model.dual_coef_.shape == (len(model.support_), 3)
    assert np.mean(model.predict(X[1::2]) == y[1::2]) > 0.9
    together = SVC(model.kernel_, C=model.C_).fit(X[::2], y[::2]).selection_.value
    apart = sum(SVC(model.kernel_, C=model.C_).fit(X[::2], y[::2] == k).selection_.value for k in range(3))
    assert together == pytest.approx(apart, rel=1e-6)


@pytest.mark.parametrize("slack", SLACKS)
def test_whole_weights_are_repeated_rows(rings, slack):
    X, y = rings
    weights = np.random.default_rng(0).integers(0, 3, size=len(y))
    repeat = np.repeat(np.arange(len(y)), weights)
    weighted = SVC(FIXED, C=0.7, slack=slack).fit(X, y, sample_weight=weights)
    repeated = SVC(FIXED, C=0.7, slack=slack).fit(X[repeat], y[repeat])
    assert weighted.selection_.value == pytest.approx(repeated.selection_.value, rel=1e-6)
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-5)


def test_class_weights_move_the_boundary(rings):
    X, y = rings
    plain, heavy = (SVC(FIXED, C=1.0, class_weight=w).fit(X, y) for w in (None, {-1: 0.3, 1: 2.5}))
    assert np.all(heavy.decision_function(X) > plain.decision_function(X))


@pytest.mark.parametrize("kernel", ["matern32", "linear", "polynomial"])
def test_kernels_by_name_are_in_full_form(rings, kernel):
    X, y = rings
    model = SVC(kernel, max_iter=60).fit(X, y)
    assert model.selection_.names[-2:] == ("offset", "C")
    assert model.selection_.value < -np.log(0.5) + 0.05


def test_units_of_a_linear_kernel_do_not_matter():
    X, y = twonorm(80, n_features=3, random_state=0)
    small, large = (SVC("linear").fit(scale * X, y) for scale in (1e-4, 1e4))
    assert small.selection_.value == pytest.approx(large.selection_.value, abs=1e-6)


def test_a_precomputed_kernel_predicts_by_the_mean(rings):
    X, y = rings
    gram, cross = FIXED.gram(X[:90]), FIXED.cross(X[90:], X[:90])
    given, direct = SVC("precomputed", C=1.0).fit(gram, y[:90]), SVC(FIXED, C=1.0).fit(X[:90], y[:90])
    assert given.selection_.value == pytest.approx(direct.selection_.value, rel=1e-9)
    np.testing.assert_array_equal(given.predict(cross), direct.predict(X[90:]))
    np.testing.assert_allclose(given.decision_function(cross), cross @ direct.dual_coef_, atol=1e-8)
    with pytest.raises(MissingCapability, match="use predict, predictor='svm'"):
        given.predict_proba(cross)
    assert SVC("precomputed", predictor="svm").fit(gram, y[:90]).predict_proba(cross).shape == (30, 2)


def test_an_ensemble_averages_probabilities(rings):
    X, y = rings
    team = SVC("rbf", n_restarts=2, ensemble=True, max_iter=15, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        team.fit(X, y)
    parts = []
    for theta in team.selection_.optima:
        kernel = team.kernel_.with_theta(theta[:-1])
        parts.append(SVC(kernel, C=float(np.exp(theta[-1]))).fit(X, y).predict_proba(X))
    np.testing.assert_allclose(team.predict_proba(X), np.mean(parts, axis=0), atol=1e-6)


def test_early_stopping_judges_who_predicts(rings):
    X, y = rings
    for predictor in ("posterior-mean", "svm"):
        model = SVC(early_stopping=True, prior=None, predictor=predictor, random_state=0, max_iter=20)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(X, y)
        assert "24 validation rows" in model.selection_.status
        assert any(np.array_equal(row, model.selection_.theta) for row in model.selection_.trace.theta)
        fixed = SVC(model.kernel_, C=model.C_, predictor=predictor).fit(X, y)
        np.testing.assert_allclose(model.decision_function(X), fixed.decision_function(X), atol=1e-6)


class TestMonteCarlo:
    def test_gradient_ascent_is_its_search_and_follows_random_state(self):
        X, y = twonorm(60, n_features=4, random_state=0)
        model = SVC("rbf", criterion=QUICK, prior=None, max_iter=30)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(X, y)
        start = model.selection_.trace
        assert start.gradient_norm[-1] < 0.5 * start.gradient_norm.max()
        assert model.selection_.value < start.value[0]
        by_ep = SVC("rbf", prior=None).fit(X, y)
        assert model.selection_.value == pytest.approx(by_ep.selection_.value, abs=0.03)
        np.testing.assert_array_equal(model.predict(X), model.classes_[model.predict_proba(X).argmax(axis=1)])

    def test_the_status_tells_how_well_the_chains_mixed(self, rings):
        X, y = rings
        model = SVC(FIXED, C=1.0, criterion="hmc-evidence", random_state=0).fit(X, y)
        assert "effective samples per gradient, R-hat 1.0" in model.selection_.status
        assert model.selection_.value == pytest.approx(SVC(FIXED, C=1.0).fit(X, y).selection_.value, abs=2e-3)
        again = clone(model).fit(X, y)
        assert again.selection_.value == model.selection_.value
        other = clone(model).set_params(random_state=1).fit(X, y)
        assert other.selection_.value != model.selection_.value

    def test_chains_that_have_not_met_are_told(self, rings, monkeypatch):
        monkeypatch.setattr("kernelect.criteria.ep.hmc_evidence.MIXED", 0.0)
        with pytest.warns(ConvergenceWarning, match="the chains have not mixed"):
            SVC(FIXED, C=1.0, criterion=QUICK).fit(*rings)


@pytest.mark.parametrize("slack", SLACKS)
class TestHardData:
    def test_contradictory_duplicates(self, slack):
        X = np.repeat(np.random.default_rng(0).normal(size=(15, 2)), 2, axis=0)
        X = np.column_stack([X, np.ones(30)])
        model = SVC(slack=slack, max_iter=100).fit(X, np.tile([0, 1], 15))
        np.testing.assert_allclose(model.predict_proba(X), 0.5, atol=1e-3)

    def test_separable(self, slack):
        X = np.r_[np.full((10, 2), -3.0), np.full((10, 2), 3.0)] + np.linspace(0, 0.1, 40).reshape(20, 2)
        y = np.repeat([0, 1], 10)
        model = SVC(slack=slack).fit(X, y)
        assert model.score(X, y) == 1.0
        assert np.isfinite(model.predict_proba(X)).all()

    def test_constant_inputs(self, slack):
        X, y = np.zeros((12, 3)), np.array([0] * 8 + [1] * 4)
        assert (SVC(slack=slack).fit(X, y).predict(X) == 0).all()

    def test_two_rows(self, slack):
        model = SVC(slack=slack).fit([[0.0], [1.0]], ["a", "b"])
        assert model.predict([[0.0], [1.0]]).tolist() == ["a", "b"]

    @pytest.mark.parametrize("C", [1e-6, 1e4, 1e6])
    def test_extreme_constants_converge_or_say_that_they_did_not(self, slack, C, rings):
        X, y = rings
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model = SVC(FIXED, C=C, slack=slack).fit(X, y)
        assert np.isfinite(model.decision_function(X)).all()
        assert np.isfinite(model.selection_.value)
        assert [str(w.message) for w in caught] == (
            [] if model.selection_.converged else [f"SVC: model selection {model.selection_.status}."]
        )

    @pytest.mark.parametrize("scale", [1e-8, 1e8])
    def test_units_do_not_matter(self, slack, scale, rings):
        X, y = rings
        far, near = SVC("rbf", slack=slack).fit(scale * X, y), SVC("rbf", slack=slack).fit(X, y)
        assert far.selection_.value == pytest.approx(near.selection_.value, abs=1e-5)


def test_unmatched_moments_reach_the_user(rings, monkeypatch):
    monkeypatch.setattr("kernelect.machines.ep.machine._PATIENCE", -1)
    with pytest.warns(ConvergenceWarning, match="expectation propagation stopped after .* iterations") as caught:
        model = SVC(FIXED, C=5.0).fit(*rings)
    assert len(caught) == 1
    assert not model.selection_.converged


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"predictor": "mean"}, InvalidArgument, "predictor='mean' is not known"),
        ({"predictor": "posterior-mean", "criterion": "span"}, MissingCapability, "use criterion='ep-evidence'"),
        ({"criterion": "ep"}, InvalidArgument, "criterion='ep' is not known"),
        ({"slack": "cubic"}, InvalidArgument, "slack='cubic' is not known"),
        ({"criterion": "loo", "search": "gradient-ascent"}, MissingCapability, "needs a gradient"),
    ],
)
def test_bad_arguments_are_named_with_a_way_out(rings, arguments, error, message):
    with pytest.raises(error, match=message):
        SVC("rbf", **arguments).fit(*rings)


def test_labels_all_alike_are_refused(rings):
    with pytest.raises(InvalidArgument, match="one class only"):
        SVC().fit(rings[0], np.ones(120))


def test_a_criterion_object_and_pickling(rings, model):
    X, y = rings
    given = SVC("rbf", criterion=EPEvidence()).fit(X, y)
    np.testing.assert_array_equal(given.selection_.theta, model.selection_.theta)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
