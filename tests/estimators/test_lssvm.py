"""LSSVC and LSSVR: what they promise beyond scikit-learn's checks."""

from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
import skops.io
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine, make_friedman1
from sklearn.gaussian_process import kernels as sk
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from kernelect import LSSVC, LSSVR
from kernelect.criteria import PRESS
from kernelect.datasets import ringnorm, twonorm
from kernelect.estimators._relevance import relevances
from kernelect.kernels import ARD, RBF, Linear
from oracles import lssvm as slow
from speeds import slowly


@pytest.fixture(scope="module")
def binary():
    return twonorm(120, random_state=0)


@pytest.fixture(scope="module")
def regression():
    return make_friedman1(120, n_features=6, noise=1.0, random_state=0)


def test_leave_one_out_decisions_are_those_of_refits(binary):
    X, y = binary
    model = LSSVC("rbf").fit(X, y)
    targets, weights = np.where(y > 0, 1.0, -1.0)[:, None], np.ones(len(y))
    expected = slow.leave_one_out_residuals(model.kernel_.gram(X), targets, model.regularization_, weights)
    np.testing.assert_allclose(model.loo_decision_, (targets - expected)[:, 0], atol=1e-10)


def test_one_kernel_serves_three_classes():
    X, y = load_iris(return_X_y=True)
    labels = np.array(["setosa", "versicolor", "virginica"])[y]
    model = LSSVC("rbf").fit(X, labels)
    assert model.loo_decision_.shape == model.dual_coef_.shape == (150, 3)
    targets = np.where(y[:, None] == np.arange(3), 1.0, -1.0)
    Q = slow.press(model.kernel_.gram(X), targets, model.regularization_, np.ones(150))
    assert model.selection_.value == pytest.approx(Q, rel=1e-8)
    assert model.score(X, labels) > 0.95


@pytest.mark.parametrize("loader", [load_iris, load_wine])
def test_the_most_probable_class_is_the_predicted_one(loader):
    X, y = loader(return_X_y=True)
    model = LSSVC().fit(X[::2], y[::2])
    probability = model.predict_proba(X)
    np.testing.assert_allclose(probability.sum(axis=1), 1.0)
    np.testing.assert_array_equal(model.classes_[probability.argmax(axis=1)], model.predict(X))


def test_probabilities_are_honest_on_new_data():
    X, y = twonorm(300, random_state=1)
    new, labels = twonorm(3000, random_state=2)
    model = LSSVC("rbf").fit(X, y)
    probability = model.predict_proba(new)[:, 1]
    np.testing.assert_array_equal(probability > 0.5, model.decision_function(new) > 0)
    # Bayes: log odds 2 a sum(x), a = 2/sqrt(20); its log-loss is the best there is.
    best = 1.0 / (1.0 + np.exp(-2.0 * 2.0 / np.sqrt(20) * new.sum(axis=1)))
    assert log_loss(labels, probability) < log_loss(labels, best) + 0.05
    for low, high in [(0.0, 0.2), (0.2, 0.8), (0.8, 1.0)]:
        inside = (probability >= low) & (probability <= high)
        assert abs(np.mean(labels[inside] > 0) - probability[inside].mean()) < 0.1


def test_separable_data_do_not_ask_for_infinite_certainty():
    X = np.array([[-2.0], [-1.9], [-1.8], [1.8], [1.9], [2.0]])
    probability = LSSVC("rbf").fit(X, [0, 0, 0, 1, 1, 1]).predict_proba(X)
    assert probability.max() < 0.999
    assert probability[0, 0] > 0.6


def test_balanced_class_weights_find_the_rare_class(rng):
    X = np.vstack([rng.normal(size=(190, 2)), rng.normal(size=(10, 2)) + 1.5])
    y = np.r_[np.zeros(190), np.ones(10)].astype(int)
    plain, balanced = LSSVC("rbf").fit(X, y), LSSVC("rbf", class_weight="balanced").fit(X, y)
    assert balanced.predict(X)[y == 1].mean() > plain.predict(X)[y == 1].mean()
    by_hand = LSSVC("rbf").fit(X, y, sample_weight=np.where(y == 1, 200 / 20, 200 / 380))
    np.testing.assert_allclose(by_hand.decision_function(X), balanced.decision_function(X))


