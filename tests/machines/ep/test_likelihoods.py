"""Moments of the likelihoods against 50-digit values, computed here with mpmath."""

import mpmath as mp
import numpy as np
import pytest

from kernelect.machines.ep.likelihoods import Hinge, Probit, SquaredHinge
from kernelect.numerics.normal import cut_normal
from oracles.ep import closed_moments, log_factor, tilted_moments
from speeds import slowly

MEANS = (-60.0, -7.0, 0.0, 0.9, 1.0, 6.0, 60.0)
VARIANCES = (1e-4, 0.3, 25.0, 400.0)
LIKELIHOODS = [Probit(), Hinge(), SquaredHinge()]
CASES = [(part, C) for part in LIKELIHOODS for C in ((0.05, 5.0, 200.0) if part.has_constant else (1.0,))]


def relative_errors(found, mu, v, log_z, mean, variance):
    """Return the errors of ln Z, tilted mean and variance, each relative to its own size."""
    with mp.workdps(50):
        mu, v = mp.mpf(mu), mp.mpf(v)
        found_mean = mu + v * mp.mpf(found.slope[0])
        return (
            float(abs(mp.mpf(found.log_z[0]) - log_z) / (1 + abs(log_z))),
            float(abs(found_mean - mean) / (mp.sqrt(variance) + abs(mean) + abs(mu))),
            float(abs(mp.mpf(found.shrinkage[0]) * v / variance - 1)),
        )


@pytest.mark.parametrize(("likelihood", "constant"), CASES, ids=lambda case: getattr(case, "name", case))
def test_moments_against_closed_forms_in_50_digits(likelihood, constant):
    for mu in MEANS:
        for v in VARIANCES:
            found = likelihood.tilted(np.array([mu]), np.array([v]), constant, np.ones(1))
            log_z, mean, variance, loss = closed_moments(likelihood.name, mu, v, constant)
            errors = relative_errors(found, mu, v, log_z, mean, variance)
            assert errors[0] < 1e-14, (mu, v)
            assert errors[1] < 1e-12, (mu, v)
            assert errors[2] < 1e-12, (mu, v)
            assert float(abs(found.mean_loss[0] - loss)) < 1e-12 * float(abs(loss)) + 1e-300, (mu, v)
            curvature = (variance / mp.mpf(v) - 1) / mp.mpf(v)
            assert float(abs(found.curvature[0] - curvature)) <= 1e-9 * float(abs(curvature)) + 1e-12 / v


@pytest.mark.parametrize("likelihood", LIKELIHOODS, ids=lambda part: part.name)
def test_the_closed_form_is_the_integral(likelihood):
    """The oracle's own oracle: derivatives of the closed form agree with plain quadrature."""
    by_form = closed_moments(likelihood.name, -1.5, 3.0, 2.0)[:3]
    by_quadrature = tilted_moments(log_factor(likelihood.name, 2.0), -1.5, 3.0, digits=20)
    assert all(abs(a - b) < 1e-18 for a, b in zip(by_form, by_quadrature, strict=True))


@pytest.mark.parametrize(("mu", "v", "power"), [(-3.0, 0.5, 0.3), *slowly((0.2, 4.0, 0.6), (5.0, 30.0, 0.9))])
def test_a_probit_to_a_power_by_quadrature(mu, v, power):
    found = Probit().tilted(np.array([mu]), np.array([v]), 1.0, np.array([power]))
    values = tilted_moments(log_factor("probit", 1.0, power), mu, v, digits=20)
    assert max(relative_errors(found, mu, v, *values)) < 1e-10


