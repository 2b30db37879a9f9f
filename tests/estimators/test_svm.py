"""SVC: what is selected, its units, its words, and hard data."""

import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import BaggingClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import log_loss
from sklearn.utils.estimator_checks import parametrize_with_checks

import kernelect
from kernelect import SVC
from kernelect.criteria import Span
from kernelect.datasets import ringnorm, sparse_inputs, twonorm
from kernelect.exceptions import InvalidArgument, KernelectError, MissingCapability
from kernelect.kernels import ARD, RBF, Constant
from oracles import svm as slow

FIXED = 2.0 * ARD(gamma=[0.1, 0.5]) + Constant(0.1)
NAMES = [
    "span",
    "laplace-evidence",
    "gacv",
    "radius-margin",
    "loo",
    "unsmoothed-span",
    "jaakkola-haussler",
    "support-vectors",
]


def svm(*arguments, **options):
    """Return the plain machine, selected by the span unless another criterion is asked for."""
    return SVC(*arguments, **{"criterion": "span", **options})


@pytest.mark.slow  # test_svm_evidence.py has the checks of a posterior
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks([svm(RBF(0.1) + Constant(1.0), C=1.0), svm(), svm("rbf", slack="quadratic")])
def test_scikit_learn_compatibility(estimator, check):
    check(estimator)


@pytest.fixture
def small(rng):
    X = rng.normal(size=(40, 2))
    return X, np.where(X[:, 0] + 0.7 * rng.normal(size=40) > 0, "yes", "no")


def alphas(model, y):
    values = np.zeros(len(y))
    values[model.support_] = np.abs(model.dual_coef_)
    return values


@pytest.mark.parametrize("slack", ["linear", "quadratic"])
def test_fixed_hyper_parameters_give_the_laplace_evidence_per_row(small, slack):
    X, y = small
    model = svm(FIXED, C=0.8, slack=slack, criterion="laplace-evidence").fit(X, y)
    labels = np.where(y == "yes", 1.0, -1.0)
    expected = slow.laplace_evidence(FIXED.gram(X), labels, 0.8, alphas(model, y), slack)
    assert model.selection_.value == pytest.approx(expected, rel=1e-6)
    assert len(model.selection_.trace) == 1
    assert "nothing was left to select" in model.selection_.status
    assert pytest.approx(0.8) == model.C_


def test_fixed_hyper_parameters_give_span_gacv_and_leave_one_out_in_the_papers_units(small):
    X, y = small
    labels = np.where(y == "yes", 1.0, -1.0)
    gram = FIXED.gram(X)
    span = svm(FIXED, C=0.8, slack="quadratic", criterion="span").fit(X, y)
    assert span.selection_.value == pytest.approx(slow.smoothed_span(gram, labels, 0.8, alphas(span, y)), rel=1e-8)
    gacv = svm(FIXED, C=0.8, criterion="gacv").fit(X, y)
    assert gacv.selection_.value == pytest.approx(slow.gacv(gram, labels, 0.8, alphas(gacv, y)), rel=1e-6)
    loo = svm(FIXED, C=0.8, criterion="loo").fit(X, y)
    wrong = 0
    for i in range(len(y)):
        others = np.delete(np.arange(len(y)), i)
        wrong += svm(FIXED, C=0.8).fit(X[others], y[others]).predict(X[[i]])[0] != y[i]
    assert loo.selection_.value == pytest.approx(wrong / len(y))


@pytest.mark.parametrize("criterion", NAMES)
def test_every_criterion_selects_a_model(small, criterion):
    X, y = small
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the Laplace evidence ends on its ridge
        model = svm("rbf", criterion=criterion, max_iter=15).fit(X, y)
    assert model.selection_.criterion == criterion
    assert np.isfinite(model.selection_.value)
    assert model.selection_.value <= model.selection_.trace.value[0]


