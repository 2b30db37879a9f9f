"""One thread or all: tried when the machine is quiet, given up when it is not."""

import numpy as np
import pytest

from kernelect import LSSVR, RVR
from kernelect.numerics import Deadline, factorize, threads


class Machine:
    """A machine whose clock moves on with work and with trials, which take ``one`` or ``both`` seconds."""

    def __init__(self, monkeypatch, one=0.002, both=0.001, allowed=2):
        self.now = self.own = 0.0
        self.one, self.both, self.limited, self.trials = one, both, False, 0
        monkeypatch.setattr(threads, "blas_threads", lambda: allowed)
        monkeypatch.setattr(threads, "_controller", lambda: self)

    def limit(self, limits, user_api):
        machine = self

        class Limit:
            def __enter__(self):
                machine.limited = True

            def __exit__(self, *_):
                machine.limited = False

        return Limit()

    def work(self, seconds, share=1.0):
        self.now += seconds
        self.own += seconds * share

    def trial(self):
        self.trials += 1
        self.work(self.one if self.limited else self.both)

    def choice(self, *, tries=True):
        return threads._Choice(tries=tries, clock=lambda: self.now, own_time=lambda: self.own, trial=self.trial)


def test_all_threads_are_tried_after_a_while_alone(monkeypatch):
    machine = Machine(monkeypatch)
    with machine.choice() as choice:
        choice.before(1000)
        assert machine.limited
        assert machine.trials == 0
        machine.work(0.3)
        choice.before(1000)
        assert not machine.limited
    assert not machine.limited


def test_nothing_is_tried_beside_other_programs(monkeypatch):
    machine = Machine(monkeypatch)
    with machine.choice() as choice:
        for _ in range(100):
            machine.work(0.3, share=0.67)
            choice.before(1000)
        assert machine.trials == 0
        machine.work(0.3)  # they end
        choice.before(1000)
        assert not machine.limited


@pytest.mark.parametrize(("both", "limited"), [(0.0018, False), (0.00195, True), (0.01, True)])
def test_the_faster_way_is_kept(monkeypatch, both, limited):
    machine = Machine(monkeypatch, both=both)
    with machine.choice() as choice:
        machine.work(0.3)
        choice.before(1000)
        assert machine.limited is limited


def test_a_lost_trial_ends_at_once_and_the_next_ones_come_later_and_later(monkeypatch):
    machine = Machine(monkeypatch, both=0.5)
    with machine.choice() as choice:
        when = []
        for _ in range(1000):
            machine.work(0.3)
            before = machine.trials
            choice.before(1000)
            if machine.trials > before:
                assert machine.trials == before + 2
                when.append(machine.now)
    waits = np.diff(when)
    assert waits[0] == pytest.approx(threads._PATIENCE, abs=1.0)
    assert np.all(waits[1:] > 1.5 * waits[:-1])


def test_all_threads_are_given_up_when_a_factorisation_loses_time(monkeypatch):
    machine = Machine(monkeypatch)
    with machine.choice() as choice:
        machine.work(0.3)
        choice.before(1200)
        choice.after(1200, 8 * machine.one + 0.9 * threads._ALLOWANCE)  # one thread takes 8 times a trial
        assert not machine.limited
        choice.after(1200, 8 * machine.one - threads._ALLOWANCE)  # what was lost is won back
        choice.after(1200, 8 * machine.one + 0.9 * threads._ALLOWANCE)
        assert not machine.limited
        choice.after(1200, 8 * machine.one + 0.2 * threads._ALLOWANCE)
        assert machine.limited
        before = machine.trials
        machine.work(0.3)
        choice.before(1200)
        assert machine.trials == before  # not at once again
        machine.work(threads._PATIENCE)
        choice.before(1200)
        assert not machine.limited


def test_small_matrices_have_one_thread(monkeypatch):
    machine = Machine(monkeypatch)
    with machine.choice() as choice:
        machine.work(0.3)
        choice.before(threads.SINGLE_THREAD_ROWS)
        assert machine.trials == 0
        machine.work(0.3)
        choice.before(1000)
        assert not machine.limited
        choice.before(threads.SINGLE_THREAD_ROWS)
        assert machine.limited
        choice.before(1000)
        assert not machine.limited


@pytest.mark.parametrize("setting", [{"allowed": 1}, {"tries": False}])
def test_nothing_is_tried_where_it_cannot_help(monkeypatch, setting):
    machine = Machine(monkeypatch, allowed=setting.get("allowed", 2))
    with machine.choice(tries=setting.get("tries", True)) as choice:
        machine.work(0.3)
        choice.before(1000)
        assert machine.limited
        assert machine.trials == 0


def test_there_is_no_trial_shortly_before_a_deadline(monkeypatch):
    Machine(monkeypatch)
    with threads.best_blas_threads(Deadline.after(1.0)) as choice:
        assert not choice.tries
    with threads.best_blas_threads(Deadline.after(100.0)) as choice:
        assert choice.tries


def test_factorisations_are_watched(monkeypatch):
    machine = Machine(monkeypatch)
    with machine.choice() as choice:
        machine.work(0.3)
        factorize(np.eye(threads.SINGLE_THREAD_ROWS + 1))
        assert machine.trials == 2 * threads._TRIALS
        assert not choice.single


def test_an_inner_context_leaves_the_choice_to_the_outer_one():
    with threads.best_blas_threads() as outer:
        assert threads._current.get() is outer
        with threads.best_blas_threads(), threads.blas_threads_beside_blocks():
            assert threads._current.get() is outer
    assert threads._current.get() is None


def test_the_limit_ends_with_an_error(monkeypatch):
    machine = Machine(monkeypatch)
    with pytest.raises(RuntimeError), machine.choice():
        raise RuntimeError
    assert not machine.limited
    assert threads._current.get() is None


def test_fits_at_the_same_time_leave_the_number_of_threads_as_it_was(monkeypatch):
    machine = Machine(monkeypatch)
    first, second = machine.choice(), machine.choice()
    first.__enter__()
    with threads.single_blas_thread():
        second._limit(True)
        first.__exit__(None, None, None)
        assert machine.limited
    assert machine.limited
    second._limit(False)
    assert not machine.limited


def test_all_threads_wait_for_those_who_ask_for_one(monkeypatch):
    machine = Machine(monkeypatch)
    with threads.single_blas_thread(), machine.choice() as choice:
        machine.work(0.3)
        choice.before(1000)
        assert machine.limited
        assert choice.single


@pytest.mark.parametrize(
    ("model", "tried"),
    [(LSSVR(), True), (LSSVR(landmarks=20), False), (RVR(), False)],
    ids=["exact", "landmarks", "rvm"],
)
def test_blocks_and_relevance_vectors_have_one_blas_thread(monkeypatch, model, tried):
    """Threads cost them time; and on landmarks results must not depend on trials."""
    trials = []
    monkeypatch.setattr(threads._Choice, "_try_both", lambda choice: trials.append(choice))
    monkeypatch.setattr(threads._Choice, "_undisturbed", lambda choice: True)
    monkeypatch.setattr(threads, "blas_threads", lambda: 2)
    monkeypatch.setattr(threads, "SINGLE_THREAD_ROWS", 0)
    X = np.random.default_rng(0).normal(size=(200, 2))
    model.fit(X, np.sin(X[:, 0]))
    assert bool(trials) is tried