def test_quadrature_of_a_probit_to_the_power_one_is_the_closed_form():
    from kernelect.machines.ep.likelihoods import _probit_power

    means = np.array([*np.linspace(-30, 30, 13), -300.0, 157.0, 1000.0])
    # Of a cavity with a variance of 2e4 Phi is a step between two nodes, unless pieces end there.
    mu, v = (grid.ravel() for grid in np.meshgrid(means, np.array([1e-3, 1.0, 50.0, 2e4, 1e6, 1e8])))
    exact = Probit().tilted(mu, v, 1.0, np.ones_like(mu))
    found = _probit_power(mu, v, np.ones_like(mu))
    np.testing.assert_allclose(found.log_z, exact.log_z, rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(found.slope, exact.slope, rtol=1e-11, atol=1e-14)
    np.testing.assert_allclose(found.curvature, exact.curvature, rtol=1e-9, atol=1e-14)
    np.testing.assert_allclose(found.shrinkage, exact.shrinkage, rtol=1e-11)


@pytest.mark.parametrize("likelihood", [Hinge(), SquaredHinge()], ids=lambda part: part.name)
def test_a_power_of_a_hinge_is_a_smaller_constant(likelihood):
    mu, v = np.array([-2.0, 0.5, 3.0]), np.array([0.1, 2.0, 30.0])
    part = likelihood.tilted(mu, v, 4.0, np.full(3, 0.25))
    whole = likelihood.tilted(mu, v, 1.0, np.ones(3))
    np.testing.assert_allclose(part.log_z, whole.log_z, rtol=1e-14)
    np.testing.assert_allclose(part.mean_loss, 0.25 * whole.mean_loss, rtol=1e-14)


@pytest.mark.parametrize("constant", [0.3, 1.0, 1.0001, 2.0, 5.0, 40.0])
@pytest.mark.parametrize("likelihood", [Hinge(), SquaredHinge()], ids=lambda part: part.name)
def test_kappa_is_the_largest_constant_that_keeps_both_labels_below_one(likelihood, constant):
    z = np.linspace(-3, 3, 600001)
    total = np.exp(likelihood.log_value(z, constant)) + np.exp(likelihood.log_value(-z, constant))
    log_kappa, slope = likelihood.log_normalizer(constant)
    assert log_kappa == pytest.approx(-np.log(total.max()), abs=1e-9)
    step = 1e-5
    difference = likelihood.log_normalizer(constant + step)[0] - likelihood.log_normalizer(constant - step)[0]
    assert slope == pytest.approx(difference / (2 * step), abs=2e-5)


def test_kappa_of_the_squared_hinge_takes_the_maximum_not_the_root_at_zero():
    # The root z = 0 is a minimum for C > 1 and would give 1.359 and 6.09.
    assert np.exp(SquaredHinge().log_normalizer(2.0)[0]) == pytest.approx(0.981, abs=5e-4)
    assert np.exp(SquaredHinge().log_normalizer(5.0)[0]) == pytest.approx(0.99995, abs=5e-6)


@pytest.mark.parametrize("likelihood", LIKELIHOODS, ids=lambda part: part.name)
def test_scores_and_losses_are_derivatives(likelihood):
    z, step = np.array([-3.0, 0.2, 0.7, 1.5]), 1e-6
    slope = (likelihood.log_value(z + step, 2.0) - likelihood.log_value(z - step, 2.0)) / (2 * step)
    np.testing.assert_allclose(likelihood.score(z, 2.0), slope, atol=1e-8)
    by_constant = (likelihood.log_value(z, 2.0 + step) - likelihood.log_value(z, 2.0 - step)) / (2 * step)
    np.testing.assert_allclose(likelihood.loss(z), -by_constant, atol=1e-8)


@pytest.mark.parametrize("likelihood", LIKELIHOODS, ids=lambda part: part.name)
def test_probabilities_of_both_labels_sum_to_one(likelihood):
    mean, variance = np.array([-40.0, -0.3, 0.0, 2.0]), np.array([0.2, 1.0, 5.0, 300.0])
    plus = likelihood.probability(mean, variance, 3.0)
    minus = likelihood.probability(-mean, variance, 3.0)
    np.testing.assert_allclose(plus + minus, 1.0, rtol=1e-15)
    assert plus[2] == 0.5
    assert np.all(np.diff(np.sign(plus - 0.5)) >= 0)


def test_cut_normal_keeps_all_digits_in_the_tail():
    for b in (-1e6, -300.0, -5.1, -4.9, 0.0, 8.0, 60.0):
        with mp.workdps(80):
            lam = mp.npdf(b) / mp.ncdf(b)
            delta = b + lam
            exact = (lam, delta, 1 + b * delta, 1 - lam * delta)
        cut = cut_normal(np.array([b]))
        for name, value in zip(("mills", "mean", "second", "variance"), exact, strict=True):
            assert getattr(cut, name)[0] == pytest.approx(float(value), rel=5e-13), (b, name)