def test_rows_of_weight_zero_are_not_there_and_their_leave_one_out_is_a_prediction(binary):
    X, y = binary
    weights = np.ones(len(y))
    weights[:20] = 0.0
    weighted, shorter = LSSVC("rbf").fit(X, y, weights), LSSVC("rbf").fit(X[20:], y[20:])
    np.testing.assert_allclose(weighted.decision_function(X), shorter.decision_function(X))
    np.testing.assert_allclose(weighted.loo_decision_[:20], shorter.decision_function(X[:20]))


def test_a_doubled_weight_is_a_repeated_row_at_fixed_hyper_parameters(binary):
    X, y = binary
    weights = np.ones(len(y))
    weights[:30] = 2.0
    weighted = LSSVC(RBF(0.05), regularization=0.5).fit(X, y, weights)
    repeated = LSSVC(RBF(0.05), regularization=0.5).fit(np.vstack([X, X[:30]]), np.r_[y, y[:30]])
    np.testing.assert_allclose(weighted.decision_function(X), repeated.decision_function(X), rtol=1e-8)


def test_the_default_needs_no_scaling(binary, rng):
    X, y = binary
    units = 10.0 ** rng.uniform(-6, 6, size=20)
    np.testing.assert_array_equal(LSSVC().fit(X * units, y).predict(X * units), LSSVC().fit(X, y).predict(X))


def test_a_bias_is_there_where_it_matters():
    X, y = ringnorm(300, random_state=0)
    new, labels = ringnorm(2000, random_state=1)
    assert np.mean(LSSVC().fit(X, y).predict(new) != labels) < 0.03


@pytest.mark.parametrize("estimator", [LSSVC, LSSVR])
def test_a_precomputed_kernel_gives_the_same_model(estimator, binary):
    X, y = binary
    kernel = RBF(0.05)
    direct = estimator(kernel).fit(X[:80], y[:80])
    given = estimator("precomputed").fit(kernel.gram(X[:80]), y[:80])
    assert given.regularization_ == pytest.approx(direct.regularization_, rel=1e-2)
    np.testing.assert_allclose(
        given.predict(kernel.cross(X[80:], X[:80])), direct.predict(X[80:]), rtol=1e-2, atol=1e-2
    )
    assert not hasattr(given, "feature_importances_")


def test_a_scikit_learn_kernel_can_be_given(binary):
    X, y = binary
    theirs = LSSVC(sk.RBF(1.0)).fit(X, y)
    assert theirs.kernel_.gamma == pytest.approx(LSSVC("rbf").fit(X, y).kernel_.gamma)
    assert LSSVC(sk.RationalQuadratic()).fit(X, y).score(X, y) > 0.9


@pytest.mark.parametrize("kernel", ["matern32", "matern52-ard", "linear", "polynomial"])
def test_every_named_kernel_classifies(kernel, binary):
    X, y = binary
    assert np.mean((LSSVC(kernel).fit(X, y).loo_decision_ > 0) == (y > 0)) > 0.9


def test_pandas_and_polars_name_the_inputs(regression):
    X, y = regression
    names = [f"input {j}" for j in range(6)]
    for frame in (pd.DataFrame(X, columns=names), pl.DataFrame(X, schema=names)):
        model = LSSVR("rbf").fit(frame, y)
        assert model.feature_names_in_.tolist() == names
        np.testing.assert_allclose(model.predict(frame), LSSVR("rbf").fit(X, y).predict(X))


