"""The LS-SVM against its bordered system, and leave-one-out against refits."""

import math

import numpy as np
import pytest

from kernelect.kernels import RBF
from kernelect.machines import LSSVM, RidgePath
from kernelect.machines.base import KernelExpansion
from oracles import lssvm as slow


@pytest.fixture
def problem(data):
    X, targets, weights = data
    return RBF(0.2).gram(X), targets, weights


@pytest.mark.parametrize("mu", [1e-6, 0.1, 10.0])
def test_coefficients_solve_the_bordered_system(problem, mu):
    gram, targets, weights = problem
    state = LSSVM().fit(gram, targets, mu, weights)
    alpha, b = slow.solve_bordered(gram, targets, mu, weights)
    np.testing.assert_allclose(state.dual_coef, alpha, rtol=1e-7, atol=1e-9 * np.abs(alpha).max())
    np.testing.assert_allclose(state.intercept, b, rtol=1e-7)


@pytest.mark.parametrize("mu", [1e-3, 0.1, 10.0])
def test_leave_one_out_residuals_are_those_of_n_refits(problem, mu):
    gram, targets, weights = problem
    state = LSSVM().fit(gram, targets, mu, weights)
    expected = slow.leave_one_out_residuals(gram, targets, mu, weights)
    by_diagonal = state.leave_one_out_residuals(state.bordered_diagonal())
    by_inverse = state.leave_one_out_residuals(np.diagonal(state.bordered_inverse()))
    np.testing.assert_allclose(by_diagonal, expected, atol=1e-10)
    np.testing.assert_allclose(by_inverse, expected, atol=1e-10)


def test_a_doubled_weight_is_a_duplicated_row(problem):
    gram, targets, _ = problem
    weights = np.ones(len(gram))
    weights[0] = 2.0
    twice = np.r_[0, np.arange(len(gram))]
    weighted = LSSVM().fit(gram, targets, 0.3, weights)
    repeated = LSSVM().fit(gram[np.ix_(twice, twice)], targets[twice], 0.3, np.ones(len(twice)))
    np.testing.assert_allclose(
        LSSVM().decide(weighted, gram), LSSVM().decide(repeated, gram[twice]), rtol=1e-9, atol=1e-10
    )


def test_the_order_of_rows_does_not_matter(problem, rng):
    gram, targets, weights = problem
    order = rng.permutation(len(gram))
    straight = LSSVM().fit(gram, targets, 0.3, weights)
    mixed = LSSVM().fit(gram[np.ix_(order, order)], targets[order], 0.3, weights[order])
    np.testing.assert_allclose(mixed.dual_coef, straight.dual_coef[order], rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("mu", [1e-4, 0.1, 10.0])
def test_the_ridge_path_agrees_with_refits_at_every_ridge(problem, mu):
    gram, targets, weights = problem
    path = RidgePath(gram, targets, weights)
    np.testing.assert_allclose(
        path.residuals(mu), slow.leave_one_out_residuals(gram, targets, mu, weights), rtol=1e-7, atol=1e-9
    )


def test_the_ridge_path_finds_the_best_ridge_of_its_grid(problem):
    gram, targets, weights = problem
    found = RidgePath(gram, targets, weights).best_ridge(1e-4, 1e2, count=13)
    by_refits = {mu: slow.press(gram, targets, mu, weights) for mu in np.geomspace(1e-4, 1e2, 13)}
    assert found == pytest.approx(min(by_refits, key=by_refits.get))


def test_huge_coefficients_that_cancel_leave_ten_digits():
    rng = np.random.default_rng(1)
    alpha = rng.normal(scale=1e9, size=(200, 2))
    alpha -= alpha.mean(axis=0)
    cross = 1.0 - 1e-9 * rng.uniform(size=(200, 5))  # a kernel that is nearly flat
    exact = np.array([[math.fsum(_products(k, a)) for a in alpha.T] for k in cross.T])
    plain = cross.T @ alpha
    found = KernelExpansion(dual_coef=alpha, intercept=np.array([0.5, -0.5])).decide(cross) - np.array([0.5, -0.5])
    assert np.abs(found - exact).max() < 1e-3 * np.abs(plain - exact).max()
    np.testing.assert_allclose(found, exact, rtol=1e-9, atol=1e-9 * np.abs(exact).max())


def _products(k, alpha):
    """Yield numbers that add up to sum k alpha exactly: halves of 26 digits have exact products."""
    for a, b in zip(k, alpha, strict=True):
        high, upper = (x * 134217729.0 - (x * 134217729.0 - x) for x in (a, b))
        yield from (high * upper, high * (b - upper), (a - high) * upper, (a - high) * (b - upper))
