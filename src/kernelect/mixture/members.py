"""Members of a mixture: candidates fitted on their view, with what each says of rows left out."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs

from kernelect.criteria.calibration import probabilities
from kernelect.estimators import GPC, LSSVC, LSSVR, LabelledTraining, Training, in_time
from kernelect.inputs import Coding, Warp
from kernelect.machines import EP, LSSVM
from kernelect.mixture.boosting import ROUNDS, Boosting, least_seconds
from kernelect.mixture.candidates import (
    AS_IS,
    BOOSTING,
    FOREST,
    GP,
    PARTITIONS,
    WARPED,
    Candidate,
    estimator_of,
    kernel_of,
)
from kernelect.mixture.forest import TREES, Forest
from kernelect.mixture.logistic import Labelled, refitted_by_log_loss
from kernelect.numerics import Deadline, single_blas_thread
from kernelect.registry import stored
from kernelect.selection import Lead, Pace, relative_widths
from kernelect.selection.landmarks import as_request
from kernelect.typing import Array, Indices

#: Iterations of candidates that follow the leader's widths.
FOLLOWING = {"fast": 8, "balanced": 10, "best": 30}

#: Their iterations on all rows, once a part has led close; and of posteriors with one latent function per class.
_LAST_STEPS, _LAST_STEPS_OF_MANY = 3, 1

#: Inputs from which one width serves all, and kernels whose cost grows with every input are not tried.
MOST_WIDTHS = 200
_CHEAP = {"product-laplace": "ard", "product-matern32": "ard", "matern32-ard": "ard", "rational-quadratic-ard": "ard"}

#: Rows up to which the Gaussian process takes part: expectation propagation costs n^3 some fifteen times a step, and
#: that for each class where there are several. So many classes may have all these rows; more of them, fewer rows. On
#: three tables with 1800 rows of four to seven classes it took most of the time; without it the log-loss was 5 % lower,
#: level and 7 % higher.
MOST_GP_ROWS, _MOST_GP_CLASSES = 2000, 3

#: Rows up to which trees take part: what they say of all of them has to be found.
MOST_TREE_ROWS = 200_000

#: Rows from which boosted trees take part: with 300 to 800 errors hardly change (33 tables).
LEAST_BOOSTED_ROWS = 1000

#: Classes up to which they do, because every round has a tree for each; and no more than one target.
MOST_BOOSTED_CLASSES = 12

#: Iterations of candidates with one width: a size or two, a ridge and a scale.
_TIED_ITERATIONS = 50

#: Share of a candidate's time for least squares where logistic regression refits its coefficients.
_SEARCHING = 0.85

#: Share of the time that is left that the leader may take.
_LEADER_SHARE = 0.5


@stored
@dataclass(frozen=True)
class Views:
    """The inputs as they are, and warped."""

    coding: Coding
    warp: Warp

    def __call__(self, name: str, Z: Array) -> Array:
        """Return the view of coded rows that has this name."""
        return self.warp(Z) if name == WARPED else Z


@stored
@dataclass(frozen=True, kw_only=True)
class Member:
    """A fitted candidate: its estimator, and probabilities or predictions (n, k) of rows left out.

    ``shape`` holds the logarithms of its widths in units of the data's own scale, with mean 0.
    """

    candidate: Candidate
    estimator: Any  # LSSVC, LSSVR, GPC, Forest or Boosting
    left_out: Array
    shape: Array
    seconds: float
    n_evaluations: int = 0

    @property
    def status(self) -> str:
        """How its selection ended."""
        boxes = self.candidate.machine in PARTITIONS
        return str(self.estimator.status if boxes else self.estimator.selection_.status)


@dataclass(frozen=True, kw_only=True)
class Task:
    """What all candidates are fitted on."""

    views: Views
    Z: Array  # (n, d) coded rows
    y: Any
    weights: Array
    groups: Indices | None
    labels: bool
    effort: str
    options: dict[str, Any]
    pace: Pace | None = None  # where time is limited and machines are exact

    def in_time(self, deadline: Deadline) -> Task:
        """Return the task on the rows that the leader has time for: all members speak of the same ones.

        Machines on landmarks take their time by themselves, and all rows.
        """
        kept, n_inputs = self.weights > 0, self.Z.shape[1]
        exact = as_request("auto", int(kept.sum()), n_inputs) is None
        if not exact or not np.isfinite(deadline.left()):
            return self
        targets = np.zeros((len(self.Z), self.n_outputs))
        data = Training(X=self.Z, targets=targets, weights=self.weights, kept=kept, groups=self.groups)
        if self.labels:
            classes, index = np.unique(self.y, return_inverse=True)
            data = LabelledTraining(**vars(data), classes=classes, index=index)
        timed = in_time(data, LSSVM(), deadline.part(_LEADER_SHARE))
        return replace(self, weights=np.where(timed.data.kept, self.weights, 0.0), pace=Pace.measured())

    @property
    def refits(self) -> bool:
        """Whether logistic regression refits the coefficients of machines: those of labels on landmarks.

        Not where groups are left out: among few of them the better of two machines is too often so by chance (twenty
        groups: the log-loss of rows left out falls by 0.03, that of new ones rises by 0.06).
        """
        request = as_request("auto", self.n_rows, self.Z.shape[1])
        return self.labels and self.groups is None and request is not None

    @property
    def n_rows(self) -> int:
        """Rows of positive weight."""
        return int(np.sum(self.weights > 0))

    @property
    def n_outputs(self) -> int:
        """Machines of one output each that a candidate consists of."""
        if not self.labels:
            return int(np.reshape(self.y, (len(self.y), -1)).shape[1])
        n_classes = len(np.unique(self.y))
        return 1 if n_classes == 2 else n_classes

    def seconds(self, candidate: Candidate) -> float:
        """Return how long a candidate takes at least, about; 0 for machines where time is not limited, and forests."""
        if candidate.machine == BOOSTING:
            return least_seconds(len(self.Z), self.Z.shape[1], self.n_outputs)
        if self.pace is None or candidate.machine == FOREST:
            return 0.0
        machine = EP() if candidate.machine == GP else LSSVM()
        return self.pace.fit_seconds(machine, float(self.n_rows), self.n_outputs)

    def fit(self, candidate: Candidate, lead: Lead | None, deadline: Deadline) -> Member:
        """Fit one candidate that selects a kernel's parameters."""
        began, coding = time.monotonic(), self.views.coding
        kernel = kernel_of(candidate.kernel, coding.numeric, coding.categorical)
        searching = deadline.part(_SEARCHING) if self.refits else deadline
        left = None if searching.left() == float("inf") else searching.left()
        estimator = estimator_of(candidate, kernel, labels=self.labels, time_limit=left, **self.options)
        V = self.views(candidate.view, self.Z)
        given = () if self.groups is None else (self.groups,)
        # Quietly: every status is in the record of candidates.
        estimator._fit_anew(V, self.y, self.weights, *given, lead=lead, whole=True, quiet=True)
        if self.refits and isinstance(estimator, LSSVC):
            data = Labelled(V=V, index=self.y, weights=self.weights)
            estimator = refitted_by_log_loss(estimator, data, deadline, self.options["random_state"])
        shape = relative_widths(estimator.kernel.space(V[estimator._rows]), estimator.kernel_.theta)
        evaluations = int(estimator.selection_.n_evaluations)
        return Member(
            candidate=candidate,
            estimator=estimator,
            left_out=left_out(estimator),
            shape=shape,
            seconds=time.monotonic() - began,
            n_evaluations=evaluations,
        )

    def grow(self, candidate: Candidate, interval_rows: Indices | None, deadline: Deadline) -> Member:
        """Fit a forest or boosted trees, which select no kernel: trees that have not seen a row speak of it."""
        began, coding = time.monotonic(), self.views.coding
        n_classes = int(self.y.max()) + 1 if self.labels else None
        seed = self.options["random_state"]
        forest = candidate.machine == FOREST
        trees = (
            Forest(TREES[self.effort], seed, n_classes) if forest else Boosting(ROUNDS[self.effort], seed, n_classes)
        )
        said = trees.fit(
            self.views(candidate.view, self.Z),
            self.y,
            self.weights,
            numeric=coding.numeric,
            categorical=coding.categorical,
            groups=self.groups,
            deadline=deadline,
            interval_rows=interval_rows,
        )
        return Member(
            candidate=candidate, estimator=trees, left_out=said, shape=np.zeros(0), seconds=time.monotonic() - began
        )

    def lead(self, candidate: Candidate, shape: Array) -> Lead:
        """Return how a candidate follows relative widths, or keeps them in proportion to the data's own scale."""
        many = candidate.machine == GP and self.n_outputs > 1
        last_steps = _LAST_STEPS_OF_MANY if many else _LAST_STEPS
        if candidate.tied:
            shape = np.zeros(self.Z.shape[1])
            return Lead(shape=shape, max_iter=_TIED_ITERATIONS, tied=True, last_steps=last_steps)
        return Lead(shape=shape, max_iter=FOLLOWING[self.effort], last_steps=last_steps)