def test_twonorm_is_learnt_with_honest_probabilities():
    X, y = twonorm(200, random_state=0)
    X_new, y_new = twonorm(3000, random_state=1)
    for slack in ("linear", "quadratic"):
        model = svm(slack=slack).fit(X, y)
        assert model.score(X_new, y_new) > 0.955
        assert log_loss(y_new, model.predict_proba(X_new)) < 0.15
        np.testing.assert_array_equal(model.predict(X_new), model.classes_[model.predict_proba(X_new).argmax(axis=1)])


def test_ringnorm_needs_the_offset_and_gets_it():
    X, y = ringnorm(200, random_state=0)
    X_new, y_new = ringnorm(3000, random_state=1)
    assert svm("rbf", slack="quadratic").fit(X, y).score(X_new, y_new) > 0.965


def test_relevant_inputs_are_found():
    X, y = sparse_inputs(300, n_features=8, n_relevant=2, random_state=0)
    model = svm(slack="quadratic").fit(X, y)
    assert set(np.argsort(model.feature_importances_)[-2:]) == {0, 1}
    assert model.feature_importances_[:2].sum() > 0.7
    assert model.feature_importances_.sum() == pytest.approx(1.0)


def test_a_name_stands_for_the_full_form_and_an_object_for_itself(small):
    X, y = small
    named = svm("rbf", slack="quadratic").fit(X, y)
    assert named.selection_.names == ("amplitude", "gamma", "offset", "C")
    assert named.C_ == 1.0  # span sees the product of C and amplitude only
    evidence = svm("rbf", criterion="laplace-evidence", max_iter=2)
    with pytest.warns(ConvergenceWarning):
        evidence.fit(X, y)
    assert evidence.C_ != 1.0
    given = svm(RBF(0.5)).fit(X, y)
    assert given.selection_.names == ("gamma", "C")
    assert given.kernel_.gamma == 0.5
    assert given.C_ != 1.0
    with_amplitude = svm(Constant("auto") * RBF()).fit(X, y)
    assert with_amplitude.selection_.names == ("constant", "gamma", "C")


def test_the_degenerate_ridge_is_told():
    X, y = twonorm(80, random_state=0)
    with pytest.warns(ConvergenceWarning, match="degenerate limit ln kappa"):
        model = svm("rbf", criterion="laplace-evidence").fit(X, y)
    assert not model.selection_.converged
    assert "amplitude" in model.selection_.at_bound


def test_support_vectors_carry_the_decision(small):
    X, y = small
    model = svm(FIXED, C=0.8).fit(X, y)
    np.testing.assert_array_equal(model.support_vectors_, X[model.support_])
    expected = FIXED.cross(X[model.support_], X).T @ model.dual_coef_
    np.testing.assert_allclose(model.decision_function(X), expected, atol=1e-12)
    assert 0 < len(model.support_) < len(X)
    assert model.intercept_ == 0.0
    others = np.setdiff1d(np.arange(len(X)), model.support_)
    without = svm(FIXED, C=0.8).fit(np.delete(X, others[:3], axis=0), np.delete(y, others[:3]))
    np.testing.assert_allclose(without.decision_function(X), expected, atol=1e-7)


def test_a_precomputed_kernel_is_the_same_machine(small):
    X, y = small
    gram = FIXED.gram(X)
    direct, given = svm(FIXED).fit(X, y), svm("precomputed").fit(gram, y)
    assert pytest.approx(direct.C_, rel=1e-4) == given.C_
    np.testing.assert_allclose(given.decision_function(gram), direct.decision_function(X), atol=1e-3)
    assert given.get_params()["kernel"] == "precomputed"


def test_three_classes_share_kernel_and_C():
    rng = np.random.default_rng(0)
    centres = np.array([[0.0, 0.0], [3.0, 0.0], [0.0, 3.0]])
    index = np.arange(90) % 3
    X = centres[index] + rng.normal(size=(90, 2))
    y = np.array(["a", "b", "c"])[index]
    model = svm("rbf", slack="quadratic").fit(X, y)
    assert model.score(X, y) > 0.9
    assert model.decision_function(X).shape == (90, 3)
    assert model.dual_coef_.shape == (len(model.support_), 3)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    values = []
    for name in "abc":
        one = svm(model.kernel_, C=model.C_, slack="quadratic").fit(X, np.where(y == name, 1, -1))
        values.append(one.selection_.value)
    assert model.selection_.value == pytest.approx(sum(values), rel=1e-6)


