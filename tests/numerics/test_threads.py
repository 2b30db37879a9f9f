"""One thread or all: decided by trial, and looked at again."""

import pytest

from kernelect.numerics import threads


class Machine:
    """A clock that a trial moves on: by how much depends on the threads it runs with."""

    def __init__(self, monkeypatch, one, all_threads):
        self.now, self.one, self.all_threads, self.limited, self.trials = 0.0, one, all_threads, False, 0
        monkeypatch.setattr(threads, "blas_threads", lambda: 2)
        monkeypatch.setattr(threads, "_controller", lambda: self)

    def limit(self, limits, user_api):
        machine = self

        class Limit:
            def __enter__(self):
                machine.limited = True

            def __exit__(self, *_):
                machine.limited = False

        return Limit()

    def trial(self, rows):
        self.trials += 1
        self.now += self.one if self.limited else self.all_threads

    def choice(self, rows=1000):
        return threads._Choice(rows, clock=lambda: self.now, trial=self.trial)


@pytest.mark.parametrize(("one", "both", "limited"), [(1.0, 0.6, False), (1.0, 5.0, True), (1.0, 0.95, True)])
def test_the_faster_way_is_kept(monkeypatch, one, both, limited):
    machine = Machine(monkeypatch, one, both)
    with machine.choice():
        assert machine.limited is limited
    assert not machine.limited


def test_the_choice_follows_the_machine(monkeypatch):
    machine = Machine(monkeypatch, 1.0, 0.6)
    with machine.choice() as choice:
        machine.all_threads = 5.0  # other programs begin to work
        choice.look_again()
        assert machine.trials == 6  # not yet: the last trials were just now
        machine.now += 1000.0
        choice.look_again()
        assert machine.trials == 8  # lost at once
        assert machine.limited
        machine.all_threads = 0.6  # and end
        machine.now += 1000.0
        choice.look_again()
        assert not machine.limited


def test_a_lucky_moment_on_a_busy_machine_does_not_decide(monkeypatch):
    machine = Machine(monkeypatch, 1.0, 0.6)
    trial = machine.trial

    def busy_again(rows):
        trial(rows)
        machine.all_threads = 5.0

    machine.trial = busy_again
    with machine.choice():
        assert machine.limited


def test_small_matrices_are_not_tried(monkeypatch):
    machine = Machine(monkeypatch, 1.0, 0.1)
    with machine.choice(threads.SINGLE_THREAD_ROWS):
        assert machine.limited
        assert machine.trials == 0


def test_an_inner_context_leaves_the_choice_to_the_outer_one():
    with threads.blas_threads_for(50) as outer:
        assert threads._current.get() is outer
        with threads.blas_threads_for(5000):
            assert threads._current.get() is outer
    assert threads._current.get() is None


def test_the_limit_ends_with_an_error(monkeypatch):
    machine = Machine(monkeypatch, 1.0, 5.0)
    with pytest.raises(RuntimeError), machine.choice():
        raise RuntimeError
    assert not machine.limited
    assert threads._current.get() is None
