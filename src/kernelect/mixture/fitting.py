"""The loop that fits candidates: a race on a part of many rows, then each within its share of the time.

On many rows a selection takes seconds, and most candidates end with little weight. So they are first fitted to a
part of the rows, by exact machines. Candidates that the others can do without leave. Those that stay begin on all rows
where they ended on the part, with the curvature that they learned there, and have a few steps left.
"""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs

from kernelect.mixture.bags import even_rows, numbered_classes
from kernelect.mixture.base import LEADER_SHARE, ORDER, Member, MixtureCandidate, MixtureTask
from kernelect.numerics import Deadline, single_blas_thread

#: Rows from which candidates race, the share of them that the race has, its most rows, and those of every class among
#: them at least.
RACE_FROM, RACE_SHARE, RACE_ROWS, _LEAST_OF_CLASS = 700, 0.4, 600, 3

#: Rows from which those that stay race once more, and the rows of that race: on landmarks, whose number decides what a
#: fit to all rows costs. The first one and a straight line stay anyway: with them alone there is nothing to decide.
SECOND_FROM, SECOND_ROWS, _TO_RACE_AGAIN = 6000, 3000, 3

#: Share of the time that is left for the race.
_RACING = 0.3

#: Which members of a race stay.
Stay = Callable[[Sequence[Member], MixtureTask], Sequence[Member]]


@dataclass(frozen=True, kw_only=True)
class Left:
    """A candidate that a race has ended for."""

    candidate: MixtureCandidate
    seconds: float
    status: str


@dataclass(frozen=True, kw_only=True)
class Field:
    """Fitted members, and candidates that left after a part of the rows."""

    members: Sequence[Member]
    left: Sequence[Left] = ()


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
    left, begun = list[Left](), dict[MixtureCandidate, Member]()
    for part in races_of(task):
        racing = [each for each in candidates if each.races]
        if len(racing) < (_TO_RACE_AGAIN if begun else 2) or not candidates[0].races:
            break
        racers = _Fitting(part, deadline.part(_RACING), n_jobs, begun=begun).members(racing)
        raced = {each.candidate: each for each in racers}
        begun = {member.candidate: member for member in stay(racers, part)}
        finalists = [each for each in candidates if each.stays(raced, begun)]
        gone = [each for each in candidates if each not in finalists and (each in raced or not each.races)]
        left += [_left_after(len(part.Z), each, raced) for each in gone]
        candidates = finalists
    return Field(members=_Fitting(task, deadline, n_jobs, observe, begun).members(candidates), left=left)


def _left_after(rows: int, candidate: MixtureCandidate, raced: Mapping[MixtureCandidate, Member]) -> Left:
    with_forest = "" if candidate in raced else ", with the forest"
    seconds = raced[candidate].seconds if candidate in raced else 0.0
    return Left(candidate=candidate, seconds=seconds, status=f"left after {rows} rows{with_forest}")


def races_of(task: MixtureTask) -> Iterator[MixtureTask]:
    """Yield the tasks of the races, one after the other on more rows.

    There is none if rows are few or in groups, or a class is rare.
    """
    if task.n_rows < RACE_FROM or task.groups is not None or task.partly or task.situation == ORDER:
        return
    y, kept, n_classes = task.y, task.weights > 0, task.n_classes
    if n_classes is not None:
        y = numbered_classes(task.Z[kept], y[kept], n_classes)[y]
    table = np.column_stack([task.Z, y, task.weights])
    counts = [min(int(RACE_SHARE * task.n_rows), RACE_ROWS)]
    if task.n_rows >= SECOND_FROM:
        counts.append(SECOND_ROWS)
    for count in counts:
        part = replace(task.on_rows(even_rows(table, task.weights, count, None)), racing=task.n_rows)
        if n_classes is not None and np.bincount(part.y, minlength=n_classes).min() < _LEAST_OF_CLASS:
            return
        yield part


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
        count = len(candidates)
        leader = self._fitted(candidates[0], replace(self.task, deadline=self.deadline.part(LEADER_SHARE)), count)
        led, rest, deadline = replace(self.task, leader=leader), candidates[1:], self.deadline

        def follow(place: int, candidate: MixtureCandidate) -> Member | None:
            needed = candidate.seconds(self.task)
            if deadline.passed or needed > deadline.left():
                return None
            share = deadline.part(1.0 / (len(rest) - place))
            share = share if share.left() >= needed else Deadline.after(needed)
            return self._fitted(candidate, replace(led, deadline=share), count)

        # How many threads BLAS uses is one setting of the process: fits at the same time would change it mutually.
        with single_blas_thread() if effective_n_jobs(self.n_jobs) > 1 else nullcontext():
            found = Parallel(n_jobs=self.n_jobs, prefer="threads")(delayed(follow)(*each) for each in enumerate(rest))
        return [leader, *(member for member in found if member is not None)]

    def _fitted(self, candidate: MixtureCandidate, task: MixtureTask, count: int) -> Member:
        began, before = time.monotonic(), self.begun.get(candidate)
        member = candidate.fit(replace(task, begun=before))
        spent = 0.0 if before is None else before.seconds
        member = replace(member, seconds=time.monotonic() - began + spent, of=count)
        if self.observe is not None:
            self.observe(member)
        return member


def progress_of(
    verbose: object, judge: Callable[[Member], float], words: Callable[[float], str]
) -> Callable[[Member], None] | None:
    """Return what is called with every fitted member: it passes the member on, judged, or writes a line about it.

    That is ``verbose`` itself if it is callable, and a line on standard error if it is true; nothing otherwise.
    ``judge`` gives the loss of a member alone, and ``words`` how that reads.
    """
    if not verbose:
        return None
    numbers = itertools.count(1)

    def write(member: Member) -> None:
        sys.stderr.write(
            f"[{next(numbers)}/{member.of}] {member.candidate}: {member.seconds:.1f} s, {member.in_words}\n"
        )

    told = verbose if callable(verbose) else write

    def judged(member: Member) -> None:
        loss = judge(member)
        told(replace(member, loss=loss, score=words(loss)))

    return judged
