"""Searches on functions with known minima."""

import time

import numpy as np
import pytest
from scipy.optimize import rosen, rosen_der

from kernelect.exceptions import InvalidArgument, MissingCapability
from kernelect.results import Status
from kernelect.search import LBFGS, Budget, NelderMead, Restarts, as_search, scattered_starts

SEARCHES = ["lbfgs", "scg", "nelder-mead"]
WIDE = np.full(2, 10.0)


def quadratic(theta):
    scale = np.array([1.0, 20.0])
    return float(0.5 * np.sum(scale * (theta - [1.0, -2.0]) ** 2)), scale * (theta - [1.0, -2.0])


def rosenbrock(theta):
    return float(rosen(theta)), rosen_der(theta)


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.parametrize(("function", "minimum"), [(quadratic, [1.0, -2.0]), (rosenbrock, [1.0, 1.0])])
def test_known_minima_are_found(name, function, minimum):
    budget = Budget(max_iter=2000, tol=1e-12)
    result = as_search(name).minimize(function, np.array([-1.2, 1.0]), -WIDE, WIDE, budget=budget)
    assert result.converged
    np.testing.assert_allclose(result.theta, minimum, atol=2e-2)
    assert result.value == function(result.theta)[0]


@pytest.mark.parametrize("name", SEARCHES)
def test_bounds_are_kept_and_the_best_point_within_them_found(name):
    lower, upper = np.array([-5.0, -1.0]), np.array([0.5, 5.0])
    result = as_search(name).minimize(quadratic, np.zeros(2), lower, upper, budget=Budget(tol=1e-10))
    np.testing.assert_allclose(result.theta, [0.5, -1.0], atol=1e-4)
    assert (result.trace.theta >= lower).all()
    assert (result.trace.theta <= upper).all()


@pytest.mark.parametrize("name", SEARCHES)
def test_a_start_at_the_minimum_gets_no_worse(name):
    result = as_search(name).minimize(quadratic, np.array([1.0, -2.0]), -WIDE, WIDE)
    assert result.value == 0.0


@pytest.mark.parametrize("name", SEARCHES)
def test_the_observer_sees_every_evaluation_and_the_trace_keeps_it(name):
    seen = []
    result = as_search(name).minimize(rosenbrock, np.zeros(2), -WIDE, WIDE, observe=seen.append)
    assert len(seen) == len(result.trace)
    np.testing.assert_array_equal([row.value for row in seen], result.trace.value)
    assert [row.number for row in seen] == list(range(1, len(seen) + 1))
    assert seen[-1].best_value == result.trace.best_so_far()[-1] == result.value


@pytest.mark.parametrize("name", SEARCHES)
def test_the_time_limit_ends_with_the_best_so_far(name):
    def slow(theta):
        time.sleep(0.02)
        return rosenbrock(theta)

    budget = Budget(deadline=time.monotonic() + 0.1)
    result = as_search(name).minimize(slow, np.array([-1.2, 1.0]), -WIDE, WIDE, budget=budget)
    assert result.status is Status.TIME_LIMIT
    assert not result.converged
    assert result.value == result.trace.value.min()
    assert len(result.trace) < 12


@pytest.mark.parametrize("name", SEARCHES)
def test_the_iteration_limit_is_reported(name):
    result = as_search(name).minimize(rosenbrock, np.array([-1.2, 1.0]), -WIDE, WIDE, budget=Budget(max_iter=2))
    assert result.status is Status.MAX_ITER


@pytest.mark.parametrize("name", SEARCHES)
def test_a_function_that_is_never_finite_is_reported_as_a_failure(name):
    result = as_search(name).minimize(lambda t: (float("nan"), np.full(2, np.nan)), np.zeros(2), -WIDE, WIDE)
    assert result.status is Status.FAILED


@pytest.mark.parametrize("name", SEARCHES)
def test_a_region_that_is_not_finite_is_left_again(name):
    def walled(theta):
        return (float("inf"), np.zeros(2)) if theta[0] > 2.0 else quadratic(theta)

    result = as_search(name).minimize(walled, np.zeros(2), -WIDE, WIDE, budget=Budget(tol=1e-10))
    np.testing.assert_allclose(result.theta, [1.0, -2.0], atol=1e-2)


def test_interruption_reaches_the_caller():
    def interrupted(theta):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        as_search("lbfgs").minimize(interrupted, np.zeros(2), -WIDE, WIDE)


def test_nothing_to_search_is_one_evaluation():
    none = np.zeros(0)
    result = as_search("lbfgs").minimize(lambda t: (3.0, none), none, none, none)
    assert (result.value, len(result.trace), result.status) == (3.0, 1, Status.FIXED)


def two_valleys(theta):
    """A shallow minimum near 1 and the deep one near -3."""
    x = float(theta[0])
    value = 0.05 * (x + 3) ** 2 * (x - 1) ** 2 + 0.3 * x
    slope = 0.1 * (x + 3) * (x - 1) * (2 * x + 2) + 0.3
    return value, np.array([slope])


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_restarts_find_the_deeper_valley_whatever_the_number_of_jobs(n_jobs):
    lower, upper = np.array([-6.0]), np.array([6.0])
    starts = scattered_starts(np.array([1.0]), lower, upper, 12, np.random.default_rng(0))
    single = as_search("lbfgs").minimize(two_valleys, starts[0], lower, upper)
    result = Restarts(as_search("lbfgs"), n_jobs).minimize(lambda: two_valleys, starts, lower, upper)
    assert single.theta[0] > 0 > result.theta[0]
    assert len(np.unique(result.trace.run)) == 12
    assert result.theta[0] == pytest.approx(-3.1, abs=0.2)


