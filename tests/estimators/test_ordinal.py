"""OrdinalGPC: scikit-learn's checks, GPC where there are two classes, probabilities, order, files and exports."""

import numpy as np
import pandas as pd
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import kernelect
from kernelect import GPC, OrdinalGPC
from kernelect.exceptions import InvalidArgument
from kernelect.explain import shapley_values
from kernelect.export.evaluate import evaluate
from kernelect.export.models import program_of
from kernelect.kernels import RBF, Constant
from oracles import ordinal as slow

FIXED = 2.0 * RBF(gamma=0.3) + Constant(0.5)
GRADES = ["mild", "moderate", "severe"]


def study(n=120, seed=0, cuts=(-0.5, 0.6)):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    latent = X[:, 0] + np.sin(2.0 * X[:, 1]) + 0.3 * rng.normal(size=n)
    return X, np.digitize(latent, cuts)


X, Y = study()
Z = study(12, 1)[0]


@pytest.fixture(scope="module")
def model():
    return OrdinalGPC("rbf").fit(X, Y)


ORDER = "texts of more than two classes have no order unless order= gives one"


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks([OrdinalGPC(FIXED)], expected_failed_checks=lambda _: {"check_classifiers_classes": ORDER})
def test_scikit_learn_compatibility(estimator, check):
    check(estimator)


def test_two_classes_are_those_of_the_probit_classifier():
    ordinal, probit = OrdinalGPC(FIXED).fit(X, Y > 0), GPC(FIXED).fit(X, Y > 0)
    np.testing.assert_allclose(ordinal.predict_proba(Z), probit.predict_proba(Z), atol=1e-8)
    np.testing.assert_allclose(ordinal.loo_proba_, probit.loo_proba_, atol=1e-8)
    assert ordinal.log_marginal_likelihood_value_ == pytest.approx(probit.log_marginal_likelihood_value_, abs=1e-7)
    selected = OrdinalGPC("rbf").fit(X, Y > 0), GPC("rbf").fit(X, Y > 0)
    assert selected[0].selection_.value == pytest.approx(selected[1].selection_.value, abs=1e-5)
    np.testing.assert_allclose(selected[0].predict_proba(Z), selected[1].predict_proba(Z), atol=0.01)


def test_probabilities_are_the_integral_over_the_latent_function(model):
    mean, variance = model.model_.components[0].latent(Z)
    expected = [slow.probabilities(model.thresholds_, m, v) for m, v in zip(mean[:, 0], variance[:, 0], strict=True)]
    np.testing.assert_allclose(model.predict_proba(Z), expected, atol=1e-8)
    np.testing.assert_allclose(np.exp(model.predict_log_proba(Z)), expected, atol=1e-8)


def test_order_helps():
    """Ordered classes have a smaller ranked probability score than the same classes without order."""
    rows, truth = study(500, 7, (-1.2, -0.4, 0.3, 1.1))
    X, y = study(80, 3, (-1.2, -0.4, 0.3, 1.1))
    with_order, without = OrdinalGPC("rbf").fit(X, y), GPC("rbf").fit(X, y)
    found = [slow.ranked_probability_score(truth, each.predict_proba(rows)) for each in (with_order, without)]
    assert found[0] < 0.95 * found[1]


def test_leave_one_out_is_honest(model):
    rows, truth = study(600, 7)
    new = np.log(model.predict_proba(rows)[np.arange(600), truth]).mean()
    assert model.loo_log_likelihood_.mean() == pytest.approx(new, abs=0.1)
    own = np.log(model.loo_proba_[np.arange(120), Y])
    np.testing.assert_allclose(model.loo_log_likelihood_, own, rtol=1e-9)


def test_three_ways_to_say_the_order(model):
    names = np.array(GRADES)[Y]
    by_argument = OrdinalGPC("rbf", order=GRADES).fit(X, names)
    column = pd.Series(pd.Categorical(names, categories=GRADES, ordered=True))
    by_column = OrdinalGPC("rbf").fit(X, column)
    for each in (by_argument, by_column):
        assert each.classes_.tolist() == GRADES
        np.testing.assert_array_equal(each.predict_proba(Z), model.predict_proba(Z))
        np.testing.assert_array_equal(each.predict(Z), np.array(GRADES)[model.predict(Z)])
    reversed_order = OrdinalGPC("rbf", order=GRADES[::-1]).fit(X, names)
    np.testing.assert_allclose(reversed_order.predict_proba(Z)[:, ::-1], model.predict_proba(Z), atol=0.02)


def test_a_class_that_was_never_seen_is_not_there():
    names = np.array(GRADES)[Y]
    found = OrdinalGPC(FIXED, order=["none", "mild", "light", "moderate", "severe"]).fit(X, names)
    assert found.classes_.tolist() == GRADES
    np.testing.assert_array_equal(found.predict_proba(Z), OrdinalGPC(FIXED).fit(X, Y).predict_proba(Z))


def test_a_class_of_one_row_and_many_classes():
    y = Y.copy()
    y[5] = 9
    found = OrdinalGPC(FIXED).fit(X, y)
    assert found.classes_.tolist() == [0, 1, 2, 9]
    many = OrdinalGPC(FIXED).fit(X, np.arange(120) // 10)
    np.testing.assert_allclose(many.predict_proba(Z).sum(axis=1), 1.0)
    assert np.all(np.diff(many.thresholds_) > 0.0)


def test_what_has_no_order_is_refused():
    with pytest.raises(InvalidArgument, match="labels without an order.*list them from the lowest"):
        OrdinalGPC().fit(X, np.array(GRADES)[Y])
    with pytest.raises(InvalidArgument, match="must list every class once, and y also holds 'severe'"):
        OrdinalGPC(order=GRADES[:2]).fit(X, np.array(GRADES)[Y])
    with pytest.raises(InvalidArgument, match="must list every class once"):
        OrdinalGPC(order=["mild", "mild", "moderate", "severe"]).fit(X, np.array(GRADES)[Y])


def test_a_saved_model_and_its_export_say_the_same(model, tmp_path):
    model.model_.save(tmp_path / "m.kernelect")
    loaded = kernelect.load(tmp_path / "m.kernelect")
    np.testing.assert_array_equal(loaded.predict_proba(Z), model.predict_proba(Z))
    np.testing.assert_array_equal(loaded.predict(Z), model.predict(Z))
    found = evaluate(program_of(model), Z)[-1]
    np.testing.assert_allclose(found, model.predict_proba(Z), atol=1e-9)


def test_shapley_values_are_of_the_latent_function(model):
    found = shapley_values(model, Z)
    assert (found.method, found.explained, found.output_names) == ("exact", "latent mean of a higher class", (2,))
    np.testing.assert_allclose(found.totals, model.model_.components[0].latent(Z)[0][:, 0], atol=1e-8)


def test_the_opposite_order_has_the_same_model():
    plain, turned = OrdinalGPC("rbf").fit(X, Y), OrdinalGPC("rbf").fit(X, 2 - Y)
    np.testing.assert_allclose(turned.predict_proba(Z)[:, ::-1], plain.predict_proba(Z), atol=1e-6)
    np.testing.assert_allclose(plain.thresholds_[0], -plain.thresholds_[-1])
