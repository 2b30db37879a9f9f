"""Expectation propagation: laws of the fixed point, weights, warm starts and hard cases."""

from dataclasses import replace

import mpmath as mp
import numpy as np
import pytest

from kernelect.machines import EP, EPState, Hinge, Probit, SquaredHinge

LIKELIHOODS = [Probit(), Hinge(), SquaredHinge()]
named = pytest.mark.parametrize("likelihood", LIKELIHOODS, ids=lambda part: part.name)


def problem(n=30, d=2, seed=0, amplitude=2.0, gamma=0.5):
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(n, d))
    y = np.where(X[:, 0] + 0.5 * generator.normal(size=n) > 0, 1.0, -1.0)
    return X, y[:, None], gram_of(X, amplitude, gamma)


def gram_of(X, amplitude=2.0, gamma=0.5):
    D = ((X[:, None, :] - X) ** 2).sum(axis=2)
    return amplitude * np.exp(-gamma * D) + 0.2


def solve(likelihood, gram, targets, constant=1.5, weights=None, warm=None, tol=1e-10):
    weights = np.ones(len(gram)) if weights is None else weights
    return EP(likelihood, tol=tol).fit(gram, targets, constant, weights, warm)


@named
def test_the_sites_reproduce_the_posterior_and_its_cavities(likelihood):
    """The slow definition: invert K^-1 + T, and leave one site out by another inverse."""
    _, targets, gram = problem(12)
    column = solve(likelihood, gram, targets).columns[0]
    tau, nu = column.sites.tau, column.sites.nu
    covariance = np.linalg.inv(np.linalg.inv(gram) + np.diag(tau))
    np.testing.assert_allclose(column.variance, np.diagonal(covariance), rtol=1e-7)
    np.testing.assert_allclose(column.mean, covariance @ nu, rtol=1e-6, atol=1e-9)
    for i in range(len(tau)):
        others = np.arange(len(tau)) != i
        without = np.linalg.inv(np.linalg.inv(gram) + np.diag(tau * others))
        assert column.cavity_variance[i] == pytest.approx(without[i, i], rel=1e-6)
        assert column.cavity_mean[i] == pytest.approx((without @ (nu * others))[i], rel=1e-6, abs=1e-8)


@named
def test_the_tilted_moments_are_the_posterior_moments(likelihood):
    _, targets, gram = problem()
    state = solve(likelihood, gram, targets)
    assert state.converged
    assert state.mismatch < 1e-10
    assert state.doubt() == ""
    column = state.columns[0]
    v, y = column.cavity_variance, targets[:, 0]
    np.testing.assert_allclose(column.cavity_mean + v * column.tilted.slope * y, column.mean, atol=1e-9)
    np.testing.assert_allclose(v + v**2 * column.tilted.curvature, column.variance, rtol=1e-9)
    assert np.all(column.sites.tau >= 0)


@named
def test_the_order_of_the_rows_does_not_matter(likelihood):
    _, targets, gram = problem()
    order = np.random.default_rng(1).permutation(len(gram))
    straight = solve(likelihood, gram, targets).dual_coef
    shuffled = solve(likelihood, gram[np.ix_(order, order)], targets[order]).dual_coef
    np.testing.assert_allclose(shuffled, straight[order], atol=1e-9)