def test_outputs_share_kernel_and_ridge(regression):
    X, y = regression
    both = LSSVR("rbf").fit(X, np.column_stack([y, -2.0 * y]))
    single = LSSVR("rbf").fit(X, y)
    np.testing.assert_allclose(
        both.predict(X), np.column_stack([single.predict(X), -2.0 * single.predict(X)]), rtol=1e-3
    )
    assert both.loo_prediction_.shape == (120, 2)


def test_standard_deviations_are_those_of_the_gaussian_process(regression):
    """k** + mu - k*^T M^-1 k* + (1 - 1^T M^-1 k*)^2 / 1^T M^-1 1, scaled so that LOO residuals fit."""
    X, y = regression
    model = LSSVR(RBF(0.3), regularization=0.1).fit(X[:60], y[:60])
    K, cross = RBF(0.3).gram(X[:60]), RBF(0.3).cross(X[:60], X[60:])
    inverse = np.linalg.inv(K + 0.1 * np.eye(60))
    ones = np.ones(60)
    P = inverse - np.outer(inverse @ ones, inverse @ ones) / (ones @ inverse @ ones)
    claimed = 1.0 / np.diagonal(P)
    scale = np.mean((P @ y[:60] * claimed) ** 2) / np.mean(claimed)
    for i in range(cross.shape[1]):
        k = cross[:, i]
        variance = 1.0 + 0.1 - k @ inverse @ k + (1.0 - ones @ inverse @ k) ** 2 / (ones @ inverse @ ones)
        assert model.predict(X[60:], return_std=True)[1][i] == pytest.approx(np.sqrt(scale * variance), rel=1e-8)


def test_standard_deviations_cover_new_observations():
    X, y = make_friedman1(400, n_features=6, noise=1.0, random_state=3)
    mean, deviation = LSSVR().fit(X[:200], y[:200]).predict(X[200:], return_std=True)
    assert 0.55 < np.mean(np.abs(y[200:] - mean) < deviation) < 0.8


def test_intervals_are_jackknife_plus_by_refits(regression):
    X, y = regression
    n, coverage = 40, 0.8
    model = LSSVR(RBF(0.3), regularization=0.1).fit(X[:n], y[:n])
    lower, upper = model.predict_interval(X[n:], coverage=coverage)
    K, cross, weights = RBF(0.3).gram(X[:n]), RBF(0.3).cross(X[:n], X[n:]), np.ones(n)
    predictions = slow.leave_one_out_predictions_at(K, cross, y[:n, None], 0.1, weights)
    spread = np.abs(slow.leave_one_out_residuals(K, y[:n, None], 0.1, weights))
    rank = int(np.ceil(coverage * (n + 1)))
    np.testing.assert_allclose(upper, np.sort(predictions + spread, axis=0)[rank - 1], rtol=1e-8)
    np.testing.assert_allclose(lower, np.sort(predictions - spread, axis=0)[n - rank], rtol=1e-8)


def test_intervals_cover_what_they_say():
    X, y = make_friedman1(700, n_features=6, noise=1.0, random_state=5)
    lower, upper = LSSVR().fit(X[:200], y[:200]).predict_interval(X[200:], coverage=0.9)
    assert 0.85 < np.mean((lower <= y[200:]) & (y[200:] <= upper)) < 0.95


def test_intervals_of_several_outputs_have_their_shape(regression):
    X, y = regression
    lower, upper = LSSVR("rbf").fit(X, np.column_stack([y, y])).predict_interval(X[:5])
    assert lower.shape == upper.shape == (5, 2)
    assert (lower < upper).all()


def test_relevance_is_the_mean_slope_per_standard_deviation(regression):
    X, y = regression
    model = LSSVR(ARD([0.5, 0.5, 0.3, 0.1, 0.1, 0.0]), regularization=0.1).fit(X, y)
    slopes = np.zeros_like(X)
    for j in range(6):
        step = np.zeros(6)
        step[j] = 1e-5
        slopes[:, j] = (model.predict(X + step) - model.predict(X - step)) / 2e-5
    strength = np.sqrt((slopes**2).mean(axis=0)) * X.std(axis=0)
    np.testing.assert_allclose(model.feature_importances_, strength / strength.sum(), rtol=1e-6, atol=1e-9)
    assert model.feature_importances_[5] == 0.0