def left_out(estimator: LSSVC | LSSVR | GPC) -> Array:
    """Return class probabilities, or predictions (n, k), of every row by a machine without it."""
    if isinstance(estimator, GPC):
        return estimator.loo_proba_
    if isinstance(estimator, LSSVC):
        return probabilities(estimator.loo_decision_, estimator._inverse_temperature)
    return estimator.loo_prediction_.reshape(len(estimator.loo_prediction_), -1)


def posteriors_take_part(n_rows: int, n_outputs: int, *, grouped: bool) -> bool:
    """Return whether Gaussian processes are among the candidates for labels.

    Their cavities leave out single rows, so that they take no part where groups are left out.
    """
    return max(n_outputs, _MOST_GP_CLASSES) * n_rows**3 <= _MOST_GP_CLASSES * MOST_GP_ROWS**3 and not grouped


def boosting_takes_part(task: Task) -> bool:
    """Return whether boosted trees are among the candidates."""
    most = MOST_BOOSTED_CLASSES if task.labels else 1
    return task.n_rows >= LEAST_BOOSTED_ROWS and task.n_outputs <= most


def useful(candidates: Sequence[Candidate], task: Task) -> tuple[Candidate, ...]:
    """Return the candidates that differ on these inputs, and that so many rows and outputs allow."""
    views, few = task.views, len(task.Z) <= MOST_TREE_ROWS
    kept: dict[Candidate, None] = {}
    for candidate in candidates:
        if candidate.machine in PARTITIONS:
            if few and (candidate.machine == FOREST or boosting_takes_part(task)):
                kept[candidate] = None
            continue
        if candidate.view == WARPED and not len(views.warp.warped):
            candidate = replace(candidate, view=AS_IS)
        if candidate.kernel != "linear" and not len(views.coding.numeric):  # all are that of the categories
            candidate = replace(candidate, kernel="category")
        if candidate.kernel != "linear" and len(views.coding) > MOST_WIDTHS:
            candidate = replace(candidate, kernel=_CHEAP.get(candidate.kernel, candidate.kernel), tied=True)
        kept[candidate] = None
    return tuple(kept)