@named
def test_whole_weights_are_repeated_rows(likelihood):
    X, targets, _ = problem(15)
    weights = np.random.default_rng(2).integers(1, 4, size=15).astype(float)
    repeat = np.repeat(np.arange(15), weights.astype(int))
    weighted = solve(likelihood, gram_of(X), targets, weights=weights).columns[0]
    repeated = solve(likelihood, gram_of(X[repeat]), targets[repeat]).columns[0]
    np.testing.assert_allclose(weighted.mean[repeat], repeated.mean, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(weighted.variance[repeat], repeated.variance, rtol=1e-7)


@named
@pytest.mark.parametrize("weight", [0.3, 1.0])
def test_a_single_row_is_exact_for_weights_up_to_one(likelihood, weight):
    """One row, one site: expectation propagation has nothing to approximate."""
    K, y = np.array([[2.0]]), np.array([[-1.0]])
    column = solve(likelihood, K, y, weights=np.array([weight])).columns[0]
    f = np.linspace(-25, 25, 400001)
    density = np.exp(-0.25 * f**2 + weight * likelihood.log_value(-f, 1.5))
    mean = np.sum(f * density) / density.sum()
    variance = np.sum((f - mean) ** 2 * density) / density.sum()
    assert column.mean[0] == pytest.approx(mean, rel=1e-8)
    assert column.variance[0] == pytest.approx(variance, rel=1e-8)


@named
def test_a_warm_start_ends_at_the_same_point_sooner(likelihood):
    X, targets, gram = problem(60)
    cold = solve(likelihood, gram, targets)
    near = gram_of(X, 2.1, 0.52)
    warm, again = solve(likelihood, near, targets, warm=cold), solve(likelihood, near, targets)
    np.testing.assert_allclose(warm.dual_coef, again.dual_coef, atol=1e-8)
    assert warm.iterations < again.iterations


def test_outputs_are_solved_one_by_one():
    _, targets, gram = problem()
    both = solve(Probit(), gram, np.column_stack([targets, -targets]))
    np.testing.assert_allclose(both.dual_coef[:, 0], -both.dual_coef[:, 1], atol=1e-9)


def test_latent_values_at_new_rows_against_the_definition():
    X, targets, gram = problem(20)
    state, Z = solve(Probit(), gram, targets), np.random.default_rng(5).normal(size=(4, 2))
    joint = gram_of(np.vstack([X, Z]))
    cross, corner = joint[:20, 20:], joint[20:, 20:]
    mean, variance = EP().latent(state, cross, np.diagonal(corner))
    T = np.diag(state.columns[0].sites.tau)
    R = np.linalg.inv(gram + np.linalg.inv(T))
    np.testing.assert_allclose(variance[:, 0], np.diagonal(corner - cross.T @ R @ cross), rtol=1e-7)
    np.testing.assert_allclose(mean, cross.T @ state.dual_coef, atol=1e-12)


@named
def test_labels_all_alike_converge(likelihood):
    _, targets, gram = problem()
    state = solve(likelihood, gram, np.ones_like(targets))
    assert state.converged
    assert np.all(state.columns[0].mean > 0)


@named
def test_contradictory_duplicates_cancel(likelihood):
    X = np.repeat(np.random.default_rng(0).normal(size=(10, 2)), 2, axis=0)
    state = solve(likelihood, gram_of(X), np.tile([[1.0], [-1.0]], (10, 1)))
    assert state.converged
    np.testing.assert_allclose(state.columns[0].mean, 0.0, atol=1e-8)


@named
@pytest.mark.parametrize("constant", [1e-3, 200.0])
@pytest.mark.parametrize("gamma", [1e-6, 1e4])
@pytest.mark.parametrize("amplitude", [1e-4, 3000.0])
def test_extremes_converge_or_say_that_they_did_not(likelihood, constant, gamma, amplitude):
    X, targets, _ = problem(40)
    state = solve(likelihood, gram_of(X, amplitude, gamma), targets, constant=constant, tol=1e-6)
    assert np.all(np.isfinite(state.dual_coef))
    assert state.converged or "standard deviations apart" in state.doubt()


def test_an_iteration_limit_is_said_in_a_sentence():
    _, targets, gram = problem()
    state = EP(Hinge(), max_iter=2).fit(gram, targets, 50.0, np.ones(len(gram)))
    assert not state.converged
    assert state.doubt().startswith("expectation propagation stopped after 2 iterations")


def test_variances_of_rows_with_hardly_any_precision_against_fifty_digits():
    """Rows far outside the margin have sites of any smallness, also none: T_i Sigma_ii has no digits left there."""
    generator = np.random.default_rng(3)
    _, targets, gram = problem(24)
    tau = 10.0 ** generator.uniform(-18, 1, 24)
    tau[[0, 7, 23]] = 0.0
    tau[5] = 5e-324
    warm = solve(Hinge(), gram, targets)
    sites = replace(warm.columns[0].sites, tau=tau, nu=np.ones(24))
    start = EPState((replace(warm.columns[0], sites=sites),))
    column = EP(Hinge(), tol=np.inf).fit(gram, targets, 1.0, np.ones(24), start).columns[0]
    with mp.workdps(50):
        precise = mp.matrix(gram.tolist())
        covariance = precise * (mp.eye(24) + mp.diag(tau.tolist()) * precise) ** -1
        wanted = np.array([float(covariance[i, i]) for i in range(24)])
        left = np.array([float(covariance[i, i] / (1 - mp.mpf(tau[i]) * covariance[i, i])) for i in range(24)])
    np.testing.assert_allclose(column.variance, wanted, rtol=1e-9)
    np.testing.assert_allclose(column.cavity_variance, left, rtol=1e-9)