def test_relevances_of_many_outputs_share_the_rows():
    """Each output takes its slopes at as many rows as there are for it, 200 at least, which are nearly those of all."""
    rng = np.random.default_rng(0)
    X, sizes = rng.normal(size=(800, 3)), []
    coefficients, spread = rng.normal(size=(800, 8)), np.array([1.0, 0.5, 0.25])

    class Counted(ARD):
        def points_pullback(self, X, Z, weights):
            sizes.append(len(Z))
            return super().points_pullback(X, Z, weights)

    found = relevances(Counted(spread), X, coefficients)
    assert sizes == [200] * 8
    whole = np.sqrt(sum(relevances_of_one(ARD(spread), X, column) for column in coefficients.T)) * X.std(axis=0)
    np.testing.assert_allclose(found, whole / whole.sum(), rtol=0.1)


def relevances_of_one(kernel, X, column):
    slopes = np.zeros(X.shape)
    for j, step in enumerate(1e-5 * np.eye(X.shape[1])):
        slopes[:, j] = (kernel.cross(X + step, X) - kernel.cross(X - step, X)) @ column / 2e-5
    return (slopes**2).mean(axis=0)


def test_a_model_survives_skops(tmp_path, binary, regression):
    for model, X in [
        (LSSVC().fit(*binary), binary[0]),
        (LSSVR(RBF() + 0.5).fit(*regression), regression[0]),
        (make_pipeline(StandardScaler(), LSSVC("matern52")).fit(*binary), binary[0]),
    ]:
        path = tmp_path / "model.skops"
        skops.io.dump(model, path)
        unknown = skops.io.get_untrusted_types(file=path)
        assert all(name.startswith("kernelect.") for name in unknown)
        loaded = skops.io.load(path, trusted=unknown)
        np.testing.assert_array_equal(loaded.predict(X), model.predict(X))


def test_clone_pipeline_grid_search_and_html(binary):
    X, y = binary
    grid = GridSearchCV(make_pipeline(StandardScaler(), LSSVC()), {"lssvc__kernel": ["rbf", "linear", RBF(0.1)]}, cv=3)
    assert grid.fit(X, y).best_score_ > 0.85
    assert cross_val_score(LSSVC("rbf"), X, y, cv=3).min() > 0.85
    model = LSSVC(RBF(0.1), prior=None)
    assert clone(model).get_params()["kernel"].gamma == 0.1
    assert "LSSVC" in model.fit(X, y)._repr_html_()


def test_verbose_writes_a_line_per_evaluation(binary, capsys):
    model = LSSVC("rbf", verbose=1).fit(*binary)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == model.selection_.n_evaluations
    assert lines[0].startswith("[LSSVC] evaluation 1: ")


@pytest.mark.parametrize("scale", [1e-12, *slowly(1e-9, 1e-2, 100.0), 1e12])
def test_the_overall_scale_of_weights_does_not_matter(scale, binary, regression):
    X, y = binary
    plain, weighted = LSSVC().fit(X, y), LSSVC().fit(X, y, np.full(len(y), scale))
    np.testing.assert_allclose(weighted.predict_proba(X), plain.predict_proba(X), atol=1e-3)
    X, y = regression
    plain, weighted = LSSVR().fit(X, y), LSSVR().fit(X, y, np.full(len(y), scale))
    np.testing.assert_allclose(weighted.predict(X), plain.predict(X), rtol=1e-2)
    if not 1e-3 < scale < 1e3:  # a new observation weighs as much as the others, which are far from 1
        spread = [model.predict(X, return_std=True)[1] for model in (weighted, plain)]
        np.testing.assert_allclose(*spread, rtol=0.05)