def fit_members(
    task: Task,
    candidates: Sequence[Candidate],
    deadline: Deadline,
    *,
    n_jobs: int | None = None,
    observe: Any = None,
) -> list[Member]:
    """Fit the candidates: the first goes the whole way, the others follow its widths.

    Parameters
    ----------
    task : Task
    candidates : sequence of Candidate
    deadline : Deadline
        Candidates that it leaves no time for are not fitted, except for the first; each has its share of the
        time that is left, or as much as it needs at least.
    n_jobs : int, optional
        Followers at the same time.
    observe : callable, optional
        Called with every :class:`Member` when it is fitted.
    """
    first = candidates[0]
    leader = task.fit(first, task.lead(first, np.zeros(0)) if first.tied else None, deadline.part(_LEADER_SHARE))
    members = [leader]
    if observe is not None:
        observe(leader)
    rest = candidates[1:]

    def follow(place: int, candidate: Candidate) -> Member | None:
        needed = task.seconds(candidate)
        if deadline.passed or needed > deadline.left():
            return None
        share = deadline.part(1.0 / (len(rest) - place))
        share = share if share.left() >= needed else Deadline.after(needed)
        if candidate.machine in PARTITIONS:
            member = task.grow(candidate, None if task.labels else leader.estimator._jackknife_rows, share)
        else:
            member = task.fit(candidate, task.lead(candidate, leader.shape), share)
        if observe is not None:
            observe(member)
        return member

    # How many threads BLAS uses is one setting of the process: fits at the same time would change it for each other.
    with single_blas_thread() if effective_n_jobs(n_jobs) > 1 else nullcontext():
        found = Parallel(n_jobs=n_jobs, prefer="threads")(delayed(follow)(*each) for each in enumerate(rest))
    return [*members, *(member for member in found if member is not None)]