def test_weights_of_classes_and_rows(small):
    X, y = small
    balanced = svm(FIXED, C=0.1, class_weight={"yes": 20.0, "no": 1.0}).fit(X, y)
    assert (balanced.predict(X) == "yes").mean() > (svm(FIXED, C=0.1).fit(X, y).predict(X) == "yes").mean()
    weights = np.where(np.arange(len(y)) < 5, 0.0, 1.0)
    weighted = svm(FIXED, C=0.5).fit(X, y, sample_weight=weights)
    dropped = svm(FIXED, C=0.5).fit(X[5:], y[5:])
    np.testing.assert_allclose(weighted.decision_function(X), dropped.decision_function(X), atol=1e-10)
    assert weighted.support_.min() >= 5


def test_a_prior_is_a_wrapper_on_every_criterion():
    X, y = twonorm(60, random_state=0)
    for criterion in ("span", "gacv"):
        free = svm(criterion=criterion, prior=None).fit(X, y)
        shrunk = svm(criterion=criterion, prior="shrinkage").fit(X, y)
        assert free.selection_.prior == "none"
        assert shrunk.selection_.prior == "shrinkage"

        def spread(model):
            return np.std(model.selection_.theta[1:-2])

        assert spread(shrunk) <= spread(free) + 1e-9


def test_restarts_keep_the_best_and_an_ensemble_averages_their_optima(small):
    X, y = small
    best = svm(n_restarts=3, slack="quadratic", random_state=0).fit(X, y)
    team = svm(n_restarts=3, slack="quadratic", random_state=0, ensemble=True).fit(X, y)
    assert team.selection_.optima.shape == (4, 5)
    np.testing.assert_allclose(team.selection_.theta, best.selection_.theta)
    decisions = []
    for theta in team.selection_.optima:
        kernel, C = best.kernel_.with_theta(theta[:-1]), float(np.exp(theta[-1]))
        decisions.append(svm(kernel, C=C, slack="quadratic").fit(X, y).decision_function(X))
    np.testing.assert_allclose(team.decision_function(X), np.mean(decisions, axis=0), atol=1e-9)
    again = svm(n_restarts=3, slack="quadratic", random_state=0, n_jobs=2).fit(X, y)
    np.testing.assert_allclose(again.selection_.theta, best.selection_.theta)


def test_restarts_begin_on_no_plateau():
    """Scattered widths are scaled back: no start has a kernel matrix that is almost the identity."""
    X, y = twonorm(80, random_state=0)
    model = svm(n_restarts=6, prior=None, max_iter=1, random_state=3, slack="quadratic")
    with pytest.warns(ConvergenceWarning):
        model.fit(X, y)
    trace = model.selection_.trace
    for run in np.unique(trace.run)[1:]:
        gamma = np.exp(trace.theta[np.flatnonzero(trace.run == run)[0], 1:21])
        squares = ((X[:, None] - X) ** 2 @ gamma)[np.triu_indices(80, 1)]
        assert np.exp(-2.001) <= np.median(squares) <= np.exp(1.001)


def test_early_stopping_takes_a_point_along_the_search(small):
    X, y = small
    model = svm(early_stopping=True, validation_fraction=0.3, prior=None, slack="quadratic", random_state=0).fit(X, y)
    assert "validation rows" in model.selection_.status
    assert "12 validation rows" in model.selection_.status
    assert any(np.array_equal(row, model.selection_.theta) for row in model.selection_.trace.theta)
    fixed = svm(model.kernel_, C=model.C_, slack="quadratic").fit(X, y)  # solved on all rows
    np.testing.assert_allclose(model.decision_function(X), fixed.decision_function(X), atol=1e-9)
    again = clone(model).fit(X, y)
    np.testing.assert_array_equal(again.selection_.theta, model.selection_.theta)


