"""One thread or all: tried when the machine is quiet, given up when it is not."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import numpy as np
import pytest

from kernelect import LSSVR, RVR
from kernelect.estimators import _rvm_base
from kernelect.numerics import NEVER, Deadline, factorize, threads
from kernelect.selection import run


class Machine:
    """A machine whose clock moves on with work and with trials, which take ``one`` or ``both`` seconds."""

    def __init__(self, monkeypatch, one=0.002, both=0.001, allowed=2):
        self.now = self.own = 0.0
        self.one, self.both, self.limited, self.trials = one, both, False, 0
        monkeypatch.setattr(threads, "blas_threads", lambda: allowed)
        monkeypatch.setattr(threads, "_controller", lambda: self)

    def limit(self, limits, user_api):
        self.limited = True
        return self

    def restore_original_limits(self):
        self.limited = False

    def work(self, seconds, share=1.0):
        self.now += seconds
        self.own += seconds * share

    def trial(self):
        self.trials += 1
        self.work(self.one if self.limited else self.both)

    def choice(self, deadline=NEVER):
        return threads._Choice(deadline, clock=lambda: self.now, own_time=lambda: self.own, trial=self.trial)


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
                assert machine.trials == before + 3
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


def test_a_tenth_of_a_second_is_too_much_to_lose(monkeypatch):
    machine = Machine(monkeypatch)
    with machine.choice() as choice:
        machine.work(0.3)
        choice.before(1200)
        choice.after(1200, 8 * machine.one + 0.1)
        assert machine.limited


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


@pytest.mark.parametrize(("allowed", "deadline"), [(1, NEVER), (2, None), (2, Deadline(4.9, lambda: 0.0))])
def test_nothing_is_tried_where_it_cannot_help_or_shortly_before_a_deadline(monkeypatch, allowed, deadline):
    machine = Machine(monkeypatch, allowed=allowed)
    with machine.choice(deadline) as choice:
        machine.work(0.3)
        choice.before(1000)
        assert machine.limited
        assert machine.trials == 0


def test_factorisations_are_watched(monkeypatch):
    machine = Machine(monkeypatch)
    with machine.choice() as choice:
        machine.work(0.3)
        factorize(np.eye(threads.SINGLE_THREAD_ROWS + 1))
        assert machine.trials == 1 + 2 * threads._TRIALS
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


def test_the_last_of_several_threads_puts_the_number_back():
    """With the real library, which obeys only the thread that set the number first, as long as that one lives."""
    before = threads.blas_threads()
    first_began, first_ended, second_began, all_done = (Event() for _ in range(4))

    def first():
        with threads.single_blas_thread():
            first_began.set()
            second_began.wait(10)
        first_ended.set()
        all_done.wait(10)

    def second():
        first_began.wait(10)
        with threads.single_blas_thread():
            second_began.set()
            first_ended.wait(10)
            assert threads.blas_threads() == 1

    with ThreadPoolExecutor(2) as pool:
        done = [pool.submit(first), pool.submit(second)]
        done[1].result()
        after = threads.blas_threads()
        all_done.set()
        done[0].result()
    assert after == before
    with threads.single_blas_thread():
        assert threads.blas_threads() == 1
    assert threads.blas_threads() == before


def test_all_threads_wait_for_those_who_ask_for_one(monkeypatch):
    machine = Machine(monkeypatch)
    with threads.single_blas_thread(), machine.choice() as choice:
        machine.work(0.3)
        choice.before(1000)
        assert machine.limited
        assert choice.single


@pytest.mark.parametrize(
    ("model", "tried"), [(LSSVR(), True), (LSSVR(landmarks=20), False)], ids=["exact", "landmarks"]
)
def test_work_in_blocks_has_one_blas_thread(monkeypatch, model, tried):
    """A second one costs it time, and its results must not depend on trials."""
    trials = []
    monkeypatch.setattr(threads._Choice, "_try_both", lambda choice: trials.append(choice))
    monkeypatch.setattr(threads._Choice, "_undisturbed", lambda choice: True)
    monkeypatch.setattr(threads, "blas_threads", lambda: 2)
    monkeypatch.setattr(threads, "SINGLE_THREAD_ROWS", 0)
    X = np.random.default_rng(0).normal(size=(200, 2))
    model.fit(X, np.sin(X[:, 0]))
    assert bool(trials) is tried


def test_relevance_vectors_have_one_blas_thread(monkeypatch):
    """A second one makes their fits several times slower."""
    asking, select = [], _rvm_base.select

    def watched(*given):
        asking.append((threads._one_thread._asking, threads._current.get()))
        return select(*given)

    monkeypatch.setattr(_rvm_base, "select", watched)
    X = np.random.default_rng(0).normal(size=(60, 2))
    RVR().fit(X, np.sin(X[:, 0]))
    assert asking == [(1, None)]


@pytest.mark.parametrize(("jobs", "asking"), [(1, 1), (2, 2)])
def test_restarts_at_the_same_time_have_one_blas_thread_each(monkeypatch, jobs, asking):
    """Their threads know nothing of the choice, so nobody would give up all threads; the fit itself asks as well."""
    seen, search_along = [], run.search_along

    def watched(*given, starts, **options):
        if len(starts) > 1:
            seen.append(threads._one_thread._asking)
        return search_along(*given, starts=starts, **options)

    monkeypatch.setattr(run, "search_along", watched)
    X = np.random.default_rng(0).normal(size=(40, 2))
    LSSVR(n_restarts=1, n_jobs=jobs).fit(X, np.sin(X[:, 0]))
    assert seen == [asking]
