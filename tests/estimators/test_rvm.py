"""RVC and RVR: scikit-learn's checks, what they select, and difficult data."""

import pickle

import numpy as np
import pytest
from scipy.special import log_expit
from sklearn.base import clone
from sklearn.datasets import load_iris, make_friedman1, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

from kernelect import RVC, RVR
from kernelect.criteria import RVMCentreEvidence, RVMCrossValidation
from kernelect.dictionaries import Fourier, KernelFunctions
from kernelect.exceptions import InvalidArgument, MissingCapability
from kernelect.kernels import ARD, RBF, Linear, Polynomial
from oracles.rvm import laplace_evidence, normal_evidence
from speeds import slowly


@parametrize_with_checks([RVC(RBF(0.1)), RVR(RBF(0.1))])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks([RVC(), RVC(criterion="occam-evidence"), RVR()])
def test_scikit_learn_checks_of_a_search(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def moons():
    return make_moons(120, noise=0.25, random_state=0)


@pytest.fixture(scope="module")
def sinc():
    X = np.linspace(-10, 10, 80)[:, None]
    return X, np.sinc(X[:, 0] / np.pi) + np.random.default_rng(0).normal(scale=0.05, size=80)


def test_weights_of_one_row_in_all_make_a_constant(sinc):
    X, y = sinc
    model = RVR().fit(X, y, sample_weight=np.full(80, 1.0 / 80.0))
    np.testing.assert_allclose(model.predict(X), y.mean())


def test_value_with_nothing_to_select_is_minus_log_evidence(moons):
    X, y = moons
    model = RVC(RBF(1.0), criterion="evidence").fit(X, y)
    Phi = RBF(1.0).cross(X, model.relevance_vectors_)
    alpha = model.model_.components[0].spread.model.outputs[0].alpha
    if model.intercept_ != 0.0:
        Phi = np.column_stack([np.ones(len(X)), Phi])
    value, _ = laplace_evidence(Phi, np.where(y == 1, 1.0, -1.0), alpha)
    assert model.selection_.value == pytest.approx(-value, abs=1e-5)
    assert "nothing was left to select" in model.selection_.status


def test_regression_value_is_minus_log_evidence_of_centred_targets(sinc):
    X, y = sinc
    model = RVR(RBF(0.1), criterion="evidence").fit(X, y)
    spread = model.model_.components[0].spread
    output = spread.model.outputs[0]
    Phi = output.design(RBF(0.1).cross(X, model.relevance_vectors_))
    alpha = output.alpha / spread.unit**2  # the model is kept in the unit in which it was fitted
    expected = normal_evidence(Phi, y - y.mean(), alpha, model.noise_**-2)
    assert model.selection_.value == pytest.approx(-expected, abs=1e-6)


@pytest.mark.parametrize("criterion", ["evidence", "occam-evidence", "centre-evidence", "cv"])
@pytest.mark.parametrize("centres", ["data", "movable"])
def test_every_criterion_gives_a_good_sparse_model(moons, criterion, centres):
    X, y = moons
    model = RVC("rbf", criterion=criterion, centres=centres).fit(X, y)
    new, labels = make_moons(400, noise=0.25, random_state=1)
    assert model.score(new, labels) > 0.9
    assert len(model.support_) == len(model.relevance_vectors_) < 40
    moved = np.abs(model.relevance_vectors_ - X[model.support_]).max() > 1e-6
    assert moved == (centres == "movable")


def test_leave_one_out_value_is_an_error_rate():
    X, y = make_moons(40, noise=0.2, random_state=0)
    model = RVC(RBF(1.0), criterion="loo").fit(X, y)
    assert 0.0 <= model.selection_.value < 0.3
    assert model.selection_.value * 40 == pytest.approx(round(model.selection_.value * 40))


def test_selected_width_is_a_maximum_of_the_evidence(sinc):
    X, y = sinc
    model = RVR("rbf", criterion="evidence").fit(X, y)
    for factor in (0.3, 3.0):
        other = RVR(RBF(factor * model.kernel_.gamma), criterion="evidence").fit(X, y)
        assert other.selection_.value > model.selection_.value


def test_default_of_regression_does_not_follow_the_noise():
    X, y = make_friedman1(150, noise=1.0, random_state=0)
    model = RVR("rbf").fit(X[:100], y[:100])
    assert len(model.support_) < 30
    assert 0.5 < model.noise_ < 4.0
    mean, std = model.predict(X[100:], return_std=True)
    assert np.mean(np.abs(y[100:] - mean) < 1.96 * std) > 0.8


def test_widths_per_input_tell_which_inputs_matter():
    generator = np.random.default_rng(2)
    X = generator.normal(size=(80, 3))
    y = np.sin(2 * X[:, 0]) + 0.05 * generator.normal(size=80)
    model = RVR("ard", criterion="evidence").fit(X, y)
    assert model.feature_importances_[0] > 0.8
    assert model.kernel_.gamma[0] > 3 * model.kernel_.gamma[1:].max()


@pytest.mark.parametrize("dictionary", ["fourier", KernelFunctions(RBF(0.1)), lambda X: np.cos(X / 3.0)])
def test_a_dictionary_tells_which_inputs_matter(sinc, dictionary):
    X, y = sinc
    noise = np.random.default_rng(1).normal(size=(len(X), 1))
    model = RVR(dictionary=dictionary).fit(np.hstack([X, noise]), y)
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    assert model.feature_importances_[0] > 0.5


def test_relevances_of_a_dictionary_of_kernels_are_those_of_the_kernel(moons):
    X, y = moons
    a, b = (RVC(**options).fit(X, y) for options in ({"kernel": RBF(1.0)}, {"dictionary": KernelFunctions(RBF(1.0))}))
    np.testing.assert_allclose(a.feature_importances_, b.feature_importances_, atol=1e-4)


def test_a_precomputed_kernel_has_no_relevances_and_says_why(moons):
    X, y = moons
    model = RVC(RBF(1.0)).fit(X, y)
    model.set_params(kernel="precomputed").fit(RBF(1.0).gram(X), y)
    assert not hasattr(model, "relevance_vectors_")
    with pytest.raises(AttributeError, match="inputs behind the kernel are not known"):
        _ = model.feature_importances_
    with pytest.raises(AttributeError, match="no attribute 'feature_importances_'"):
        _ = RVC().feature_importances_


def test_criterion_objects_and_their_options(moons):
    X, y = moons
    paper = RVC("rbf", criterion=RVMCentreEvidence(form="scalar"), max_iter=20).fit(X[:60], y[:60])
    folds = RVC("rbf", criterion=RVMCrossValidation(n_parts=3, loss="error")).fit(X, y)
    assert paper.selection_.criterion == "centre-evidence"
    assert folds.selection_.value < 0.2


def test_order_of_rows_does_not_matter(moons):
    X, y = moons[0][:60], moons[1][:60]
    order = np.random.default_rng(3).permutation(len(y))
    for criterion in ("evidence", "cv"):
        a = RVC("rbf", criterion=criterion).fit(X, y)
        b = RVC("rbf", criterion=criterion).fit(X[order], y[order])
        assert a.selection_.value == pytest.approx(b.selection_.value, abs=1e-3)


def test_three_classes_have_coherent_probabilities():
    X, y = load_iris(return_X_y=True)
    model = RVC("rbf").fit(X[::2], y[::2])
    p = model.predict_proba(X[1::2])
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    np.testing.assert_array_equal(p.argmax(axis=1), model.predict(X[1::2]))
    assert model.score(X[1::2], y[1::2]) > 0.9
    assert -np.mean(np.log(p[np.arange(75), y[1::2]])) < 0.5


def test_probabilities_of_two_classes_are_less_sure_than_the_mode(moons):
    X, y = moons
    model = RVC(RBF(1.0)).fit(X, y)
    h = RBF(1.0).cross(X, model.relevance_vectors_) @ model.dual_coef_ + model.intercept_
    mode = np.exp(log_expit(np.abs(h)))
    p = model.predict_proba(X).max(axis=1)
    assert np.all(p < mode)
    np.testing.assert_array_equal(model.predict(X), model.classes_[(h > 0).astype(int)])


def test_standard_deviations_cover_new_observations(sinc):
    X, y = sinc
    model = RVR("rbf").fit(X, y)
    generator = np.random.default_rng(9)
    new = generator.uniform(-9, 9, size=(500, 1))
    truth = np.sinc(new[:, 0] / np.pi) + generator.normal(scale=0.05, size=500)
    mean, std = model.predict(new, return_std=True)
    assert 0.88 < np.mean(np.abs(truth - mean) < 1.96 * std) < 1.0
    assert np.all(std >= model.noise_)


def test_a_shift_and_scale_of_the_targets_change_nothing_else(sinc):
    X, y = sinc
    a, b = RVR(RBF(0.1)).fit(X, y), RVR(RBF(0.1)).fit(X, 1e6 + 1e3 * y)
    np.testing.assert_allclose(b.predict(X), 1e6 + 1e3 * a.predict(X), rtol=1e-8)


@pytest.mark.parametrize("kernel", ["linear", "polynomial", "matern52", Linear() + RBF(1.0), Polynomial(3, 0.5, 1.0)])
def test_any_kernel_is_a_dictionary(moons, kernel):
    X, y = moons
    assert RVC(kernel, criterion="evidence").fit(X, y).score(X, y) > 0.8


def test_precomputed_kernel_gives_the_same_model(moons):
    X, y = moons
    gram = RBF(1.0).gram(X)
    a, b = RVC(RBF(1.0)).fit(X, y), RVC("precomputed").fit(gram, y)
    np.testing.assert_allclose(a.decision_function(X), b.decision_function(gram), atol=1e-6)


def test_basis_functions_of_ones_own(sinc):
    X, y = sinc

    def bumps(X):
        return np.exp(-0.1 * (X - np.linspace(-10, 10, 41)) ** 2)

    model = RVR(dictionary=bumps).fit(X, y)
    assert model.score(X, y) > 0.95
    assert len(model.support_) < 15
    assert model.support_.max() < 41
    assert model.basis_ == [f"bumps[{j}]" for j in model.support_]
    values = model.functions_.evaluate(X)
    np.testing.assert_allclose(model.predict(X), values @ model.dual_coef_ + model.intercept_)


def test_every_dictionary_of_the_basis_search_is_one_of_the_rvm(sinc):
    X, y = sinc
    model = RVR(dictionary="fourier").fit(X, y)
    assert model.score(X, y) > 0.9
    assert all(phrase.startswith(("sin(", "cos(")) for phrase in model.basis_)
    design = Fourier().build(X).evaluate(X)
    given = RVR(dictionary="precomputed").fit(design, y)
    np.testing.assert_array_equal(given.support_, model.support_)
    np.testing.assert_allclose(given.predict(design), model.predict(X))
    both = RVR(dictionary=["linear", KernelFunctions(RBF(0.1))]).fit(X, y + 0.5 * X[:, 0])
    assert both.basis_[0] == "x0"
    assert all(phrase.startswith("RBF at") for phrase in both.basis_[1:])


def test_a_dictionary_of_kernels_at_the_data_is_the_kernel_itself(moons):
    X, y = moons
    a = RVC("rbf", criterion="evidence").fit(X, y)
    b = RVC(dictionary=KernelFunctions("rbf"), criterion="evidence").fit(X, y)
    assert a.selection_.value == pytest.approx(b.selection_.value, abs=1e-4)
    assert a.kernel_.gamma == pytest.approx(b.functions_.kernel.gamma, rel=1e-3)
    np.testing.assert_allclose(a.predict_proba(X), b.predict_proba(X), atol=1e-3)
    rows = np.array(sorted(map(tuple, X[a.support_])))
    np.testing.assert_array_equal(rows, np.array(sorted(map(tuple, b.functions_.centres))))


def test_labels_may_have_a_dictionary_and_parts_are_left_out_by_rows(moons):
    X, y = moons
    model = RVC(dictionary=["polynomial", KernelFunctions("rbf", centres=X[::6])], criterion="cv").fit(X, y)
    assert model.score(X, y) > 0.85
    assert len(model.basis_) == len(model.support_) == len(model.functions_)


@pytest.mark.parametrize(
    ("dictionary", "words"),
    [
        (3, "dictionary=3 must be a name"),
        ("fourrier", "Did you mean 'fourier'"),
        ([], "holds no functions"),
        (lambda X: X[:3], "returned an array of shape"),
        (lambda X: np.full(len(X), np.nan), "NaN or infinite"),
    ],
)
def test_dictionaries_that_cannot_be_get_one_sentence(sinc, dictionary, words):
    with pytest.raises(InvalidArgument, match=words):
        RVR(dictionary=dictionary).fit(*sinc)


def difficult():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(40, 3))
    y = np.where(X[:, 0] + 0.1 * generator.normal(size=40) > 0, 1, 0)
    return {
        "separable": (X + 10.0 * y[:, None], y),
        "fewer rows than inputs": (generator.normal(size=(12, 50)), np.arange(12) % 2),
        "duplicate rows": (np.repeat(X[:10], 4, axis=0), np.repeat(y[:10], 4)),
        "duplicates with both labels": (np.repeat(X[:10], 4, axis=0), np.arange(40) % 2),
        "large": (1e8 * X, y),
        "small": (1e-8 * X, y),
        "far from 0": (1e8 + X, y),
        "constant column": (np.column_stack([X, np.ones(40)]), y),
        "constant inputs": (np.ones((40, 2)), y),
        "two rows": (X[:2], np.array([0, 1])),
    }


