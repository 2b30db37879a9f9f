"""Contracts of a mixture: a candidate is fitted on a task and becomes a member.

A candidate is an object with three methods: whether it takes part in a task, how long it takes at least, and ``fit``.
The loop that fits candidates (``mixture/fitting.py``), weights, displays and files know nothing else of it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from kernelect.estimators import Estimator, LabelledTraining, Training, fit_led
from kernelect.inputs import Coding, Warp
from kernelect.machines import LSSVM
from kernelect.mixture.elsewhere import RowsElsewhere
from kernelect.mixture.words import AS_IS, WARPED, candidate_words
from kernelect.model import AS_GIVEN, Component, ForeignPart, Given, Jackknife, PlainJackknife, TargetScale, View
from kernelect.numerics import NEVER, Deadline
from kernelect.registry import Registry
from kernelect.results import Reached, Status
from kernelect.selection import Lead, Pace
from kernelect.selection.landmarks import as_request
from kernelect.typing import Array, Indices

#: What is learned: numbers (or labels for which posteriors take too long), labels, labels on landmarks, labels with
#: an order, for which one latent function serves all classes.
NUMBERS, LABELS, LANDMARKS, ORDER = "numbers", "labels", "labels on landmarks", "ordered labels"

#: Targets that are known in part: times until an event, and numbers of which some are limits.
TIMES, LIMITS = "times until an event", "limits"

#: Share of the time that is left that the leader may take.
LEADER_SHARE = 0.5

#: Rows up to which the Gaussian process takes part: expectation propagation costs n^3 some fifteen times a step, and
#: that for each class if there are several. So many classes may have all these rows; more of them, fewer rows. On
#: three tables with 1800 rows of four to seven classes it took most of the time; without it the log-loss was 5 % lower,
#: level and 7 % higher.
MOST_GP_ROWS, _MOST_GP_CLASSES = 2000, 3


@dataclass(frozen=True)
class Views:
    """The inputs as they are, and warped."""

    coding: Coding
    warp: Warp

    def __call__(self, name: str, Z: Array) -> Array:
        """Return the view of coded rows that has this name."""
        return self.warp(Z) if name == WARPED else Z


class MixtureCandidate(ABC):
    """One way to predict, not fitted yet.

    A candidate is a frozen dataclass. Two candidates are the same if they are equal; of equal ones only the first is
    fitted. ``view``, ``kernel`` and ``machine`` are what ``candidates_`` displays.
    """

    view: str = AS_IS
    kernel: str
    machine: ClassVar[str]
    tied: bool = False  # whether all widths are in proportion to the data's own scale

    #: Whether other candidates may follow the widths that it selects; the first such candidate is fitted first.
    leads: ClassVar[bool] = False

    #: Whether a fit to a part of the rows tells whether it is worth one to all of them, and where that begins.
    races: ClassVar[bool] = False

    def __str__(self) -> str:
        return f"{self.machine}, {self.kernel_in_words}, {self.view}"

    @property
    def kernel_in_words(self) -> str:
        """The kernel's name, and whether it has one width only."""
        return f"{self.kernel} with one width" if self.tied else self.kernel

    @property
    def words(self) -> str:
        """What a table of candidates calls it: machine, kernel and view."""
        return candidate_words(self.machine, self.kernel, self.view, tied=self.tied)

    @property
    def noun(self) -> str:
        """What a sentence calls it."""
        return f"the {self.machine}"

    def takes_part(self, task: MixtureTask) -> bool:
        """Return whether the candidate is fitted to such a task."""
        return True

    def adapted(self, task: MixtureTask) -> MixtureCandidate:
        """Return what the candidate is on these inputs: a warped view of categories is the view as it is."""
        return self

    def seconds(self, task: MixtureTask) -> float:
        """Return how long a fit takes at least, about; 0 if it can stop at any time."""
        return 0.0

    def allowance(self, task: MixtureTask) -> float:
        """Return how many times the loss of the best member it may have in a race in which it has a say, and stay.

        For what gains more by further rows than others do; ``task`` is that of the race.
        """
        return 0.0

    def stays(self, raced: Collection[MixtureCandidate], staying: Collection[MixtureCandidate]) -> bool:
        """Return whether it is fitted to all rows after a race of some candidates, of which these stay."""
        return self in staying or not self.races

    @abstractmethod
    def fit(self, task: MixtureTask) -> Member:
        """Return the fitted member.

        Its left-out values are class probabilities or predictions (n, k) of every row by a machine that has not seen
        the row, nor another row of its group.
        """


