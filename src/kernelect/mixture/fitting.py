"""The loop that fits candidates, each within its share of the time."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace

from joblib import Parallel, delayed, effective_n_jobs

from kernelect.mixture.base import LEADER_SHARE, Member, MixtureCandidate, MixtureTask
from kernelect.numerics import Deadline, single_blas_thread


def fit_members(
    task: MixtureTask,
    candidates: Sequence[MixtureCandidate],
    deadline: Deadline,
    *,
    n_jobs: int | None = None,
    observe: Callable[[Member], object] | None = None,
) -> list[Member]:
    """Fit the candidates: the first goes the whole way, the others may follow its widths.

    Parameters
    ----------
    task : MixtureTask
    candidates : sequence of MixtureCandidate
    deadline : Deadline
        Candidates that it leaves no time for are not fitted, except for the first; each has its share of the
        time that is left, or as much as it needs at least.
    n_jobs : int, optional
        Followers at the same time.
    observe : callable, optional
        Called with every :class:`Member` when it is fitted.
    """
    leader = _fitted(candidates[0], replace(task, deadline=deadline.part(LEADER_SHARE)), observe)
    led, rest = replace(task, leader=leader), candidates[1:]

    def follow(place: int, candidate: MixtureCandidate) -> Member | None:
        needed = candidate.seconds(task)
        if deadline.passed or needed > deadline.left():
            return None
        share = deadline.part(1.0 / (len(rest) - place))
        share = share if share.left() >= needed else Deadline.after(needed)
        return _fitted(candidate, replace(led, deadline=share), observe)

    # How many threads BLAS uses is one setting of the process: fits at the same time would change it for each other.
    with single_blas_thread() if effective_n_jobs(n_jobs) > 1 else nullcontext():
        found = Parallel(n_jobs=n_jobs, prefer="threads")(delayed(follow)(*each) for each in enumerate(rest))
    return [leader, *(member for member in found if member is not None)]


def _fitted(candidate: MixtureCandidate, task: MixtureTask, observe: Callable[[Member], object] | None) -> Member:
    began = time.monotonic()
    member = replace(candidate.fit(task), seconds=time.monotonic() - began)
    if observe is not None:
        observe(member)
    return member
