"""The greedy random walk: known minima, bounds, the acceptance rate, and where it comes from."""

import numpy as np
import pytest

from kernelect.results import Status
from kernelect.search import Budget, RandomWalk, as_search

WIDE = np.full(3, 8.0)
TARGET = np.array([1.0, -2.0, 0.5])


def bowl(theta):
    return float(np.sum(np.array([1.0, 20.0, 0.1]) * (theta - TARGET) ** 2)), None


def staircase(theta):
    return float(np.sum(np.floor(4.0 * np.abs(theta - TARGET)))), None


def walk(function, seed=0, **budget):
    options = Budget(**{"max_iter": 2000, "tol": 0.0, **budget})
    return RandomWalk(seed=seed, last_step=1e-5).minimize(function, np.zeros(3), -WIDE, WIDE, budget=options)


@pytest.mark.parametrize("seed", range(3))
def test_a_smooth_minimum_is_found(seed):
    result = walk(bowl, seed)
    assert result.converged
    np.testing.assert_allclose(result.theta, TARGET, atol=1e-2)


def test_a_function_that_jumps_is_descended():
    assert walk(staircase).value == 0.0


def test_it_only_ever_moves_downhill_and_accepts_about_half_on_the_way():
    slope = walk(lambda theta: (float(theta[0]), None), max_iter=10)
    moved = np.diff(slope.trace.best_so_far()) < 0
    assert slope.value == -8.0 or moved.mean() == pytest.approx(1 / 6, abs=0.1)  # one parameter of three matters
    assert (np.diff(slope.trace.best_so_far()) <= 0).all()


def test_bounds_are_kept():
    lower, upper = np.array([-5.0, -1.0, -5.0]), np.array([0.5, 5.0, 5.0])
    result = RandomWalk(seed=1, last_step=1e-4).minimize(bowl, np.zeros(3), lower, upper, budget=Budget(max_iter=500))
    np.testing.assert_allclose(result.theta[:2], [0.5, -1.0], atol=1e-2)
    assert (result.trace.theta >= lower).all()
    assert (result.trace.theta <= upper).all()


def test_the_seed_decides_and_is_set_only_where_there_is_none():
    assert walk(bowl, 5).value == walk(bowl, 5).value != walk(bowl, 6).value
    assert as_search("random-walk").seeded(3).seed == 3
    assert RandomWalk(seed=7).seeded(3).seed == 7
    assert as_search("lbfgs").seeded(3).name == "lbfgs"


def test_the_limits_are_told():
    assert walk(bowl, max_iter=2).status is Status.MAX_ITER
    flat = walk(lambda theta: (1.0, None), tol=1e-5)
    assert flat.status is Status.CONVERGED
    assert flat.value == 1.0


def test_a_linear_parameter_moves_by_steps_of_itself():
    """Of the steps tried from the start, those of ln x are normal, and those of exp(x) if the parameter is linear."""
    start, wide = np.array([0.0, np.log(4.0)]), np.full(2, 20.0)

    def tried(linear):
        walk = RandomWalk(seed=3, first_step=0.1, linear=linear)
        found = walk.minimize(lambda theta: (1.0, None), start, -wide, wide, budget=Budget(max_iter=1))
        return found.trace.theta[1:] - start  # two trials, one of each parameter, none of them taken

    logs, linear = tried(()), tried((-1,))
    np.testing.assert_array_equal(logs[:, 0], linear[:, 0])
    np.testing.assert_allclose(np.exp(linear[:, 1]) - 1.0, logs[:, 1], rtol=1e-12)
    assert np.abs(logs[:, 1]).max() > 0.0


def test_a_linear_step_to_below_zero_ends_at_the_bound():
    fall = RandomWalk(seed=0, first_step=5.0, linear=(0,))
    found = fall.minimize(lambda x: (x[0], None), np.zeros(1), np.full(1, -3.0), np.full(1, 3.0), budget=Budget())
    assert found.theta[0] == -3.0
