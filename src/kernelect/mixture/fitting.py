"""The loop that fits candidates: a race on a part of many rows, then each within its share of the time.

On landmarks a selection takes seconds, and most candidates end with little weight. So they are first fitted to a
part of the rows, by exact machines. Candidates that the others can do without leave. Those that stay begin on all rows
where they ended on the part, and have a few steps left.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs

from kernelect.mixture.bags import even_rows, numbered_classes
from kernelect.mixture.base import LEADER_SHARE, Member, MixtureCandidate, MixtureTask
from kernelect.numerics import Deadline, single_blas_thread

#: Rows from which candidates race, rows of the race, and those of every class among them at least.
RACE_FROM, RACE_ROWS, _LEAST_OF_CLASS = 2500, 1000, 5

#: Share of the time that is left for the race.
_RACING = 0.3

#: Which members of a race stay.
Stay = Callable[[Sequence[Member], MixtureTask], Sequence[Member]]


@dataclass(frozen=True, kw_only=True)
class Field:
    """Fitted members, and those that left after a part of the rows."""

    members: Sequence[Member]
    left: Sequence[Member] = ()


def fit_members(
    task: MixtureTask,
    candidates: Sequence[MixtureCandidate],
    deadline: Deadline,
    *,
    stay: Stay,
    n_jobs: int | None = None,
    observe: Callable[[Member], object] | None = None,
) -> Field:
    """Fit the candidates: the first goes the whole way, the others may follow its widths.

    Parameters
    ----------
    task : MixtureTask
    candidates : sequence of MixtureCandidate
    deadline : Deadline
        Candidates that it leaves no time for are not fitted, except for the first; each has its share of the
        time that is left, or as much as it needs at least.
    stay : callable
        Members of a race and its task -> those that go on.
    n_jobs : int, optional
        Followers at the same time.
    observe : callable, optional
        Called with every :class:`Member` when it is fitted.
    """
    part, racing = race_of(task), [each for each in candidates if each.races]
    if part is None or len(racing) < 2 or not candidates[0].races:
        return Field(members=_Fitting(task, deadline, n_jobs, observe).members(candidates))
    raced = _Fitting(part, deadline.part(_RACING), n_jobs).members(racing)
    begun = {member.candidate: member for member in stay(raced, part)}
    left = [replace(each, status=f"left after {len(part.Z)} rows") for each in raced if each.candidate not in begun]
    finalists = [each for each in candidates if each in begun or not each.races]
    return Field(members=_Fitting(task, deadline, n_jobs, observe, begun).members(finalists), left=left)


def race_of(task: MixtureTask) -> MixtureTask | None:
    """Return the task of a race, None if there is none: rows are few or in groups, or a class is rare."""
    if task.n_rows < RACE_FROM or task.groups is not None or task.partly:
        return None
    y, kept, n_classes = task.y, task.weights > 0, task.n_classes
    if n_classes is not None:
        y = numbered_classes(task.Z[kept], y[kept], n_classes)[y]
    part = task.on_rows(even_rows(np.column_stack([task.Z, y, task.weights]), task.weights, RACE_ROWS, None))
    rare = n_classes is not None and np.bincount(part.y, minlength=n_classes).min() < _LEAST_OF_CLASS
    return None if rare else part


@dataclass(frozen=True)
class _Fitting:
    """Fits of candidates to one task; ``begun`` are those that were fitted to a part of its rows."""

    task: MixtureTask
    deadline: Deadline
    n_jobs: int | None
    observe: Callable[[Member], object] | None = None
    begun: Mapping[MixtureCandidate, Member] = field(default_factory=dict)

    def members(self, candidates: Sequence[MixtureCandidate]) -> list[Member]:
        """Return the candidates that there is time for, fitted."""
        leader = self._fitted(candidates[0], replace(self.task, deadline=self.deadline.part(LEADER_SHARE)))
        led, rest, deadline = replace(self.task, leader=leader), candidates[1:], self.deadline

        def follow(place: int, candidate: MixtureCandidate) -> Member | None:
            needed = candidate.seconds(self.task)
            if deadline.passed or needed > deadline.left():
                return None
            share = deadline.part(1.0 / (len(rest) - place))
            share = share if share.left() >= needed else Deadline.after(needed)
            return self._fitted(candidate, replace(led, deadline=share))

        # How many threads BLAS uses is one setting of the process: fits at the same time would change it mutually.
        with single_blas_thread() if effective_n_jobs(self.n_jobs) > 1 else nullcontext():
            found = Parallel(n_jobs=self.n_jobs, prefer="threads")(delayed(follow)(*each) for each in enumerate(rest))
        return [leader, *(member for member in found if member is not None)]

    def _fitted(self, candidate: MixtureCandidate, task: MixtureTask) -> Member:
        began, before = time.monotonic(), self.begun.get(candidate)
        member = candidate.fit(replace(task, begun=before))
        spent = 0.0 if before is None else before.seconds
        member = replace(member, seconds=time.monotonic() - began + spent)
        if self.observe is not None:
            self.observe(member)
        return member


def progress_of(verbose: object, total: int, judge: Callable[[Member], float]) -> Callable[[Member], None] | None:
    """Return what is called with every fitted member: it passes the member on, judged, or writes a line about it.

    That is ``verbose`` itself if it is callable, and a line on standard error if it is true; nothing otherwise.
    """
    if not verbose:
        return None
    count = iter(range(1, total + 1))

    def write(member: Member) -> None:
        sys.stderr.write(f"[{next(count)}/{total}] {member.candidate}: {member.seconds:.1f} s, {member.in_words}\n")

    told = verbose if callable(verbose) else write
    return lambda member: told(replace(member, of=total, loss=judge(member)))
