"""Generalised cross-validation by its definition, and what sets it apart from PRESS."""

import numpy as np
import pytest

from kernelect import LSSVC, LSSVR
from kernelect.criteria import GCV, PRESS
from kernelect.datasets import twonorm
from kernelect.kernels import RBF
from kernelect.machines import LSSVM
from oracles import lssvm as slow
from oracles.differences import gradient
from oracles.solutions import solved


def test_value_is_that_of_the_hat_matrix(problem):
    gram, targets, weights = problem
    found = GCV().value(solved(LSSVM(), gram, targets, 0.3, weights))
    assert found.value == pytest.approx(slow.gcv(gram, targets, 0.3, weights), rel=1e-11)
    assert GCV().value_and_gradient(solved(LSSVM(), gram, targets, 0.3, weights)).value == pytest.approx(found.value)


def test_grad_gram_is_the_derivative_of_the_definition_in_every_entry(problem):
    gram, targets, weights = problem
    found = GCV().value_and_gradient(solved(LSSVM(), gram, targets, 0.3, weights))
    expected = gradient(lambda matrix: slow.gcv(0.5 * (matrix + matrix.T), targets, 0.3, weights), gram)
    np.testing.assert_allclose(found.grad_gram, expected, rtol=1e-5, atol=1e-7)


def test_derivative_in_the_ridge(problem):
    gram, targets, weights = problem
    found = GCV().value_and_gradient(solved(LSSVM(), gram, targets, 0.3, weights))
    expected = gradient(lambda mu: slow.gcv(gram, targets, float(mu[0]), weights), np.array([0.3]))
    assert found.grad_regularization == pytest.approx(expected[0], rel=1e-6)


def test_equal_leverages_make_it_the_mean_square_of_leave_one_out(rng):
    """Rows on a circle, evenly spaced: no row has more leverage than another."""
    angle = 2.0 * np.pi * np.arange(15) / 15
    gram, targets = RBF(0.7).gram(np.column_stack([np.cos(angle), np.sin(angle)])), rng.normal(size=(15, 1))
    fitted = solved(LSSVM(), gram, targets, 0.3, np.ones(15))
    assert GCV().value(fitted).value == pytest.approx(2.0 * PRESS().value(fitted).value / 15, rel=1e-10)


def test_nats_integrate_out_the_variance(problem):
    fitted = solved(LSSVM(), *problem[:2], 0.3, problem[2])
    value, slope = GCV().nats(2.5, fitted)
    assert value == pytest.approx(6.0 * np.log(2.5))
    assert slope == pytest.approx(6.0 / 2.5)
    assert GCV().nats(0.0, fitted)[1] == 0.0


def test_it_selects_by_name_with_and_without_a_prior():
    X, y = twonorm(200, random_state=0)
    new, labels = twonorm(2000, random_state=1)
    for prior in ("auto", None):
        model = LSSVC("rbf" if prior is None else "ard", criterion="gcv", prior=prior).fit(X, y)
        assert model.selection_.criterion == "gcv"
        assert model.score(new, labels) > 0.95
    fixed = LSSVR(RBF(0.05), regularization=0.3, criterion="gcv").fit(X, X[:, 0])
    expected = slow.gcv(RBF(0.05).gram(X), X[:, :1], 0.3, np.ones(200))
    assert fixed.selection_.value == pytest.approx(expected, rel=1e-8)
