"""Gradient ascent by gradients alone."""

import numpy as np
import pytest

from kernelect.results import Status
from kernelect.search import Budget, GradientAscent, as_search

SCALES = np.array([1.0, 30.0, 0.05])
CENTRE = np.array([0.5, -1.0, 2.0])


def bowl(theta):
    return 0.5 * float(SCALES @ (theta - CENTRE) ** 2), SCALES * (theta - CENTRE)


def minimize(objective, start, *, lower=-5.0, upper=5.0, **budget):
    ones = np.ones(len(start))
    return GradientAscent().minimize(objective, start, lower * ones, upper * ones, budget=Budget(**budget))


def test_it_finds_the_minimum_of_a_badly_scaled_bowl():
    result = minimize(bowl, np.zeros(3), max_iter=300, tol=1e-9)
    assert result.status is Status.CONVERGED
    np.testing.assert_allclose(result.theta, CENTRE, atol=2e-2)


def test_values_do_not_matter():
    """A value that is pure noise changes nothing: only gradients are compared."""
    generator = np.random.default_rng(0)
    noisy = minimize(lambda theta: (float(generator.normal()), bowl(theta)[1]), np.zeros(3), max_iter=300, tol=1e-9)
    clean = minimize(bowl, np.zeros(3), max_iter=300, tol=1e-9)
    np.testing.assert_array_equal(noisy.theta, clean.theta)


def test_noise_in_the_gradient_is_survived():
    generator = np.random.default_rng(1)

    def objective(theta):
        value, gradient = bowl(theta)
        return value, gradient + 0.02 * generator.normal(size=3)

    result = minimize(objective, np.zeros(3), max_iter=200, tol=1e-4)
    assert abs(result.theta[0] - CENTRE[0]) < 0.3
    assert abs(result.theta[1] - CENTRE[1]) < 0.05


def test_bounds_are_kept():
    result = minimize(bowl, np.zeros(3), upper=0.2, max_iter=300, tol=1e-9)
    assert np.all(result.theta <= 0.2)
    np.testing.assert_allclose(result.theta, [0.2, -1.0, 0.2], atol=2e-2)


def test_an_iteration_limit_is_reported():
    assert minimize(bowl, np.zeros(3), max_iter=2, tol=1e-12).status is Status.MAX_ITER


def test_a_step_past_the_optimum_is_taken_back():
    """|x|^3 has a gradient that grows sharply on the far side."""
    result = minimize(lambda x: (float(abs(x[0]) ** 3), 3 * x * np.abs(x)), np.array([0.1]), max_iter=200)
    assert abs(result.theta[0]) < 0.02


def test_it_has_a_name():
    assert isinstance(as_search("gradient-ascent"), GradientAscent)


def test_a_flat_start_is_an_optimum():
    result = minimize(lambda x: (1.0, np.zeros(2)), np.zeros(2))
    assert result.status is Status.CONVERGED
    assert result.value == pytest.approx(1.0)


def test_the_value_is_that_of_the_trace_whatever_the_budgets_unit():
    result = minimize(lambda theta: (bowl(theta)[0] + 5.0, bowl(theta)[1]), np.zeros(3), max_iter=50, relative=True)
    at = np.flatnonzero((result.trace.theta == result.theta).all(axis=1))
    assert result.value == result.trace.value[at[0]]


def test_a_step_to_where_nothing_is_defined_is_taken_back():
    def walled(x):
        return (float("inf"), np.zeros(1)) if x[0] < 1.9 else (float(x[0] ** 2), 2.0 * (x - 1.95))

    result = minimize(walled, np.array([2.1]), max_iter=200)
    assert np.isfinite(result.value)
    assert result.theta[0] == pytest.approx(1.95, abs=0.02)


def test_a_linear_parameter_goes_down_its_own_gradient():
    """Of f(u) with u = exp(x), the first step is along df/du and is taken in u."""

    def objective(x):
        u = np.exp(x)
        return float(np.sum((u - 3.0) ** 2)), 2.0 * (u - 3.0) * u

    start, wide = np.log(np.array([2.0, 1.0])), np.full(2, 5.0)
    search = GradientAscent(first_step=0.1, linear=(1,))
    found = search.minimize(objective, start, -wide, wide, budget=Budget(max_iter=1, tol=1e-12))
    first, second = found.trace.theta[1] - start
    by_log, by_itself = -4.0, -4.0  # 2 (2 - 3) 2 and 2 (1 - 3), the second in units of a start of 1
    assert np.exp(second) - 1.0 == pytest.approx(first * by_itself / by_log)
    assert first == pytest.approx(0.1)


def test_a_linear_parameter_finds_its_minimum_too():
    target = np.array([0.2, 3.0])
    search = GradientAscent(linear=(-1,))
    result = search.minimize(
        lambda x: (0.5 * float(np.sum((np.exp(x) - target) ** 2)), (np.exp(x) - target) * np.exp(x)),
        np.zeros(2),
        np.full(2, -4.0),
        np.full(2, 4.0),
        budget=Budget(max_iter=300, tol=1e-9),
    )
    np.testing.assert_allclose(np.exp(result.theta), target, rtol=2e-2)