def test_weighted_intervals_are_jackknife_plus_by_refits(regression, rng):
    X, y = regression
    n, weights = 30, rng.uniform(0.5, 2.0, size=30)
    model = LSSVR(RBF(0.3), regularization=0.1).fit(X[:n], y[:n], weights)
    K, cross = RBF(0.3).gram(X[:n]), RBF(0.3).cross(X[:n], X[n:])
    predictions = slow.leave_one_out_predictions_at(K, cross, y[:n, None], 0.1, weights)
    spread = np.abs(slow.leave_one_out_residuals(K, y[:n, None], 0.1, weights))
    upper = np.sort(predictions + spread, axis=0)[int(np.ceil(0.9 * (n + 1))) - 1]
    np.testing.assert_allclose(model.predict_interval(X[n:])[1], upper, rtol=1e-8)


def test_intervals_never_turn_inside_out(regression):
    X, y = regression
    lower, upper = LSSVR("rbf").fit(X, y).predict_interval(X, coverage=np.float32(0.02))
    assert (lower <= upper).all()


def test_a_precomputed_kernel_knows_no_standard_deviation(regression):
    X, y = regression
    gram = RBF(0.3).gram(X)
    model = LSSVR("precomputed").fit(gram, y)
    with pytest.raises(ValueError, match=r"this needs k\(x, x\) of the new rows too"):
        model.predict(gram, return_std=True)
    assert len(model.predict_interval(gram)[0]) == len(y)


def test_a_refit_forgets_the_last_kernel(binary):
    X, y = binary
    model = LSSVC("rbf").fit(X, y)
    model.set_params(kernel="precomputed")
    assert model.predict(X).shape == y.shape  # still the machine that was fitted
    model.fit(RBF(0.1).gram(X), y)
    assert not hasattr(model, "X_fit_")
    assert not hasattr(model, "feature_importances_")


@pytest.mark.parametrize("offset", [0.0, 1e3, 1e5])
def test_a_linear_kernel_works_far_from_the_origin(offset, rng):
    X = rng.normal(size=(60, 2))
    y = X @ [1.0, -2.0] + 0.1 * rng.normal(size=60)
    assert LSSVR("linear").fit(X + offset, y).score(X + offset, y) > 0.98


def test_a_criterion_object_is_used(binary):
    class Doubled(PRESS):
        def value(self, fitted):
            found = super().value(fitted)
            return replace(found, value=2 * found.value)

        def value_and_gradient(self, fitted):
            found = super().value_and_gradient(fitted)
            return replace(found, value=2 * found.value, grad_gram=2 * found.grad_gram)

    X, y = binary
    ours, theirs = (
        LSSVC(RBF(0.1), regularization=1.0, prior=None, criterion=c).fit(X, y) for c in ("press", Doubled())
    )
    assert theirs.selection_.value == pytest.approx(2 * ours.selection_.value)


def test_kernels_can_be_summed(binary):
    assert LSSVC(sum([RBF(), Linear()])).fit(*binary).score(*binary) > 0.9


@pytest.mark.parametrize("landmarks", [None, 40])
@pytest.mark.parametrize("unit", [0.01, 100.0])
def test_standard_deviations_do_not_follow_the_unit_of_the_weights(regression, unit, landmarks):
    X, y = regression
    model = LSSVR(RBF(gamma=0.05), landmarks=None if landmarks is None else X[:landmarks])
    plain = clone(model).fit(X, y).predict(X, return_std=True)
    weighted = clone(model).fit(X, y, np.full(len(X), unit)).predict(X, return_std=True)
    np.testing.assert_allclose(weighted[1], plain[1], rtol=1e-3)


@pytest.mark.parametrize("landmarks", [None, 15])
@pytest.mark.parametrize("model", [LSSVC("rbf", regularization=0.1), LSSVR("rbf", regularization=0.1)], ids=str)
def test_a_ridge_that_is_given_is_told_to_the_last_digit(model, landmarks, rng):
    X = rng.normal(size=(40, 2))
    assert clone(model).set_params(landmarks=landmarks).fit(X, X[:, 0] > 0.0).regularization_ == 0.1
