"""The one clock of a fit."""

import pickle
import time

import pytest

from kernelect.exceptions import OutOfTime
from kernelect.numerics import NEVER, Deadline, check_time, time_is_up, watched_deadline


class Ticks:
    """A clock that moves on by one at every look."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        self.now += 1.0
        return self.now


def test_no_limit_never_passes():
    deadline = Deadline.after(None)
    assert deadline == NEVER
    assert not deadline.passed
    assert deadline.left() == float("inf")
    assert deadline.part(0.5) == NEVER
    deadline.check()


def test_a_limit_of_nothing_has_passed():
    deadline = Deadline.after(0.0)
    assert deadline.passed
    assert deadline.left() == 0.0
    with pytest.raises(OutOfTime):
        deadline.check()


def test_it_passes_when_its_clock_says_so():
    deadline = Deadline(3.0, Ticks())
    assert [deadline.passed for _ in range(4)] == [False, False, True, True]
    assert deadline.left() == 0.0


def test_a_part_ends_within_the_time_that_is_left():
    class Still:
        def __call__(self):
            return 10.0

    assert Deadline(20.0, Still()).part(0.3).at == pytest.approx(13.0)
    assert Deadline(5.0, Still()).part(0.3).at == pytest.approx(10.0)


def test_a_copy_for_another_process_keeps_the_seconds_left():
    clock = Ticks()
    clock.now = 1e9  # a machine that has been up for longer
    copy = pickle.loads(pickle.dumps(Deadline(1e9 + 101.0, clock)))
    assert 99.0 < copy.at - time.monotonic() <= 100.0
    assert pickle.loads(pickle.dumps(NEVER)) == NEVER


def test_work_inside_keeps_to_the_earlier_deadline():
    """A fit without a limit of its own, within work that has one."""
    with Deadline.after(0.0).watched(), NEVER.watched(firmly=False), pytest.raises(OutOfTime):
        check_time()
    with Deadline.after(100.0).watched(), Deadline.after(0.0).watched(firmly=False):
        check_time()
        assert time_is_up()
    assert watched_deadline() == NEVER
