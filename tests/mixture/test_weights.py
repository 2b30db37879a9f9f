"""Weights by Newton's method against slow definitions."""

import numpy as np
import pytest
from scipy.optimize import minimize

from kernelect.mixture.weights import fitted_parameters, probability_weights, residual_weights


def softmax_minimum(loss, count):
    """The minimum over the simplex, by a general search from several starts."""
    found = [
        minimize(
            lambda z: loss(np.exp(z) / np.exp(z).sum()), start, method="BFGS", options={"gtol": 1e-10, "maxiter": 5000}
        )
        for start in np.random.default_rng(0).normal(size=(4, count))
    ]
    z = min(found, key=lambda each: each.fun).x
    return np.exp(z) / np.exp(z).sum()


@pytest.mark.parametrize("penalty", [0.3, 1.0, 3.0])
def test_weights_of_probabilities_are_the_maximum(penalty):
    generator = np.random.default_rng(1)
    p, s = generator.uniform(0.05, 0.95, size=(60, 4)), generator.uniform(0.5, 2.0, size=60)
    p[:, 2] = np.clip(p[:, 2] + 0.3, 0, 1)
    s /= s.mean()
    found = probability_weights(p, s, penalty=penalty)
    slow = softmax_minimum(lambda w: -s @ np.log(p @ w) - penalty * np.log(w).sum(), 4)
    np.testing.assert_allclose(found, slow, atol=1e-5)


@pytest.mark.parametrize("penalty", [0.3, 1.0, 3.0])
def test_weights_of_residuals_are_the_minimum(penalty):
    generator = np.random.default_rng(2)
    common = generator.normal(size=(80, 1))
    R = common + generator.normal(size=(80, 3)) * np.array([0.2, 0.5, 2.0])
    s = generator.uniform(0.5, 2.0, size=80)
    s /= s.mean()
    found = residual_weights(R, s, penalty=penalty)
    slow = softmax_minimum(lambda w: 40 * np.log(s @ (R @ w) ** 2) - penalty * np.log(w).sum(), 3)
    np.testing.assert_allclose(found, slow, atol=1e-5)


def test_candidates_that_say_the_same_share_their_weight():
    generator = np.random.default_rng(3)
    good, bad = generator.uniform(0.6, 0.9, size=200), generator.uniform(0.1, 0.6, size=200)
    w = probability_weights(np.column_stack([good, good, bad]), np.ones(200))
    assert w[0] == pytest.approx(w[1], rel=1e-6)
    assert w[2] < 0.05


def test_without_information_weights_are_equal():
    np.testing.assert_allclose(probability_weights(np.full((30, 5), 0.4), np.ones(30)), 0.2, atol=1e-9)
    np.testing.assert_allclose(residual_weights(np.zeros((30, 5)), np.ones(30)), 0.2, atol=1e-9)


def test_the_penalty_keeps_every_candidate():
    """One candidate is right on every row: without the penalty all others would get nothing."""
    p = np.column_stack([np.full(40, 0.99), np.full(40, 0.5)])
    assert probability_weights(p, np.ones(40))[1] > 0.02
    assert probability_weights(p, np.ones(40), penalty=1e-6)[1] < 1e-5


def test_one_absurd_row_does_not_decide():
    generator = np.random.default_rng(4)
    good, other = generator.uniform(0.7, 0.95, size=300), generator.uniform(0.3, 0.6, size=300)
    good[0] = 0.0
    w = probability_weights(np.column_stack([good, other]), np.ones(300))
    assert np.all(np.isfinite(w))
    assert w[0] > 0.8


def test_several_targets_share_weights():
    generator = np.random.default_rng(5)
    R = generator.normal(size=(50, 2, 3)) * np.array([1.0, 0.3, 2.0])
    w = residual_weights(R, np.ones(50))
    assert w.argmax() == 1
    np.testing.assert_allclose(w.sum(), 1.0)


def test_what_many_fitted_parameters_gain_is_taken_off():
    """A candidate that is better by less than it has fitted gets less weight than one that fitted nothing."""
    generator = np.random.default_rng(6)
    plain = generator.uniform(0.4, 0.8, size=150)
    flexible = plain * np.exp(20.0 / 150.0)  # 20 nats better in all
    p, fitted = np.column_stack([plain, flexible]), np.array([0.0, 40.0])
    assert probability_weights(p, np.ones(150))[1] > 0.9
    assert probability_weights(p, np.ones(150), fitted)[1] < 0.1
    R = np.column_stack([np.ones(150), np.full(150, np.exp(-20.0 / 150.0))]) * generator.normal(size=(150, 1))
    assert residual_weights(R, np.ones(150))[1] > 0.9
    assert residual_weights(R, np.ones(150), fitted)[1] < 0.1


def test_widths_count_as_fitted_where_they_differ():
    assert fitted_parameters(np.zeros(0)) == 0.0
    assert fitted_parameters(np.full(7, 3.0)) == 0.0
    assert fitted_parameters(np.array([-2.0, 2.0, -2.0, 2.0])) == 4.0
    assert fitted_parameters(np.array([-0.1, 0.1])) == pytest.approx(0.02)
