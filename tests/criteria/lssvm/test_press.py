"""PRESS and its adjoint."""

import numpy as np
import pytest

from kernelect.criteria import PRESS
from kernelect.machines import LSSVM
from oracles import lssvm as slow
from oracles.differences import gradient
from oracles.solutions import solved


def test_value_is_half_the_sum_of_squared_refit_residuals(problem):
    gram, targets, weights = problem
    found = PRESS().value(solved(LSSVM(), gram, targets, 0.3, weights))
    assert found.value == pytest.approx(slow.press(gram, targets, 0.3, weights), rel=1e-11)
    assert PRESS().value_and_gradient(solved(LSSVM(), gram, targets, 0.3, weights)).value == pytest.approx(found.value)


def test_grad_gram_is_the_derivative_of_the_refits_in_every_entry(problem):
    gram, targets, weights = problem
    found = PRESS().value_and_gradient(solved(LSSVM(), gram, targets, 0.3, weights))

    def of_symmetric_part(matrix):
        return slow.press(0.5 * (matrix + matrix.T), targets, 0.3, weights)

    expected = gradient(of_symmetric_part, gram)
    np.testing.assert_allclose(found.grad_gram, expected, rtol=1e-5, atol=1e-7)


def test_derivative_in_the_ridge(problem):
    gram, targets, weights = problem
    found = PRESS().value_and_gradient(solved(LSSVM(), gram, targets, 0.3, weights))
    expected = gradient(lambda mu: slow.press(gram, targets, float(mu[0]), weights), np.array([0.3]))
    assert found.grad_regularization == pytest.approx(expected[0], rel=1e-6)


def test_a_large_ridge_predicts_the_mean_of_the_others(problem):
    gram, targets, _ = problem
    n = len(gram)
    found = PRESS().value(solved(LSSVM(), gram, targets, 1e12, np.ones(n)))
    means = (targets.sum(axis=0) - targets) / (n - 1)
    np.testing.assert_allclose(found.pointwise, targets - means, rtol=1e-6, atol=1e-8)


def test_nats_integrate_out_the_variance(problem):
    fitted = solved(LSSVM(), *problem[:2], 0.3, problem[2])
    value, slope = PRESS().nats(2.5, fitted)
    assert value == pytest.approx(6.0 * np.log(2.5))
    assert slope == pytest.approx(6.0 / 2.5)
