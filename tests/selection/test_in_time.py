"""A time limit inside a selection: rows there is time for, parts of them, and evaluations cut short.

Time is counted in looks at a clock, or set by hand, so that no test depends on how busy the machine is.
"""

import time

import numpy as np
import pytest

from kernelect.criteria import PRESS
from kernelect.datasets import twonorm
from kernelect.exceptions import OutOfTime
from kernelect.kernels import ARD
from kernelect.machines import EP, LSSVM, RVM, SVM
from kernelect.machines.ep import machine as ep_machine
from kernelect.numerics import Deadline, check_time, factorize, time_is_up
from kernelect.priors import as_prior
from kernelect.results import Status
from kernelect.selection import Pace, Rows, SelectionOptions, join, ridge_space, rows_in_time, started_as_given
from kernelect.selection import in_time as module
from kernelect.selection.parts import Parts
from kernelect.selection.run import Run
from kernelect.selection.stages import AllParameters

PASSED, STILL = Deadline(0.0), Deadline(1e9, lambda: 0.0)


class Hand:
    """A clock that is moved by hand."""

    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    hand = Hand()
    monkeypatch.setattr(time, "monotonic", hand)
    return hand


def press(n=200, d=3):
    X, y = twonorm(n, random_state=0)
    rows = Rows(X=X[:, :d], targets=y.astype(float)[:, None], weights=np.ones(n))
    started = started_as_given(ARD(), rows.X, pairwise=False)
    ridge = ridge_space("auto", started, rows)
    return join(rows, started, LSSVM(), PRESS(), as_prior("auto", started.space), ridge)


def run_of(objective, seconds, pace=1e12, **options):
    run = Run(objective, SelectionOptions(deadline=Deadline.after(seconds), **options))
    run._pace = Pace(pace)
    return run


# What work deep inside sees.


def test_a_factorisation_under_a_deadline_that_is_watched_is_not_begun():
    with PASSED.watched(), pytest.raises(OutOfTime):
        factorize(np.eye(3))
    factorize(np.eye(3))  # nobody watches any more


def test_where_there_is_no_result_yet_work_is_only_told():
    with PASSED.watched(firmly=False):
        check_time()
        factorize(np.eye(3))
        assert time_is_up()
    assert not time_is_up()


def test_the_earlier_deadline_counts_and_the_outer_one_comes_back():
    with STILL.watched(firmly=False):
        with PASSED.watched(firmly=False):
            assert time_is_up()
        assert not time_is_up()
    with PASSED.watched(firmly=False), STILL.watched():
        assert time_is_up()


def test_time_for_what_comes_after_is_set_aside():
    assert Deadline(10.0).earlier(3.0).at == 7.0
    assert Deadline().earlier(3.0) == Deadline()


# Rows.


def test_the_pace_is_that_of_the_middle_trial():
    ticks = iter([0.0, 9.0, 10.0, 11.0, 12.0, 14.0])
    rows = module._TRIAL_ROWS
    assert Pace.measured(lambda: next(ticks)).rate == pytest.approx(rows**3 / 3.0 / 2.0)


@pytest.mark.parametrize("machine", [LSSVM(), EP(), SVM(), RVM()], ids=lambda machine: machine.name)
def test_rows_in_time_take_the_time_there_is(machine):
    pace = Pace(1e9)
    found = rows_in_time(machine, 10**5, 2, Deadline(50.0, lambda: 0.0), pace)
    assert module.LEAST_ROWS < found < 10**5
    share = module._SHARE * 50.0 / module._EVALUATIONS
    assert pace.seconds(machine, found, 2) <= share < pace.seconds(machine, found + 1, 2)
    assert rows_in_time(machine, 10**5, 2, Deadline(50.0, lambda: 0.0), pace, spreads=True) < found


def test_rows_in_time_are_all_of_them_or_at_least_a_few():
    assert rows_in_time(LSSVM(), 500, 1, Deadline(50.0, lambda: 0.0), Pace(1e12)) == 500
    assert rows_in_time(LSSVM(), 500, 1, PASSED, Pace(1e12)) == module.LEAST_ROWS
    assert rows_in_time(LSSVM(), 60, 1, PASSED, Pace(1e12)) == 60


def test_outputs_of_a_posterior_are_solutions_of_their_own_and_those_of_least_squares_are_not():
    assert EP().work(100, 3) == 3 * EP().work(100, 1)
    assert LSSVM().work(100, 3) == LSSVM().work(100, 1)


# Searches.


def test_an_evaluation_is_left_in_its_middle(clock):
    """The second evaluation ends at its first factorisation: the clock jumps after the first one."""
    run = run_of(press(), 1.0)
    observed, solved = [], type(run.objective)._solved

    def slow(self, theta):
        clock.now += 0.6
        return solved(self, theta)

    run.options = SelectionOptions(observe=observed.append)
    type(run.objective)._solved, kept = slow, solved
    try:
        AllParameters().carry_out(run)
    finally:
        type(run.objective)._solved = kept
    assert len(run.found.trace) == 1
    assert run.found.status is Status.TIME_LIMIT
    assert np.isfinite(run.found.value)
    assert clock.now == pytest.approx(1.2)


def test_the_first_value_is_found_whatever_time_it_takes(clock):
    run = run_of(press(), 0.0)
    AllParameters().carry_out(run)
    assert len(run.found.trace) == 1
    assert np.isfinite(run.found.value)


# Parts.


def test_with_little_time_few_rows_come_first_and_a_model_is_ready(clock):
    run = run_of(press(400), 1.0, pace=LSSVM().work(150, 1) * 40.0 / 0.3)
    assert Parts().applies(run)
    Parts().carry_out(run)
    assert run.result is None  # the clock stands still: there is time to go on
    assert not np.array_equal(run.space.start, run.objective.space.start)


def test_with_time_enough_few_rows_are_searched_as_they_are(clock):
    assert not Parts().applies(run_of(press(280), 1000.0))


def test_a_part_that_leaves_no_time_for_the_next_is_the_result(clock):
    """Rows are so slow that three evaluations on the next part do not fit in."""
    run = run_of(press(400), 1.0, pace=LSSVM().work(400, 1) * 2.0)
    Parts().carry_out(run)
    assert run.rows is not None
    assert run.rows < 400
    assert not AllParameters().applies(run)
    said = run.selection()
    assert f"found on {run.rows} of 400 rows" in said.status
    assert not said.converged
    assert np.isfinite(said.value)


# Expectation propagation.


def iterations_of(deadline):
    X, y = twonorm(60, random_state=0)
    gram = ARD(np.full(20, 0.02)).gram(X)
    with deadline.watched(firmly=False):
        state = EP().fit(gram, y.astype(float)[:, None], 1.0, np.ones(60))
    return state.iterations, state.mismatch


def test_moments_need_not_match_to_the_last_digit_when_time_is_up():
    whole, close = iterations_of(STILL)
    cut, rough = iterations_of(PASSED)
    assert cut < whole
    assert close < EP().tol < rough < ep_machine._ROUGH