# A search cut short at 5 iterations says so.
@pytest.mark.filterwarnings("ignore:.*iteration limit:sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", difficult())
@pytest.mark.parametrize("kernel", ["linear", *slowly("ard")])
def test_difficult_data(name, kernel):
    X, y = difficult()[name]
    classical = {"kernel": RBF(1.0) if kernel == "ard" else kernel, "algorithm": "classical"}
    for model in (RVC(kernel, max_iter=5), RVR(kernel, max_iter=5), RVC(**classical), RVR(**classical)):
        model.fit(X, y.astype(float) if isinstance(model, RVR) else y)
        assert np.all(np.isfinite(model.predict(X)))
        if isinstance(model, RVC):
            assert np.all(np.isfinite(model.predict_proba(X)))
    if name in ("separable", "large", "small", "constant column") and kernel == "ard":
        assert RVC(kernel, max_iter=5).fit(X, y).score(X, y) > 0.9


def test_constant_targets(moons):
    X, y = moons
    model = RVR().fit(X, np.full(len(y), 0.1))
    mean, std = model.predict(X, return_std=True)
    np.testing.assert_allclose(mean, 0.1)
    np.testing.assert_allclose(std, 0.0)
    assert len(model.support_) == 0
    assert "constant" in model.selection_.status
    with pytest.raises(InvalidArgument, match="one class only"):
        RVC().fit(X, np.ones(len(y)))


