"""Logarithms of probabilities: right where the probabilities themselves are no numbers any more."""

import mpmath
import numpy as np
import pytest
from scipy.special import log_ndtr

from contracts.models import every_classifier, fitted, queries
from kernelect import GPC, LSSVC, SVC, KernelClassifier
from kernelect.kernels import RBF, Linear
from kernelect.machines import Hinge, Probit
from kernelect.model import Given, LabelHead, Predictive, Tempered

FAR = np.array([[900.0], [-2000.0], [0.3]])


@every_classifier
def test_logarithms_are_those_of_the_probabilities(name):
    model, Z = fitted(name), queries()
    np.testing.assert_allclose(np.exp(model.predict_log_proba(Z)), model.predict_proba(Z), rtol=1e-9, atol=1e-300)
    np.testing.assert_array_equal(model.predict_log_proba(Z), model.model_.predict_log_proba(Z))


@every_classifier
def test_decision_values_have_a_column_for_each_of_more_than_two_classes(name):
    model, Z = fitted(name), queries()
    decision = model.decision_function(Z)
    two = len(model.classes_) == 2
    assert decision.shape == ((len(Z),) if two else (len(Z), len(model.classes_)))
    chosen = (decision > 0).astype(int) if two else decision.argmax(axis=1)
    np.testing.assert_array_equal(model.classes_[chosen], model.predict(Z))


def test_a_temperature_leaves_no_logarithm_out():
    link = Tempered(inverse_temperature=1.5)
    with mpmath.workdps(30):
        expected = [[-float(mpmath.log1p(mpmath.exp(s * 1.5 * z))) for s in (1, -1)] for z in FAR[:, 0]]
    np.testing.assert_allclose(link.log_probabilities(FAR), expected, rtol=1e-12)
    assert (link.probabilities(FAR) == 0.0).any()  # where the logarithm of a probability would be infinite


def test_a_likelihood_leaves_no_logarithm_out():
    z = np.array([[60.0], [-45.0]])
    found = Predictive(likelihood=Probit(), constant=1.0).log_probabilities(z)
    np.testing.assert_allclose(found, np.column_stack([log_ndtr(-z), log_ndtr(z)]), rtol=1e-12)
    found = Predictive(likelihood=Hinge(), constant=1.0).log_probabilities(FAR)
    np.testing.assert_allclose(found[0], [-900.0, 0.0], rtol=1e-12, atol=1e-300)


def test_a_mixture_adds_probabilities_up_before_it_takes_the_logarithm():
    logs = [np.array([[-1000.0, 0.0]]), np.array([[-1002.0, 0.0]])]
    head = LabelHead(classes=np.array([0, 1]), weights=np.array([0.25, 0.75]))
    with mpmath.workdps(30):
        total = mpmath.mpf(0.25) * mpmath.exp(-1000) + mpmath.mpf(0.75) * mpmath.exp(-1002)
        expected = float(mpmath.log(total))
    np.testing.assert_allclose(head.log_probabilities(logs), [[expected, 0.0]], rtol=1e-12, atol=1e-15)


def test_a_probability_of_zero_has_no_logarithm_and_no_warning():
    np.testing.assert_array_equal(Given().log_probabilities(np.array([[0.0, 1.0]])), [[-np.inf, 0.0]])


@pytest.mark.parametrize(
    "model",
    [
        LSSVC(Linear(), regularization=0.1),
        SVC(Linear(), C=1.0, criterion="span"),
    ],
    ids=lambda model: type(model).__name__,
)
def test_rows_far_from_the_data_have_finite_logarithms(model):
    X = np.linspace(-1.0, 1.0, 21)[:, None]
    model.fit(X, X[:, 0] > 0.1)
    assert (model.predict_proba(1e5 * X) == 0.0).any()
    assert np.isfinite(model.predict_log_proba(1e5 * X)).all()


def test_the_door_decides_by_log_odds():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 2))
    two, three = X[:, 0] > 0, np.digitize(X[:, 0], [-0.4, 0.4])
    model = KernelClassifier("fast").fit(X, two)
    p = model.predict_proba(X)[:, 1]
    np.testing.assert_allclose(model.decision_function(X), np.log(p / (1.0 - p)), rtol=1e-6, atol=1e-9)
    model = KernelClassifier("fast").fit(X, three)
    p = model.predict_proba(X)
    np.testing.assert_allclose(model.decision_function(X), np.log(p / (1.0 - p)), rtol=1e-6, atol=1e-9)


def test_an_ensemble_of_posteriors_takes_logarithms_of_its_mean():
    X = np.random.default_rng(1).normal(size=(40, 2))
    model = SVC("rbf", ensemble=True, n_restarts=2, random_state=0).fit(X, X[:, 0] > 0)
    assert len(model.model_.components) > 1
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X), rtol=1e-9)


def test_precomputed_kernels_without_probabilities_have_no_logarithms():
    X = np.random.default_rng(2).normal(size=(20, 2))
    gram = RBF(0.3).gram(X)
    model = GPC("precomputed").fit(gram, X[:, 0] > 0)
    with pytest.raises(Exception, match="does not tell k"):
        model.predict_log_proba(gram)
