"""The restricted evidence by its definition on contrasts, and what sets it apart from PRESS."""

import numpy as np
import pytest
from sklearn.datasets import make_friedman1

from kernelect import LSSVR
from kernelect.criteria import RestrictedEvidence
from kernelect.kernels import RBF
from kernelect.machines import LSSVM
from oracles import lssvm as slow
from oracles.differences import gradient
from oracles.solutions import solved


def test_value_is_that_of_contrasts(problem):
    gram, targets, weights = problem
    fitted = solved(LSSVM(), gram, targets, 0.3, weights)
    expected = slow.restricted_evidence(gram, targets, 0.3, weights)
    assert RestrictedEvidence().value(fitted).value == pytest.approx(expected, rel=1e-10)
    assert RestrictedEvidence().value_and_gradient(fitted).value == pytest.approx(expected, rel=1e-10)


def test_grad_gram_is_the_derivative_of_the_definition_in_every_entry(problem):
    gram, targets, weights = problem
    found = RestrictedEvidence().value_and_gradient(solved(LSSVM(), gram, targets, 0.3, weights))
    expected = gradient(lambda K: slow.restricted_evidence(0.5 * (K + K.T), targets, 0.3, weights), gram)
    np.testing.assert_allclose(found.grad_gram, expected, rtol=1e-5, atol=1e-7)


def test_derivative_in_the_ridge(problem):
    gram, targets, weights = problem
    found = RestrictedEvidence().value_and_gradient(solved(LSSVM(), gram, targets, 0.3, weights))
    expected = gradient(lambda mu: slow.restricted_evidence(gram, targets, float(mu[0]), weights), np.array([0.3]))
    assert found.grad_regularization == pytest.approx(expected[0], rel=1e-6)


def test_kernel_and_ridge_in_another_unit_are_the_same(problem):
    gram, targets, weights = problem
    here, there = (solved(LSSVM(), c * gram, targets, c * 0.3, weights) for c in (1.0, 7.0))
    assert RestrictedEvidence().value(here).value == pytest.approx(RestrictedEvidence().value(there).value, rel=1e-10)


def test_a_constant_target_has_no_slope_but_that_of_the_volume(problem):
    gram, targets, weights = problem
    found = RestrictedEvidence().value_and_gradient(solved(LSSVM(), gram, np.ones_like(targets), 0.3, weights))
    assert found.value == pytest.approx(0.0, abs=1e-20)
    assert np.all(np.isfinite(found.grad_gram))


def test_its_leave_one_out_errors_are_honest_where_those_of_press_are_not():
    """Ten widths and a hundred rows."""
    X, y = make_friedman1(1100, noise=1.0, random_state=0)
    ratio = {}
    for criterion in ("press", "evidence"):
        model = LSSVR(criterion=criterion).fit(X[:100], y[:100])
        new, claimed = y[100:] - model.predict(X[100:]), y[:100] - model.loo_prediction_
        ratio[criterion] = np.sqrt(np.mean(new**2) / np.mean(claimed**2))
    assert ratio["evidence"] < 1.3 < ratio["press"]


def test_a_fixed_machine_reports_it():
    X = np.random.default_rng(0).normal(size=(40, 2))
    fixed = LSSVR(RBF(0.05), regularization=0.3, criterion="evidence").fit(X, X[:, 0])
    expected = slow.restricted_evidence(RBF(0.05).gram(X), X[:, :1], 0.3, np.ones(40))
    assert fixed.selection_.criterion == "evidence"
    assert fixed.selection_.value == pytest.approx(expected, rel=1e-8)