def test_early_stopping_judges_the_points_of_all_searches_on_the_same_rows(small):
    X, y = small
    options = {"prior": None, "slack": "quadratic", "max_iter": 20, "n_restarts": 3}
    found = [svm(early_stopping=True, random_state=seed, **options).fit(X, y).selection_ for seed in range(4)]
    elsewhere = 0
    for selection in found:
        trace, errors = selection.trace, selection.validation_error
        for run in np.unique(trace.run):
            judged = np.isfinite(errors[trace.run == run])
            assert judged.any()
        taken = next(row for row, theta in enumerate(trace.theta) if np.array_equal(theta, selection.theta))
        assert errors[taken] == np.nanmin(errors)
        elsewhere += trace.run[taken] != trace.run[np.nanargmin(trace.value)]
    assert elsewhere  # not always the search that has the best criterion


def test_machines_of_random_parts_are_combined_by_bagging(small):
    """Gold & Sollich's outlook: selection on random parts of the rows, whose machines are averaged afterwards."""
    X, y = small
    team = BaggingClassifier(svm("rbf"), n_estimators=3, max_samples=0.5, bootstrap=False, random_state=1).fit(X, y)
    alone = [svm("rbf", random_state=0).fit(X[rows], y[rows]) for rows in team.estimators_samples_]
    assert {len(set(rows)) for rows in team.estimators_samples_} == {20}
    mean = np.mean([model.predict_proba(X) for model in alone], axis=0)
    np.testing.assert_allclose(team.predict_proba(X), mean, atol=1e-9)
    np.testing.assert_array_equal(team.predict(X), team.classes_[np.argmax(mean, axis=1)])


@pytest.mark.parametrize("slack", ["linear", "quadratic"])
class TestHardData:
    def test_separable(self, slack):
        X = np.r_[np.full((10, 2), -3.0), np.full((10, 2), 3.0)] + np.linspace(0, 0.1, 40).reshape(20, 2)
        y = np.repeat([0, 1], 10)
        model = svm(slack=slack).fit(X, y)
        assert model.score(X, y) == 1.0
        assert np.isfinite(model.predict_proba(X)).all()

    def test_duplicates_with_opposite_labels(self, slack):
        X = np.repeat(np.arange(6.0)[:, None], 2, axis=0)
        y = np.tile([0, 1], 6)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = svm(slack=slack).fit(X, y)
        np.testing.assert_allclose(model.predict_proba(X), 0.5, atol=0.2)

    def test_two_rows(self, slack):
        model = svm(slack=slack).fit([[0.0], [1.0]], [0, 1])
        np.testing.assert_array_equal(model.predict([[0.0], [1.0]]), [0, 1])

    def test_constant_inputs(self, slack):
        X = np.zeros((12, 3))
        y = np.array([0] * 8 + [1] * 4)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = svm(slack=slack).fit(X, y)
        assert (model.predict(X) == 0).all()

    @pytest.mark.parametrize("scale", [1e-8, 1e8])
    def test_inputs_of_any_scale(self, slack, scale, small):
        X, y = small
        assert svm(slack=slack).fit(scale * X, y).score(scale * X, y) > 0.7

    @pytest.mark.parametrize("C", [1e-6, 1e6])
    def test_extreme_constants(self, slack, C, small):
        X, y = small
        model = svm(FIXED, C=C, slack=slack).fit(X, y)
        assert np.isfinite(model.decision_function(X)).all()

    def test_a_nearly_singular_kernel(self, slack, small):
        X, y = small
        kernel = 125.0 * RBF(1.0 / (2 * 17.0**2)) + Constant(0.1)
        assert np.linalg.cond(kernel.gram(X)) > 1e10
        model = svm(kernel, C=200.0, slack=slack).fit(X, y)
        assert model.selection_.converged
        assert model.score(X, y) > 0.7