def test_labels_without_pattern_give_a_model_that_predicts():
    X = np.zeros((20, 2))
    model = RVC("rbf").fit(X, np.arange(20) % 2)
    np.testing.assert_allclose(model.predict_proba(X), 0.5)
    assert len(model.support_) == 0
    assert "the model is a constant" in model.selection_.status


def test_class_weights_move_the_decision(moons):
    X, y = moons
    plain = RVC(RBF(1.0)).fit(X, y)
    heavy = RVC(RBF(1.0), class_weight={0: 1.0, 1: 20.0}).fit(X, y)
    assert heavy.predict(X).sum() > plain.predict(X).sum()
    with pytest.raises(InvalidArgument, match="class_weight"):
        RVC(RBF(1.0), class_weight={0: 0.0, 1: 1.0}).fit(X, y)


@pytest.mark.parametrize("kernel", [RBF(1.0), "precomputed"])
def test_rows_of_weight_0_are_left_out_and_support_names_the_rows_given(moons, kernel):
    X, y = moons
    weights = np.where(np.arange(len(y)) % 3 == 0, 0.0, 1.0)
    kept = np.flatnonzero(weights)
    given = RBF(1.0).gram(X) if kernel == "precomputed" else X
    part = RVC(RBF(1.0)).fit(X[kept], y[kept])
    whole = RVC(kernel).fit(given, y, sample_weight=weights)
    np.testing.assert_array_equal(whole.support_, kept[part.support_])
    np.testing.assert_allclose(whole.decision_function(given), part.decision_function(X), atol=1e-8)


