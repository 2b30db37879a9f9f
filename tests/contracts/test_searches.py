"""Laws of every search: known minima, bounds, limits, and failures that are reported as such."""

import time

import numpy as np
import pytest

from contracts.declared import require_instances
from contracts.parts import SEARCHES
from kernelect.results import Status
from kernelect.search import Budget

every_search = pytest.mark.parametrize("case", SEARCHES.values(), ids=SEARCHES)

WIDE = np.full(2, 10.0)
MINIMUM = np.array([1.0, -2.0])
TIGHT = Budget(max_iter=2000, tol=1e-12)


def bowl(theta):
    scale = np.array([1.0, 20.0])
    return float(0.5 * np.sum(scale * (theta - MINIMUM) ** 2)), scale * (theta - MINIMUM)


def test_every_search_has_an_instance():
    require_instances("search", [case.search for case in SEARCHES.values()], "SEARCHES")


@every_search
def test_a_known_minimum_is_found(case):
    result = case.search.minimize(bowl, np.array([-1.2, 1.0]), -WIDE, WIDE, budget=TIGHT)
    assert result.converged
    np.testing.assert_allclose(result.theta, MINIMUM, atol=case.near)
    assert result.value == bowl(result.theta)[0]


@every_search
def test_the_best_point_within_bounds_is_found_and_none_outside_is_tried(case):
    lower, upper = np.array([-5.0, -1.0]), np.array([0.5, 5.0])
    result = case.search.minimize(bowl, np.zeros(2), lower, upper, budget=TIGHT)
    np.testing.assert_allclose(result.theta, [0.5, -1.0], atol=case.near)
    assert (result.trace.theta >= lower).all()
    assert (result.trace.theta <= upper).all()


@every_search
def test_a_start_at_the_minimum_gets_no_worse(case):
    assert case.search.minimize(bowl, MINIMUM, -WIDE, WIDE).value == 0.0


@every_search
def test_no_point_of_the_trace_is_better_than_the_result(case):
    result = case.search.minimize(bowl, np.array([-1.2, 1.0]), -WIDE, WIDE, budget=TIGHT)
    assert result.value <= result.trace.value.min() + case.near**2


@every_search
def test_a_value_that_is_never_finite_is_a_failure(case):
    result = case.search.minimize(lambda theta: (float("nan"), np.full(2, np.nan)), np.zeros(2), -WIDE, WIDE)
    assert result.status is Status.FAILED
    assert not result.converged


@every_search
def test_an_error_of_the_objective_reaches_the_caller(case):
    def broken(theta):
        raise ZeroDivisionError("the objective's own")

    with pytest.raises(ZeroDivisionError, match="the objective's own"):
        case.search.minimize(broken, np.zeros(2), -WIDE, WIDE)


@every_search
def test_the_time_limit_ends_with_the_best_so_far(case):
    def slow(theta):
        time.sleep(0.02)
        return bowl(theta)

    budget = Budget(deadline=time.monotonic() + 0.05, tol=0.0)
    result = case.search.minimize(slow, np.array([-1.2, 1.0]), -WIDE, WIDE, budget=budget)
    assert result.status is Status.TIME_LIMIT
    assert not result.converged
    assert np.isfinite(result.value)
    assert len(result.trace) < 8


@every_search
def test_the_observer_sees_every_evaluation_and_the_trace_keeps_it(case):
    seen = []
    result = case.search.minimize(bowl, np.zeros(2), -WIDE, WIDE, observe=seen.append)
    np.testing.assert_array_equal([row.value for row in seen], result.trace.value)
    assert [row.number for row in seen] == list(range(1, len(seen) + 1))


@every_search
def test_the_same_search_twice_visits_the_same_points(case):
    first, second = (case.search.minimize(bowl, np.zeros(2), -WIDE, WIDE) for _ in range(2))
    np.testing.assert_array_equal(first.trace.theta, second.trace.theta)


@every_search
def test_nothing_to_search_is_one_evaluation(case):
    none = np.zeros(0)
    result = case.search.minimize(lambda theta: (3.0, none), none, none, none)
    assert (result.value, len(result.trace), result.status) == (3.0, 1, Status.FIXED)