def test_an_unsolved_machine_reaches_the_user(small, monkeypatch):
    X, y = small
    monkeypatch.setattr("kernelect.machines.svm.box_qp.pivot", lambda *args, **options: None)
    monkeypatch.setattr("kernelect.machines.svm.interior_point._MAX_ITERATIONS", 2)
    with pytest.warns(ConvergenceWarning, match="the support vector machine is solved to"):
        model = svm(FIXED, C=10.0).fit(X, y)
    assert not model.selection_.converged


def test_bad_arguments_are_named_with_a_way_out(small):
    X, y = small
    cases = [
        ({"slack": "cubic"}, InvalidArgument, "slack='cubic' is not known"),
        ({"C": -1.0}, InvalidArgument, "C=-1.0 must be a positive number"),
        ({"criterion": "spam"}, InvalidArgument, "Did you mean 'span'"),
        ({"criterion": "gacv", "slack": "quadratic"}, MissingCapability, "not defined for slack='quadratic'"),
        (
            {"criterion": "loo", "search": "lbfgs"},
            MissingCapability,
            "use search='nelder-mead', 'random-walk' or 'scan'",
        ),
        ({"search": "newton"}, InvalidArgument, "search='newton' is not known"),
        ({"ensemble": True}, InvalidArgument, "n_restarts=0 has one optimum"),
        ({"ensemble": "yes"}, InvalidArgument, "ensemble='yes' must be True or False"),
        ({"ensemble": True, "early_stopping": True}, InvalidArgument, "exclude each other"),
        ({"early_stopping": True, "validation_fraction": 1.5}, InvalidArgument, "validation_fraction=1.5"),
        ({"prior": "curvature"}, MissingCapability, "which 'lssvm' does and 'svm' does not: use prior='shrinkage'"),
        (
            {"criterion": "press"},
            MissingCapability,
            "judges the machine 'lssvm', and SVC trains 'ep' or 'svm'",
        ),
    ]
    for arguments, error, text in cases:
        with pytest.raises(error, match=text):
            svm("rbf", **arguments).fit(X, y)
    with pytest.raises(InvalidArgument, match=r"X varies by about 3e\+200, too little or too much"):
        svm("linear").fit(1e200 * X, y)
    for indefinite in (-np.eye(40), np.eye(40)[::-1]):
        with pytest.raises(KernelectError, match="not positive definite.*precomputed kernel"):
            svm("precomputed").fit(indefinite, y)
    with pytest.raises(KernelectError, match="one class only"):
        svm().fit(X, np.zeros(len(X)))
    with pytest.raises(InvalidArgument, match="leaves class 'no' without a row"):
        svm().fit(X, y, sample_weight=(y == "yes").astype(float))
    with pytest.raises(InvalidArgument, match="without rows to search on or to validate"):
        svm(early_stopping=True).fit(X[:3], ["a", "a", "b"])


def test_a_criterion_object_and_pickling(small):
    X, y = small
    model = svm("rbf", slack="quadratic", criterion=Span(c1=3.0, eta=0.5)).fit(X, y)
    assert model.selection_.criterion == "span"
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.predict_proba(X), model.predict_proba(X))
    assert "SVC" in dir(kernelect)


def test_the_random_walk_follows_random_state(small):
    X, y = small

    def theta(seed):
        model = svm("rbf", search="random-walk", slack="quadratic", random_state=seed, max_iter=30)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return model.fit(X, y).selection_.theta

    np.testing.assert_array_equal(theta(1), theta(1))
    assert not np.array_equal(theta(1), theta(2))


def test_what_is_fixed_comes_back_as_it_was_given(rng):
    X = rng.normal(size=(30, 2))
    model = SVC(2.0 * ARD([0.1, 0.5]) + Constant(0.1), C=0.1, criterion="span").fit(X, X[:, 0] > 0.0)
    assert repr(model.kernel_) == repr(2.0 * ARD([0.1, 0.5]) + Constant(0.1))
    assert model.C_ == 0.1
