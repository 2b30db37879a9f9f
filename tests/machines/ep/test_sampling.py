"""Samplers against the normal they start from, and against each other."""

import numpy as np
import pytest

from kernelect.exceptions import InvalidArgument
from kernelect.machines import EP, EllipticalSlice, Hinge, HybridMonteCarlo, Probit, SquaredHinge
from kernelect.machines.ep.sampling import CentredNormal, LatentPosterior


def problem(likelihood, n=12, constant=1.5):
    generator = np.random.default_rng(0)
    X = generator.normal(size=(n, 2))
    gram = 2.0 * np.exp(-0.5 * ((X[:, None] - X) ** 2).sum(axis=2)) + 0.2
    y = np.where(X[:, 0] + 0.3 * generator.normal(size=n) > 0, 1.0, -1.0)
    weights = generator.choice([0.5, 1.0, 2.0], size=n)
    column = EP(likelihood, tol=1e-9).fit(gram, y[:, None], constant, weights).columns[0]
    return LatentPosterior(gram=gram, labels=y, weights=weights, likelihood=likelihood, constant=constant), column


def test_the_centred_normal_has_the_moments_of_expectation_propagation():
    target, column = problem(Hinge())
    normal = CentredNormal.of(target.gram, column)
    covariance = np.linalg.inv(np.linalg.inv(target.gram) + np.diag(column.root_precision**2))
    np.testing.assert_allclose(normal.spread @ normal.spread.T, covariance, atol=1e-8)
    np.testing.assert_allclose(target.gram @ normal.dual_spread, normal.spread, atol=1e-8)


@pytest.mark.parametrize("likelihood", [Probit(), Hinge(), SquaredHinge()], ids=lambda part: part.name)
def test_forces_are_derivatives_of_the_log_likelihood(likelihood):
    target, _ = problem(likelihood)
    theta, step = np.random.default_rng(1).normal(size=(12, 3)) * 2.0, 1e-6
    force = target.force(theta)
    for i in range(3):
        e = step * (np.arange(12) == i)[:, None]
        slope = (target.log_likelihood(theta + e) - target.log_likelihood(theta - e)) / (2 * step)
        np.testing.assert_allclose(force[i], slope, atol=1e-7)


@pytest.mark.parametrize(
    "sampler",
    [EllipticalSlice(), HybridMonteCarlo(), HybridMonteCarlo(refresh="one")],
    ids=["slice", "hmc", "hmc, one"],
)
@pytest.mark.parametrize("likelihood", [Hinge(), Probit()], ids=lambda part: part.name)
def test_samples_obey_an_identity_of_the_exact_posterior(sampler, likelihood):
    """<beta> = <u>, by partial integration: the wrong sign anywhere breaks it."""
    target, column = problem(likelihood)
    chains = sampler.chains(target, column, 60, np.random.default_rng(2))
    gaps = []
    for step in range(400):
        theta, beta = next(chains)
        np.testing.assert_allclose(target.gram @ beta[:, 0], theta[:, 0], atol=1e-6)
        if step >= 100:
            gaps.append((target.force(theta) - beta).mean(axis=1))
    gaps = np.array(gaps).reshape(10, 30, -1).mean(axis=1)  # blocks of 30 updates of 60 chains
    error = gaps.std(axis=0, ddof=1) / np.sqrt(10)
    assert np.all(np.abs(gaps.mean(axis=0)) < 5 * error)


def test_the_same_seed_gives_the_same_chains():
    target, column = problem(Hinge())
    first, second = (next(EllipticalSlice().chains(target, column, 5, np.random.default_rng(3)))[0] for _ in range(2))
    np.testing.assert_array_equal(first, second)


def test_an_unknown_refresh_is_refused():
    with pytest.raises(InvalidArgument, match="refresh='some' is not known"):
        HybridMonteCarlo(refresh="some")