_REFITTED = "coefficients then refitted by the log-loss"

#: The kinds of candidates.
CANDIDATES: Registry[MixtureCandidate] = Registry(
    "candidate",
    MixtureCandidate,  # type: ignore[type-abstract]
    argument="effort",
)


@dataclass(frozen=True, kw_only=True)
class Member:
    """A fitted candidate.

    Attributes
    ----------
    candidate : MixtureCandidate
    component : Component
        The fitted machine in its view, with ``left_out`` values (n, k) of every row: decision values or predictions.
        :meth:`MixtureTask.judged` makes one of a machine that only predicts.
    importances : ndarray of shape (d,) or None
        How much every input matters to it, summing to 1; None if nothing is known of that.
    status : str
        How its fit ended.
    outcome : Status
        The same as a code.
    ending : str
        The same in words without remarks.
    shape : ndarray of shape (p,)
        Logarithms of its widths in units of the data's own scale, with mean 0; empty if it selects no widths.
    n_evaluations : int
        Of its selection criterion.
    reached : Reached or None
        Where its selection ended on the rows of a race.
    seconds : float
        Set by the loop that fits candidates.
    of : int
        Candidates that are fitted to the same rows, those that left a race not among them.
    loss : float
        Mean loss of rows left out, for who watches.
    score : str
        The same in words.
    """

    candidate: MixtureCandidate
    component: Component
    status: str
    importances: Array | None = None
    outcome: Status = Status.CONVERGED
    ending: str = Status.CONVERGED.value
    shape: Array = field(default_factory=lambda: np.zeros(0))
    n_evaluations: int = 0
    reached: Reached | None = None
    seconds: float = 0.0
    of: int = 0
    loss: float = np.nan
    score: str = ""

    @property
    def left_out(self) -> Array:
        """Probabilities or predictions (n, k) of rows left out."""
        return self.component.left_out_answers()

    def within(self, limits: Array | None) -> Member:
        """Return the member with limits (2, k) to what it predicts; probabilities have them by nature."""
        component = replace(self.component, noun=self.candidate.noun)
        if limits is not None:
            component = replace(component, left_out=np.clip(self.left_out, *limits))
        return replace(self, component=component)

    @property
    def in_words(self) -> str:
        """How its fit ended, and whether the log-loss then found its coefficients."""
        return f"{self.status}; {_REFITTED}" if self.component.refitted else self.status


