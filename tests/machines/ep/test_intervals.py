"""Targets known up to an interval: sites against quadrature, numbers against Gaussian process regression."""

import mpmath as mp
import numpy as np
import pytest
from scipy.stats import multivariate_normal

from kernelect.criteria import EPEvidence
from kernelect.exceptions import InvalidArgument
from kernelect.machines import EP, Fitted, Interval, Probit
from oracles.ep import tilted_moments
from speeds import slowly

INF = np.inf
LIMITS = [(-INF, 0.5), (0.5, INF), (-1.0, 2.0), (0.3, 0.3001), (30.0, 31.0), (-INF, -40.0), (40.0, INF)]


def sites(limits, mean, variance, noise):
    """Return the moments of one row."""
    ((_, likelihood),) = Interval().outputs(np.array([limits]))
    return likelihood.tilted(np.array([mean]), np.array([variance]), noise, np.ones(1))


def log_probability(limits, noise):
    """Return ln P(a <= f + e <= b) as a function of f, in mpmath."""
    a, b = (mp.mpf(end) for end in limits)

    def upper(x):
        return mp.erfc(x / mp.sqrt(2)) / 2

    def of_latent(f):
        low, high = (a - f) / mp.sqrt(noise), (b - f) / mp.sqrt(noise)
        low, high = (low, high) if low + high > 0 or high == mp.inf else (-high, -low)
        return mp.log(upper(low) - (0 if high == mp.inf else upper(high)))

    return of_latent


def posterior(gram, limits, noise, weights=None):
    weights = np.ones(len(gram)) if weights is None else weights
    machine = EP(Interval(), tol=1e-11)
    state = machine.fit(gram, limits, noise, weights)
    fitted = Fitted(
        machine=machine,
        gram=gram,
        targets=limits,
        weights=weights,
        regularization=noise,
        state=state,
        n_residuals=len(gram),
    )
    return machine, state, fitted


def smooth_rows(n, seed=0):
    generator = np.random.default_rng(seed)
    x = np.sort(generator.normal(size=n))
    gram = np.exp(-((x[:, None] - x) ** 2)) + 0.5
    return x, gram, np.sin(2.0 * x) + 0.3 * generator.normal(size=n)


@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize(
    ("mean", "variance", "noise"), [(0.0, 1.0, 0.3), *slowly((-3.0, 25.0, 1e-2), (2.0, 1e-2, 4.0))]
)
def test_moments_are_those_of_quadrature(limits, mean, variance, noise):
    found = sites(limits, mean, variance, noise)
    log_z, tilted_mean, tilted_variance = tilted_moments(log_probability(limits, mp.mpf(noise)), mean, variance, 14)
    assert found.log_z[0] == pytest.approx(float(log_z), rel=1e-10, abs=1e-12)
    assert mean + variance * found.slope[0] == pytest.approx(float(tilted_mean), rel=1e-9, abs=1e-9)
    assert variance * found.shrinkage[0] == pytest.approx(float(tilted_variance), rel=1e-8)


@pytest.mark.parametrize("limits", [(-INF, 0.5), (-1.0, 2.0), (0.3, 0.31), (0.5, INF), (0.4, 0.4)])
def test_derivatives_are_those_of_differences(limits):
    h, found = 1e-5, sites(limits, 0.2, 0.7, 0.3)

    def log_z(shift=(0.0, 0.0), noise=0.3):
        return sites((limits[0] + shift[0], limits[1] + shift[1]), 0.2, 0.7, noise).log_z[0]

    by_noise = (log_z(noise=0.3 + h) - log_z(noise=0.3 - h)) / (2 * h)
    assert found.mean_loss[0] == pytest.approx(-by_noise, rel=1e-6)
    if limits[0] != limits[1]:
        by_lower = (log_z((h, 0.0)) - log_z((-h, 0.0))) / (2 * h)
        by_upper = (log_z((0.0, h)) - log_z((0.0, -h))) / (2 * h)
        np.testing.assert_allclose(found.by_limits[0], [by_lower, by_upper], rtol=1e-4, atol=1e-9)


def test_numbers_alone_are_gaussian_process_regression():
    x, gram, y = smooth_rows(30)
    machine, state, fitted = posterior(gram, np.column_stack([y, y]), 0.1)
    covariance = gram + 0.1 * np.eye(len(y))
    exact = multivariate_normal(cov=covariance).logpdf(y)
    assert -len(y) * EPEvidence().value(fitted).value == pytest.approx(exact, rel=1e-8)
    new = np.linspace(-3.0, 3.0, 7)
    cross = np.exp(-((x[:, None] - new) ** 2)) + 0.5
    mean, variance = machine.latent(state, cross, np.full(7, 1.5))
    np.testing.assert_allclose(mean[:, 0], cross.T @ np.linalg.solve(covariance, y), rtol=1e-8, atol=1e-10)
    explained = np.sum(cross * np.linalg.solve(covariance, cross), axis=0)
    np.testing.assert_allclose(variance[:, 0], 1.5 - explained, rtol=1e-8, atol=1e-10)


def test_signs_are_the_probit():
    _, gram, y = smooth_rows(30)
    signs = np.where(y > 0, 1.0, -1.0)
    limits = np.where(signs[:, None] > 0, [0.0, INF], [-INF, 0.0])
    _, state, _ = posterior(gram, limits, 1.0)
    probit = EP(Probit(), tol=1e-11).fit(gram, signs[:, None], 1.0, np.ones(30))
    np.testing.assert_allclose(state.dual_coef, probit.dual_coef, rtol=1e-7, atol=1e-10)