@pytest.mark.parametrize("options", [{"kernel": RBF(0.1)}, {"dictionary": "fourier"}])
def test_a_row_of_weight_2_is_two_rows(sinc, options):
    X, y = sinc
    weights = 1.0 + np.arange(len(y)) % 2
    twice = np.repeat(np.arange(len(y)), weights.astype(int))
    a, b = RVR(**options).fit(X, y, sample_weight=weights), RVR(**options).fit(X[twice], y[twice])
    assert a.selection_.value == pytest.approx(b.selection_.value, abs=1e-5)
    assert a.noise_ == pytest.approx(b.noise_, rel=1e-5)
    for one, other in zip(a.predict(X, return_std=True), b.predict(X, return_std=True), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


def test_weights_that_leave_nothing_to_learn_get_one_sentence(moons):
    X, y = moons
    with pytest.raises(InvalidArgument, match="leaves class 1 without a row"):
        RVC(RBF(1.0)).fit(X, y, sample_weight=1.0 * (y == 0))
    with pytest.raises(ValueError, match="0 for every row|at least one non-zero"):  # newer scikit-learn says it itself
        RVR(RBF(1.0)).fit(X, y, sample_weight=np.zeros(len(y)))
    with pytest.raises(InvalidArgument, match="leaves 1 row"):
        RVR(RBF(1.0)).fit(X, y, sample_weight=np.eye(len(y))[0])


def test_a_fitted_model_is_small_and_pickles():
    X, y = make_moons(400, noise=0.2, random_state=0)
    model = RVC(RBF(1.0)).fit(X, y)
    stored = pickle.dumps(model)
    assert len(stored) < 20_000
    np.testing.assert_array_equal(pickle.loads(stored).predict(X), model.predict(X))
    assert clone(model).get_params()["criterion"] == model.criterion


@pytest.mark.parametrize("kernel", ["rbf", "precomputed"])
def test_equal_rows_share_a_part_and_the_order_of_rows_does_not_matter(kernel):
    X, y = make_moons(60, noise=0.3, random_state=1)
    again, order = np.repeat(np.arange(60), 3), np.random.default_rng(0).permutation(180)

    def fitted(rows, weights=None):
        inputs = RBF(1.0).gram(X[rows]) if kernel == "precomputed" else X[rows]
        return RVC(kernel).fit(inputs, y[rows], sample_weight=weights)

    whole, mixed, weighted = fitted(again), fitted(again[order]), fitted(np.arange(60), np.full(60, 3.0))
    assert mixed.selection_.value == pytest.approx(whole.selection_.value, rel=1e-6)
    assert weighted.selection_.value == pytest.approx(whole.selection_.value, rel=1e-6)


@pytest.mark.parametrize(
    ("criterion", "words"),
    [
        (lambda: RVMCrossValidation(parts=np.zeros(7, dtype=int)), "parts has 7 entries for 120 rows"),
        (lambda: RVMCrossValidation(n_parts=1), "n_parts=1"),
        (lambda: RVMCrossValidation(loss="lag"), "Did you mean 'log'"),
    ],
)
def test_cross_validation_that_cannot_be_is_refused(moons, criterion, words):
    with pytest.raises(InvalidArgument, match=words):
        RVC("rbf", criterion=criterion()).fit(*moons)


@pytest.mark.parametrize("criterion", ["cv", "loo"])
def test_the_evidence_prior_wants_a_gradient(moons, criterion):
    with pytest.raises(MissingCapability, match="prior='evidence' needs the gradient"):
        RVC(criterion=criterion, prior="evidence").fit(*moons)


def test_time_limit_gives_the_best_so_far_and_one_warning(moons):
    X, y = moons
    with pytest.warns(ConvergenceWarning, match="time limit"):
        model = RVC(time_limit=0.0).fit(X, y)
    assert model.score(X, y) > 0.8


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"criterion": "evidense"}, InvalidArgument, "Did you mean 'evidence'"),
        ({"centres": "moving"}, InvalidArgument, "centres='moving'"),
        ({"algorithm": "fast"}, InvalidArgument, "algorithm='fast'"),
        ({"criterion": "cv", "search": "lbfgs"}, MissingCapability, "needs a gradient"),
        ({"kernel": "linear", "centres": "movable"}, MissingCapability, "Gaussian kernel"),
        ({"kernel": "linear", "criterion": "centre-evidence"}, MissingCapability, "Gaussian kernel"),
        ({"kernel": "precomputed", "centres": "movable"}, MissingCapability, "Gaussian kernel"),
    ],
)
def test_bad_arguments_get_one_sentence(moons, options, error, words):
    X, y = moons
    with pytest.raises(error, match=words):
        RVC(**options).fit(X @ X.T if options.get("kernel") == "precomputed" else X, y)


def test_elliptical_centres_move(moons):
    X, y = moons
    model = RVC(ARD([1.0, 2.0]), centres="movable").fit(X, y)
    assert np.abs(model.relevance_vectors_ - X[model.support_]).max() > 1e-3