@dataclass(frozen=True, kw_only=True)
class MixtureTask:
    """What all candidates are fitted on, and what is left of the time."""

    views: Views
    Z: Array  # (n, d) coded rows
    y: Any  # numbers of classes, or targets (n,) or (n, k)
    weights: Array
    groups: Indices | None
    labels: bool
    ordered: bool = False  # whether there are more than two labels, which have an order
    partly: str = ""  # which targets known in part these are, (n, 2) lower and upper limits; none unless given
    seed: int = 0
    classes: Any = None  # labels in the order of their numbers
    scale: TargetScale = field(default_factory=TargetScale)  # of y
    limits: Array | None = None  # (2, k) lowest and highest number that a member may predict
    pace: Pace | None = None  # if time is limited and machines are exact
    deadline: Deadline = NEVER
    leader: Member | None = None  # the first member, whose widths others follow
    racing: int = 0  # how many rows there are if these are a part of them, on which members race
    begun: Member | None = None  # the same candidate, fitted to a part of the rows
    elsewhere: RowsElsewhere | None = None  # all rows, of which these are some, if they stay where they are

    def in_time(self, deadline: Deadline) -> MixtureTask:
        """Return the task on the rows that the leader has time for: all members speak of the same ones.

        Machines on landmarks take their time by themselves, and all rows.
        """
        kept, n_inputs = self.weights > 0, self.Z.shape[1]
        exact = as_request("auto", int(kept.sum()), n_inputs) is None
        if not np.isfinite(deadline.left()) or not exact:
            return self
        if self.partly:  # machines choose their rows by themselves
            return replace(self, pace=Pace.measured())
        targets = np.zeros((len(self.Z), self.n_outputs))
        data = Training(X=self.Z, targets=targets, weights=self.weights, kept=kept, groups=self.groups)
        if self.labels:
            classes, index = np.unique(self.y, return_inverse=True)
            data = LabelledTraining(**vars(data), classes=classes, index=index)
        data, _ = data.in_time(LSSVM(), deadline.part(LEADER_SHARE))
        return replace(self, weights=np.where(data.kept, self.weights, 0.0), pace=Pace.measured())

    def on_rows(self, rows: Indices) -> MixtureTask:
        """Return the task of some of its rows; a single group among them is no group."""
        groups = None if self.groups is None else self.groups[rows]
        if groups is not None and len(np.unique(groups)) < 2:
            groups = None
        return replace(self, Z=self.Z[rows], y=self.y[rows], weights=self.weights[rows], groups=groups, elsewhere=None)

    def led(self, estimator: Estimator, candidate: MixtureCandidate, lead: Lead | None) -> Array:
        """Fit an estimator to a candidate's view of all rows, wherever they are; return its widths."""
        if self.elsewhere is None:
            return fit_led(estimator, self.view(candidate), self.y, self.weights, self.groups, lead=lead)
        known = self.scale.backward(self.y[:1])
        return self.elsewhere.fit(estimator, self.model_view(candidate).warp, self.scale, known, lead)

    def placed(self, component: Component) -> Component:
        """Return a component of an estimator fitted to all rows, whose rows are named by their places in the task."""
        return component if self.elsewhere is None else self.elsewhere.placed(component)

    @property
    def situation(self) -> str:
        """Which candidates of an effort are useful.

        Labels without posteriors have the many machines of numbers. On landmarks logistic regression refits the
        coefficients of machines for labels. Not if groups are left out: among few of them the better of two
        machines is too often so by chance (twenty groups: the log-loss of rows left out falls by 0.03, that of new
        ones rises by 0.06). Nor do posteriors take part there, because their cavities leave out single rows.
        """
        if self.partly:
            return self.partly
        if not self.labels or self.groups is not None:
            return NUMBERS
        if as_request("auto", self.n_rows, self.Z.shape[1]) is not None:
            return LANDMARKS
        if self.ordered:
            return ORDER
        return LABELS if posteriors_take_part(self.n_rows, self.n_outputs) else NUMBERS

    @property
    def n_rows(self) -> int:
        """Rows of positive weight."""
        return int(np.sum(self.weights > 0))

    @property
    def n_classes(self) -> int | None:
        """Classes of labels, None for numbers."""
        return int(self.y.max()) + 1 if self.labels else None

    @property
    def n_outputs(self) -> int:
        """Machines of one output each that a candidate consists of."""
        if self.partly:
            return 1
        if not self.labels:
            return int(np.reshape(self.y, (len(self.y), -1)).shape[1])
        n_classes = len(np.unique(self.y))
        return 1 if n_classes == 2 else n_classes

    @property
    def interval_rows(self) -> Indices:
        """The rows that intervals are made of: those of the leader, all of positive weight unless it has landmarks."""
        spread = None if self.leader is None else self.leader.component.spread
        return spread.rows if isinstance(spread, Jackknife) else np.flatnonzero(self.weights > 0)

    def view(self, candidate: MixtureCandidate) -> Array:
        """Return the rows as a candidate sees them."""
        return self.views(candidate.view, self.Z)

    def model_view(self, candidate: MixtureCandidate) -> View:
        """Return the view of a candidate as a model keeps it."""
        return View(warp=self.views.warp) if candidate.view == WARPED else AS_GIVEN

    def judged(self, candidate: MixtureCandidate, machine: Any, left_out: Array, view: View | None = None) -> Component:
        """Return a machine that only predicts, with the errors that its left-out values (n, k) show.

        ``machine`` has ``predict_proba(V)`` for labels or ``predict(V)`` for numbers, with the candidate's view of
        rows unless another is given. Its errors are taken to be as large everywhere.
        """
        k = left_out.shape[1]
        part = ForeignPart(machine=machine, coefficients=np.ones((1, k)), labels=self.labels)
        seen = self.model_view(candidate) if view is None else view
        found = Component(view=seen, parts=(part,), constant=np.zeros(k), left_out=left_out)
        if self.labels:
            return replace(found, link=Given())
        residuals, kept = np.reshape(self.y, left_out.shape) - left_out, self.weights > 0
        square = np.average(residuals[kept] ** 2, axis=0, weights=self.weights[kept])
        rows = self.interval_rows
        return replace(found, spread=PlainJackknife(rows=rows, residuals=residuals[rows], mean_square=square))


def posteriors_take_part(n_rows: int, n_outputs: int) -> bool:
    """Return whether Gaussian processes have time for so many rows and outputs."""
    return max(n_outputs, _MOST_GP_CLASSES) * n_rows**3 <= _MOST_GP_CLASSES * MOST_GP_ROWS**3
