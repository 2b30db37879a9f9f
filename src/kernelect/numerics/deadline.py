"""The only clock of a fit: when its time is up, and how to stop then.

A deadline is made once, where ``time_limit`` is read, and passed to everything that takes time. Work
that can stop with a partial result reads :attr:`Deadline.passed`. Work that has no result before its
end calls :meth:`Deadline.check`; a caller that has a result catches its
:class:`~kernelect.exceptions.OutOfTime`. Deep inside an evaluation, where no deadline is passed in,
:func:`check_time` and :func:`time_is_up` use the one that the search watches. Every factorisation
does this, so sweeps, solutions and retrainings of all machines can end in the middle of an
evaluation.

>>> Deadline.after(None).left()
inf
>>> Deadline.after(0.0).passed
True
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from kernelect.exceptions import OutOfTime


@dataclass(frozen=True)
class Deadline:
    """A moment on the monotonic clock.

    It has no state, so threads can share it. A copy sent to another process keeps the seconds that
    are left, because the clocks of two machines are unrelated.

    Attributes
    ----------
    at : float
        Value of ``clock()`` after which time is up.
    clock : callable
        ``time.monotonic``; tests use their own clock.
    """

    at: float = float("inf")
    clock: Callable[[], float] | None = None

    @classmethod
    def after(cls, seconds: float | None) -> Deadline:
        """Return the deadline that many seconds from now; ``None`` means never."""
        return cls() if seconds is None else cls(time.monotonic() + float(seconds))

    def left(self) -> float:
        """Return the seconds that are left, 0 if time is up."""
        return max(self.at - self._now(), 0.0) if self.at < float("inf") else float("inf")

    @property
    def passed(self) -> bool:
        """Whether time is up."""
        return self.at < float("inf") and self._now() >= self.at

    def check(self) -> None:
        """Raise :class:`~kernelect.exceptions.OutOfTime` if time is up."""
        if self.passed:
            raise OutOfTime

    def part(self, share: float) -> Deadline:
        """Return the deadline after ``share`` of the time that is left now."""
        return self if self.at == float("inf") else Deadline(self._now() + share * self.left(), self.clock)

    def earlier(self, seconds: float) -> Deadline:
        """Return the deadline that many seconds before this one, which leaves time for later work."""
        return self if self.at == float("inf") else Deadline(self.at - seconds, self.clock)

    @contextmanager
    def watched(self, *, firmly: bool = True) -> Iterator[None]:
        """Make this the deadline that work inside the context watches.

        With ``firmly``, :func:`check_time` raises when it has passed. Otherwise there is no result yet, and only
        :func:`time_is_up` reports it, to work that can stop early. If an outer context watches an earlier
        deadline, that one stays.
        """
        around = _watched.get()
        token = _watched.set(around if around[0].at < self.at else (self, firmly))
        try:
            yield
        finally:
            _watched.reset(token)

    def _now(self) -> float:
        return time.monotonic() if self.clock is None else self.clock()

    def __reduce__(self) -> tuple[Any, ...]:
        return Deadline.after, (None if self.at == float("inf") else self.left(),)


#: A deadline that never comes.
NEVER = Deadline()

_watched: ContextVar[tuple[Deadline, bool]] = ContextVar("kernelect_deadline", default=(NEVER, False))


def check_time() -> None:
    """Raise :class:`~kernelect.exceptions.OutOfTime` if the deadline that is watched firmly has passed."""
    deadline, firmly = _watched.get()
    if firmly:
        deadline.check()


def time_is_up() -> bool:
    """Return whether the deadline that is watched has passed."""
    return watched_deadline().passed


def watched_deadline() -> Deadline:
    """Return the deadline that is watched, for optional work, which then watches the same one firmly."""
    return _watched.get()[0]
