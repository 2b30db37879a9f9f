"""The scan of one parameter and the compass for several."""

import numpy as np
import pytest

from kernelect.exceptions import MissingCapability
from kernelect.results import Status
from kernelect.search import LBFGS, Budget, Scan, Stay


def run(search, function, start, reach=9.0, **options):
    start = np.asarray(start, dtype=float)
    budget = Budget(**options) if options else None
    return search.minimize(lambda x: (function(x), None), start, start - reach, start + reach, budget=budget)


def test_finds_the_least_of_a_staircase():
    result = run(Scan(), lambda x: np.floor(4 * abs(x[0] - 3.2)), [0.0])
    assert abs(result.theta[0] - 3.2) <= 0.25
    assert result.status is Status.CONVERGED


def test_goes_on_beyond_one_bump():
    result = run(Scan(), lambda x: (x[0] - 3.0) ** 2 + 5.0 * (abs(x[0] - 1.0) < 0.5), [0.0])
    assert abs(result.theta[0] - 3.0) <= 0.25


def test_looks_around_the_second_best_as_well():
    # the valley at -1.5 lies between the steps; a bump hides that -1 and -2 are near it
    result = run(Scan(), lambda x: min(abs(x[0] - 1.0) + 1.0, 5.0 * abs(x[0] + 1.5) - 1.0), [0.0])
    assert result.theta[0] == pytest.approx(-1.5)


@pytest.mark.parametrize("finest", [0.25, 0.5, 1.0])
def test_takes_no_finer_step_than_asked_for(finest):
    seen = []
    run(Scan(finest=finest), lambda x: seen.append(x[0]) or abs(x[0] - 1.3), [0.0])
    assert np.diff(np.unique(seen)).min() == finest


def test_stays_within_bounds():
    seen = []
    result = run(Scan(), lambda x: seen.append(x[0]) or -x[0], [0.0], reach=2.5)
    assert result.theta[0] == pytest.approx(2.5)
    assert max(seen) <= 2.5
    assert min(seen) >= -2.5


def test_compass_finds_the_least_of_several():
    result = run(Scan(), lambda x: abs(x[0] - 1.5) + abs(x[1] + 2.0), [0.0, 0.0])
    np.testing.assert_allclose(result.theta, [1.5, -2.0], atol=0.3)


def test_compass_stops_at_the_iteration_limit():
    result = run(Scan(), lambda x: -x.sum(), [0.0, 0.0], reach=50.0, max_iter=3, tol=0.0)
    assert result.status is Status.MAX_ITER


def test_hands_several_parameters_to_the_search_that_follows():
    result = Scan(then=LBFGS()).minimize(
        lambda x: (float(np.sum((x - 1.0) ** 2)), 2.0 * (x - 1.0)), np.zeros(2), -np.ones(2) * 5, np.ones(2) * 5
    )
    np.testing.assert_allclose(result.theta, 1.0, atol=1e-4)
    with pytest.raises(MissingCapability, match="needs a gradient"):
        Scan(then=LBFGS()).check(False, "cv")


def test_stay_evaluates_the_start_only():
    result = run(Stay(), lambda x: x.sum(), [1.0, 2.0])
    assert len(result.trace) == 1
    assert result.value == 3.0


def test_a_scan_nearby_takes_short_steps_and_gives_up_at_once():
    seen = []
    run(Scan().nearby(), lambda x: seen.append(x[0]) or abs(x[0] - 0.1), [0.0])
    assert sorted(seen) == [-0.5, -0.25, 0.0, 0.25, 0.5]
    seen.clear()
    run(Scan(finest=0.5).nearby(), lambda x: seen.append(x[0]) or abs(x[0] - 0.6), [0.0])
    assert sorted(seen) == [-0.5, 0.0, 0.5, 1.0]


def test_what_follows_a_scan_nearby_looks_at_few_points_of_a_line():
    nearby = Scan(then=LBFGS()).nearby(np.eye(2))
    assert nearby.then.tries < LBFGS().tries
    assert nearby.then.inverse == ((1.0, 0.0), (0.0, 1.0))


def test_what_is_scanned():
    assert Scan().scans(1)
    assert Scan().scans(3)
    assert Scan(then=LBFGS()).scans(1)
    assert not Scan(then=LBFGS()).scans(3)
    assert not Scan().scans(0)
    assert not LBFGS().scans(1)
