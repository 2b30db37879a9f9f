"""The number of threads that BLAS may use: one or all, whichever is faster at the moment.

On a quiet machine a second thread helps from a few hundred rows on. On a busy one it hurts: BLAS
threads wait for each other by spinning, and a fit of 0.2 s was measured at 30 s. The number of rows
does not tell the two cases apart. So a factorisation of the fit's size is timed both ways at the
start, and again from time to time, because other programs come and go.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, nullcontext
from contextvars import ContextVar, Token
from functools import cache
from types import TracebackType
from typing import Any

import numpy as np
from scipy.linalg import lapack
from threadpoolctl import ThreadpoolController

from kernelect.numerics.deadline import NEVER, Deadline

#: Rows up to which one thread is taken without a trial: a second one gains nothing.
SINGLE_THREAD_ROWS = 300

#: Rows of a trial at most: enough to tell the two ways apart, and on a busy machine a trial of
#: all threads may take many times as long as it should.
_TRIAL_ROWS = 600

#: Trials that all threads have to win. On a busy machine one may fall into a moment in which nobody else works.
_TRIALS = 3

#: Seconds that a fit has left, at least, if it is to try both ways.
_TIME_FOR_TRIALS = 5.0

#: A second thread has to save this share of the time, or it is not worth its risk.
_WORTH = 0.9

#: Seconds between trials at least, and how many times longer than a trial the work between two of them lasts.
_PATIENCE, _SHARE = 2.0, 100.0


@cache
def _controller() -> Any:
    return ThreadpoolController()


def blas_threads_for(n_rows: int, deadline: Deadline = NEVER) -> AbstractContextManager[Any]:
    """Return a context with the best number of threads for matrices of ``n_rows`` rows.

    Inside, :func:`look_again` tries again from time to time. A context inside another leaves the
    choice to the outer one. A few seconds before a deadline there is no trial, only one thread.
    """
    if _current.get() is not None:
        return nullcontext()
    return _Choice(n_rows) if deadline.left() > _TIME_FOR_TRIALS else _Choice(0)


def single_blas_thread() -> AbstractContextManager[Any]:
    """Return a context in which BLAS uses one thread, for callers that run their own threads."""
    limits: AbstractContextManager[Any] = _controller().limit(limits=1, user_api="blas")
    return limits


def allowed_threads() -> int:
    """Return how many threads the user allows BLAS, whatever the choice is at the moment."""
    choice = _current.get()
    return blas_threads() if choice is None else choice.allowed


def look_again() -> None:
    """Try both ways once more if the last trial is a while ago; called where a factorisation begins."""
    choice = _current.get()
    if choice is not None:
        choice.look_again()


class _Choice(AbstractContextManager["_Choice"]):
    """The choice between one thread and all, for one size of matrices."""

    def __init__(
        self, n_rows: int, clock: Callable[[], float] = time.perf_counter, trial: Callable[[int], None] | None = None
    ) -> None:
        self.n_rows, self.clock, self.trial = n_rows, clock, trial or _factorise_once
        self.single = True
        self.allowed = blas_threads()
        self._until = float("inf")
        self._limits = ExitStack()
        self._token: Token[_Choice | None] | None = None

    def __enter__(self) -> _Choice:
        self._token = _current.set(self)
        if self.n_rows <= SINGLE_THREAD_ROWS:
            self._limit_to_one()
        elif self.allowed > 1:
            self._try_both()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._limits.close()
        if self._token is not None:
            _current.reset(self._token)

    def look_again(self) -> None:
        """Try both ways if the last trial is a while ago."""
        if self.clock() >= self._until:
            self._try_both()

    def _try_both(self) -> None:
        began = self.clock()
        self.single = not all(self._all_win() for _ in range(_TRIALS))
        if not self.single:
            self._limits.close()
        now = self.clock()
        self._until = now + max(_PATIENCE, _SHARE * (now - began))

    def _all_win(self) -> bool:
        """Return whether all threads are faster this time; afterwards there is one."""
        self._limits.close()
        rows = min(self.n_rows, _TRIAL_ROWS)
        all_threads = self._timed(rows)
        self._limit_to_one()
        return all_threads <= _WORTH * self._timed(rows)

    def _timed(self, rows: int) -> float:
        began = self.clock()
        self.trial(rows)
        return self.clock() - began

    def _limit_to_one(self) -> None:
        self._limits.enter_context(_controller().limit(limits=1, user_api="blas"))


_current: ContextVar[_Choice | None] = ContextVar("kernelect_blas_threads", default=None)


def blas_threads() -> int:
    """Return how many threads BLAS would use."""
    return max((pool["num_threads"] for pool in _controller().info() if pool["user_api"] == "blas"), default=1)


def _factorise_once(rows: int) -> None:
    lapack.dpotrf(np.eye(rows, order="F"), lower=1, clean=0, overwrite_a=1)
