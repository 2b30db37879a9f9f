"""How many rows there is time for.

A machine on n rows costs n^3, and a solution that has begun cannot be finished in half the time. So
before a fit with a time limit begins, one small factorisation measures how fast this computer is at the
moment, and the machine estimates the work of a solution. If a few solutions on all rows would take
longer than the limit, the fit uses fewer rows, and its status reports it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import lapack

from kernelect.machines import Machine
from kernelect.numerics import Deadline, single_blas_thread

#: Rows of the factorisation that is timed, and how often: the middle one counts.
_TRIAL_ROWS, _TRIALS = 400, 3

#: Evaluations on all rows that have to fit in: a first one, the model itself, and what is made of it.
_EVALUATIONS = 3.0

#: Share of the time that is left which they may take by their estimate: other work may come in between.
_SHARE = 0.7

#: Fewest rows of a fit, however little time there is.
LEAST_ROWS = 100


@dataclass(frozen=True)
class Pace:
    """How fast this computer is at the moment: operations per second."""

    rate: float

    @classmethod
    def measured(cls, clock: Callable[[], float] = time.perf_counter) -> Pace:
        """Return the pace of a small Cholesky factorisation with one thread."""
        seconds = []
        with single_blas_thread():  # several wait for each other on a busy machine
            for _ in range(_TRIALS):
                matrix = np.eye(_TRIAL_ROWS, order="F")
                began = clock()
                lapack.dpotrf(matrix, lower=1, clean=0, overwrite_a=1)
                seconds.append(clock() - began)
        return cls(_TRIAL_ROWS**3 / 3.0 / max(float(np.median(seconds)), 1e-9))

    def seconds(self, machine: Machine[Any], n_rows: float, n_outputs: int) -> float:
        """Return roughly how long a value and its gradient take."""
        return machine.work(n_rows, n_outputs) / self.rate

    def fit_seconds(self, machine: Machine[Any], n_rows: float, n_outputs: int) -> float:
        """Return the least time that a fit takes, with room for other work."""
        return _EVALUATIONS / _SHARE * self.seconds(machine, n_rows, n_outputs)


def rows_in_time(
    machine: Machine[Any], n_rows: int, n_outputs: int, deadline: Deadline, pace: Pace, *, spreads: bool = False
) -> int:
    """Return how many of ``n_rows`` rows a fit has time for, :data:`LEAST_ROWS` at least.

    ``spreads`` is true if the other rows are predicted with their variance, which costs n^2 each.
    """

    def seconds(count: int) -> float:
        others = 2.0 * n_outputs * count**2 * (n_rows - count) / pace.rate if spreads else 0.0
        return pace.fit_seconds(machine, count, n_outputs) + others

    left, fewer, more = deadline.left(), 0, n_rows + 1
    while more - fewer > 1:
        middle = (fewer + more) // 2
        fewer, more = (middle, more) if seconds(middle) <= left else (fewer, middle)
    return max(fewer, min(LEAST_ROWS, n_rows))
