"""The number of threads that BLAS may use: one or all, whichever is faster at the moment.

On a quiet machine a second thread helps from a few hundred rows on. On a busy one it hurts: BLAS
threads wait for each other by spinning, and a fit of 0.2 s was measured at 30 s. The number of rows
does not tell the two cases apart, and a trial on a busy machine can take a second. So a fit begins
with one thread. Once it has had a processor to itself for a while, a factorisation is timed both
ways. All threads stay as long as the factorisations of the fit take no longer than one thread would
need; otherwise there is another trial later, because other programs come and go.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar, Token
from functools import cache
from threading import Lock
from types import TracebackType
from typing import Any

import numpy as np
from scipy.linalg import lapack
from threadpoolctl import OpenBLASController, ThreadpoolController

from kernelect.numerics.deadline import NEVER, Deadline

#: Rows up to which a matrix has one thread, because a second one gains nothing.
SINGLE_THREAD_ROWS = 400

#: Rows of a trial: enough to distinguish the two ways, whatever the size of the fit.
_TRIAL_ROWS = 600

#: Trials of both ways whose times are added, and how many times slower all threads are when the rest is spared.
_TRIALS, _LOST = 4, 1.5

#: A second thread has to save this share of the time, or it is not worth its risk.
_WORTH = 0.95

#: Seconds after which a thread knows whether it shares its processor, and the share that is its own if it does not.
#: Beside two busy processes on two cores 4 % of the spans of 0.1 s passed, and none of 0.2 s.
_WHILE, _UNDISTURBED = 0.2, 0.95

#: Seconds that all threads may be slower than one thread would have been before they are given up.
_ALLOWANCE = 0.01

#: Seconds until the next trial after one is lost; twice as long each time.
_PATIENCE = 1.0

#: Seconds that a fit has left, at least, if it is to try both ways.
_TIME_FOR_TRIALS = 5.0


@cache
def _controller() -> Any:
    return ThreadpoolController()


def best_blas_threads(deadline: Deadline = NEVER) -> AbstractContextManager[Any]:
    """Return a context in which :func:`factorising` finds out how many threads are best.

    A context inside another leaves the choice to the outer one. A few seconds before a deadline
    there is no trial, only one thread.
    """
    return nullcontext() if _current.get() is not None else _Choice(deadline)


def blas_threads_beside_blocks() -> AbstractContextManager[Any]:
    """Return a context with one BLAS thread, for work in blocks of rows, which have threads of their own.

    A second BLAS thread between the blocks made fits on landmarks slower by a twentieth to a tenth,
    and rounded differently whenever a trial ended differently.
    """
    return nullcontext() if _current.get() is not None else _Choice(None)


@contextmanager
def single_blas_thread() -> Iterator[None]:
    """Return a context in which BLAS uses one thread, for callers that run their own threads."""
    _one_thread.begin()
    try:
        yield
    finally:
        _one_thread.end()


def allowed_threads() -> int:
    """Return how many threads the user allows BLAS, whatever the choice is at the moment."""
    choice = _current.get()
    return blas_threads() if choice is None else choice.allowed


@contextmanager
def factorising(rows: int) -> Iterator[None]:
    """Watch a factorisation: before it both ways may be tried, after it all threads may be given up."""
    choice = _current.get()
    if choice is None:
        yield
        return
    choice.before(rows)
    began = choice.clock()
    yield
    choice.after(rows, choice.clock() - began)


class _OneThread:
    """One BLAS thread for as long as anybody asks for it.

    The number of threads belongs to the process, and several fits may run in it at the same time. Each of them would
    put back the number that it found, and the last one found that of the others: one thread, for good.
    """

    def __init__(self) -> None:
        self._lock, self._asking = Lock(), 0
        self._limit: Any = None

    def begin(self) -> None:
        with self._lock:
            if not self._asking:
                _let_go()
                self._limit = _controller().limit(limits=1, user_api="blas")
            self._asking += 1

    def end(self) -> None:
        with self._lock:
            self._asking -= 1
            if not self._asking and self._limit is not None:
                _let_go()
                self._limit.restore_original_limits()
                self._limit = None
                _let_go()


def _let_go() -> None:
    """Let this thread set the number: newer versions of threadpoolctl leave that to the thread that did so first."""
    release = getattr(OpenBLASController, "clear_controlling_thread", None)
    if release is not None:
        release(force=True)


_one_thread = _OneThread()


class _Choice(AbstractContextManager["_Choice"]):
    """The choice between one thread and all during a fit."""

    def __init__(
        self,
        deadline: Deadline | None,
        *,
        clock: Callable[[], float] = time.perf_counter,
        own_time: Callable[[], float] = time.thread_time,
        trial: Callable[[], object] | None = None,
    ) -> None:
        self.clock, self.own_time, self.trial = clock, own_time, trial
        self.single = True
        self.allowed = blas_threads()
        self.deadline = deadline if self.allowed > 1 else None  # None: nothing is tried
        self._since = self._now()
        self._until, self._patience = 0.0, _PATIENCE
        self._per_cube, self._lost = 0.0, 0.0
        self._limited = False
        self._token: Token[_Choice | None] | None = None

    def __enter__(self) -> _Choice:
        self._token = _current.set(self)
        self._limit(True)
        self._since = self._now()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._limit(False)
        if self._token is not None:
            _current.reset(self._token)

    def before(self, rows: int) -> None:
        """Take one thread for a small matrix, else what the last trial said; try both ways if it is time."""
        small = rows <= SINGLE_THREAD_ROWS
        if self.single and not small and self._has_time() and self._undisturbed() and self.clock() >= self._until:
            self._try_both()
        self._limit(self.single or small)

    def after(self, rows: int, seconds: float) -> None:
        """Give up all threads if they lose time against one."""
        if self._limited:
            return
        self._lost = max(0.0, self._lost + seconds - self._per_cube * float(rows) ** 3)
        if self._lost > _ALLOWANCE:
            self._give_up()
            self._limit(True)

    def _has_time(self) -> bool:
        return self.deadline is not None and self.deadline.left() > _TIME_FOR_TRIALS

    def _undisturbed(self) -> bool:
        """Return whether this thread had a processor to itself for a while."""
        (began, own_began), (now, own_now) = self._since, self._now()
        if now - began < _WHILE:
            return False
        self._since = now, own_now
        return own_now - own_began >= _UNDISTURBED * (now - began)

    def _now(self) -> tuple[float, float]:
        return self.clock(), self.own_time()

    def _try_both(self) -> None:
        factorise, one, all_threads = self.trial or _factorisation(_TRIAL_ROWS), [], []
        self._timed(factorise, to_one=True)  # touches the memory, which should not count
        for _ in range(_TRIALS):
            one.append(self._timed(factorise, to_one=True))
            all_threads.append(self._timed(factorise, to_one=False))
            if sum(all_threads) > _LOST * sum(one):
                break
        self.single = sum(all_threads) > _WORTH * sum(one)
        self._per_cube, self._lost = min(one) / float(_TRIAL_ROWS) ** 3, 0.0
        if self.single:
            self._give_up()

    def _give_up(self) -> None:
        self.single = True
        self._until, self._patience = self.clock() + self._patience, 2.0 * self._patience
        self._since = self._now()

    def _timed(self, factorise: Callable[[], object], *, to_one: bool) -> float:
        self._limit(to_one)
        began = self.clock()
        factorise()
        return self.clock() - began

    def _limit(self, to_one: bool) -> None:
        if to_one and not self._limited:
            _one_thread.begin()
        elif self._limited and not to_one:
            _one_thread.end()
        self._limited = to_one


_current: ContextVar[_Choice | None] = ContextVar("kernelect_blas_threads", default=None)


def blas_threads() -> int:
    """Return how many threads BLAS would use."""
    return max((pool["num_threads"] for pool in _controller().info() if pool["user_api"] == "blas"), default=1)


def _factorisation(rows: int) -> Callable[[], object]:
    """Return a factorisation to time; the identity is its own factor, so it can be repeated in place."""
    matrix = np.eye(rows, order="F")
    return lambda: lapack.dpotrf(matrix, lower=1, clean=0, overwrite_a=1)