def test_evidence_of_three_rows_is_a_normal_probability():
    generator = np.random.default_rng(3)
    gram = np.array([[1.0, 0.4, 0.1], [0.4, 1.2, 0.3], [0.1, 0.3, 0.9]])
    limits = np.array([[0.2, INF], [-0.5, 1.0], [-INF, 0.3]])
    _, _, fitted = posterior(gram, limits, 0.4)
    draws = generator.multivariate_normal(np.zeros(3), gram + 0.4 * np.eye(3), size=400_000)
    share = np.mean(np.all((draws >= limits[:, 0]) & (draws <= limits[:, 1]), axis=1))
    # Expectation propagation is close, not exact.
    assert -3 * EPEvidence().value(fitted).value == pytest.approx(np.log(share), abs=0.02)


def test_a_weight_of_two_is_a_row_given_twice():
    _, gram, y = smooth_rows(8)
    limits = np.column_stack([y, np.where(y > 0, INF, y)])
    twice = np.array([0, 0, *range(1, 8)])
    weights = np.array([2.0, *np.ones(7)])
    _, _, heavy = posterior(gram, limits, 0.2, weights)
    _, _, copied = posterior(gram[np.ix_(twice, twice)], limits[twice], 0.2)
    assert EPEvidence().value(heavy).value == pytest.approx(EPEvidence().value(copied).value, rel=1e-8)


@pytest.mark.parametrize("unit", [1e-6, 1e6])
def test_the_unit_of_targets_does_not_matter(unit):
    _, gram, y = smooth_rows(25)
    limits = np.column_stack([y, np.where(y > 0.5, INF, y)])
    _, state, _ = posterior(gram, limits, 0.1)
    _, scaled, _ = posterior(gram * unit**2, limits * unit, 0.1 * unit**2)
    assert scaled.converged
    np.testing.assert_allclose(scaled.columns[0].mean / unit, state.columns[0].mean, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("far", [0.0, 50.0])
def test_all_rows_censored(far):
    _, gram, y = smooth_rows(25)
    _, state, fitted = posterior(gram, np.column_stack([y + far, np.full(25, INF)]), 0.1)
    assert state.converged
    assert np.isfinite(EPEvidence().value_and_gradient(fitted).value)
    assert np.all(state.columns[0].mean > y + far - 3.0)


@pytest.mark.parametrize("limits", [[[1.0, 0.0]], [[np.nan, 1.0]], [[1.0]], [[INF, INF]]])
def test_limits_that_are_none(limits):
    with pytest.raises(InvalidArgument, match="limits"):
        Interval().outputs(np.array(limits))


@pytest.mark.parametrize("noise", [0.04, *slowly(1.0)])
@pytest.mark.parametrize("limits", [(-INF, 0.5), (0.5, INF), (-1.0, 2.0), (0.3, 0.4), (3.0, 5.0), (0.7, 0.7)])
def test_a_factor_to_a_power_by_quadrature(limits, noise):
    def tilted(mean=-0.4, noise=noise, limits=limits):
        rows = Interval().outputs(np.array([limits]))[0][1]
        return rows.tilted(np.array([mean]), np.array([1.7]), noise, np.array([0.6]))

    found, whole = tilted(), log_probability(limits, noise)
    if limits[0] == limits[1]:

        def whole(f):
            return -((f - mp.mpf(limits[0])) ** 2) / (2 * noise) - mp.log(2 * mp.pi * noise) / 2

    log_z, mean, variance = tilted_moments(lambda f: mp.mpf(0.6) * whole(f), -0.4, 1.7, digits=14)
    assert found.log_z[0] == pytest.approx(float(log_z), rel=1e-10)
    assert -0.4 + 1.7 * found.slope[0] == pytest.approx(float(mean), rel=1e-9)
    assert 1.7 * found.shrinkage[0] == pytest.approx(float(variance), rel=1e-9)
    assert 1.0 + 1.7 * found.curvature[0] == pytest.approx(found.shrinkage[0], rel=1e-8)
    step = 1e-5 * noise
    slope = (tilted(noise=noise + step).log_z - tilted(noise=noise - step).log_z)[0] / (2.0 * step)
    assert -found.mean_loss[0] == pytest.approx(slope, rel=1e-6)
    for end in np.flatnonzero(np.isfinite(limits)) if limits[0] != limits[1] else ():
        moved = [tuple(np.array(limits) + side * 1e-5 * np.eye(2)[end]) for side in (1.0, -1.0)]
        slope = (tilted(limits=moved[0]).log_z - tilted(limits=moved[1]).log_z)[0] / 2e-5
        assert found.by_limits[0, end] == pytest.approx(slope, rel=1e-6)


def test_half_a_row_twice_is_the_row():
    _, gram, y = smooth_rows(12)
    limits = np.column_stack([y, np.where(np.arange(12) % 2, y, INF)])
    rows = np.repeat(np.arange(12), 2)
    once = posterior(gram, limits, 0.1)
    twice = posterior(gram[np.ix_(rows, rows)], limits[rows], 0.1, np.full(24, 0.5))
    # Numbers exactly; of half a limit expectation propagation matches other moments.
    np.testing.assert_allclose(twice[1].columns[0].mean[::2], once[1].columns[0].mean, atol=5e-3)
    numbers = (
        posterior(gram, np.column_stack([y, y]), 0.1),
        posterior(gram[np.ix_(rows, rows)], np.column_stack([y, y])[rows], 0.1, np.full(24, 0.5)),
    )
    np.testing.assert_allclose(numbers[1][1].columns[0].mean[::2], numbers[0][1].columns[0].mean, atol=1e-8)