def test_scattered_starts_begin_with_the_given_one_and_stay_within_bounds():
    lower, upper = np.array([-1.0, -1.0]), np.array([1.0, 1.0])
    starts = scattered_starts(np.zeros(2), lower, upper, 50, np.random.default_rng(0))
    np.testing.assert_array_equal(starts[0], 0.0)
    assert (starts >= lower).all()
    assert (starts <= upper).all()
    assert len(np.unique(starts[:, 0])) > 10


def test_a_search_says_which_ones_remain_without_gradient():
    with pytest.raises(MissingCapability, match="search='lbfgs' needs a gradient.*use search='nelder-mead'"):
        as_search("lbfgs").check(has_gradient=False, criterion="loo")
    NelderMead().check(has_gradient=False, criterion="loo")


def test_unknown_searches_are_named():
    with pytest.raises(InvalidArgument, match="search='lbfg' is not known. Did you mean 'lbfgs'?"):
        as_search("lbfg")


@pytest.mark.parametrize("unit", [1e-4, 1.0, 1e4])
def test_a_first_step_of_given_length_does_not_depend_on_the_units_of_the_criterion(unit):
    def objective(theta):
        value, gradient = rosenbrock(theta)
        return unit * value, unit * gradient

    result = LBFGS(first_step=0.5).minimize(objective, np.array([-1.2, 1.0]), -WIDE, WIDE, budget=Budget(tol=1e-10))
    assert np.linalg.norm(result.trace.theta[1] - result.trace.theta[0]) == pytest.approx(0.5)
    assert result.converged
    np.testing.assert_allclose(result.theta, [1.0, 1.0], atol=1e-3)


TURNED = np.array([[1.0, 0.9, 0.0], [0.9, 1.0, 0.0], [0.0, 0.0, 30.0]])


def turned_valley(x):
    """A long valley that no axis follows."""
    return 0.5 * float((x - 1.0) @ TURNED @ (x - 1.0)) + 5.0, TURNED @ (x - 1.0)


def test_the_curvature_of_one_search_shortens_the_next():
    bounds, budget = (np.full(3, -9.0), np.full(3, 9.0)), Budget(tol=1e-9)
    plain = as_search("lbfgs").minimize(turned_valley, np.array([0.0, 3.0, 0.5]), *bounds, budget=budget)
    assert plain.inverse is not None
    np.testing.assert_allclose(plain.inverse, np.linalg.inv(TURNED), rtol=0.2, atol=0.05)
    again = as_search("lbfgs").handed(np.linalg.inv(TURNED))
    onward = again.minimize(turned_valley, np.array([0.0, 3.0, 0.5]), *bounds, budget=budget)
    assert len(onward.trace) == 3 < len(plain.trace)  # Newton's step, too long for the first one, in two
    np.testing.assert_allclose(onward.theta, 1.0, atol=1e-9)
    np.testing.assert_allclose(onward.inverse, np.linalg.inv(TURNED), rtol=1e-6, atol=1e-9)
    assert as_search("lbfgs").handed(None) == as_search("lbfgs")


def test_a_curvature_is_handed_on_in_the_units_of_the_criterion():
    """Where values have no natural unit a search sees them in that of the first one."""
    unit, start = 1e4, np.array([0.5, 1.5, 0.8])

    def large(x):
        value, gradient = turned_valley(x)
        return unit * value, unit * gradient

    search = as_search("lbfgs").handed(np.linalg.inv(unit * TURNED))
    found = search.minimize(large, start, np.full(3, -9.0), np.full(3, 9.0), budget=Budget(tol=1e-9, relative=True))
    assert len(found.trace) == 2  # Newton's step
    np.testing.assert_allclose(found.theta, 1.0, atol=1e-9)
    np.testing.assert_allclose(found.inverse, np.linalg.inv(unit * TURNED), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("wrong", [0.01, 300.0])
def test_a_curvature_that_misleads_is_corrected(wrong):
    """A hundred times too short steps, and ones so long that all fail at first."""
    search = as_search("lbfgs").handed(wrong * np.eye(3))
    found = search.minimize(turned_valley, np.zeros(3), np.full(3, -9.0), np.full(3, 9.0), budget=Budget(tol=1e-12))
    assert found.converged
    np.testing.assert_allclose(found.theta, 1.0, atol=1e-3)
    assert found.value == min(found.trace.value)


def test_going_on_stays_within_bounds():
    upper = np.array([0.5, 9.0, 9.0])
    search = as_search("lbfgs").handed(np.linalg.inv(TURNED))
    found = search.minimize(turned_valley, np.zeros(3), np.full(3, -9.0), upper, budget=Budget(tol=1e-12))
    expected = np.array([0.5, 1.0 + 0.9 * 0.5, 1.0])  # the minimum where the first coordinate is held
    np.testing.assert_allclose(found.theta, expected, atol=1e-3)
    assert np.all(found.trace.theta <= upper)


def test_a_curvature_of_another_number_of_parameters_is_not_used():
    search = as_search("lbfgs").handed(0.1 * np.eye(5))
    plain, other = (
        each.minimize(rosenbrock, np.array([-1.2, 1.0]), -WIDE, WIDE) for each in (as_search("lbfgs"), search)
    )
    np.testing.assert_array_equal(plain.trace.theta, other.trace.theta)
