"""One run of selection: its stages, its clock, its searches and what they have found."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from copy import copy
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from joblib import effective_n_jobs

from kernelect.exceptions import OutOfTime
from kernelect.numerics import NEVER, Deadline, single_blas_thread
from kernelect.parameters import ParameterSpace
from kernelect.priors import Flat
from kernelect.results import Evaluation, Reached, SearchResult, Selection, Status, Trace
from kernelect.search import LBFGS, Budget, Directions, Search, search_along
from kernelect.selection.in_time import Pace
from kernelect.selection.lead import Lead
from kernelect.selection.objective import Memory, SelectionObjective
from kernelect.selection.start import spread_part
from kernelect.typing import Array, Indices, Objective, Observer

if TYPE_CHECKING:
    from kernelect.selection.stages import Stage

#: Nats that a step has to gain, once parts of the rows have led close to an optimum: data say nothing about less.
_ENOUGH = 0.3


#: With a time limit: evaluations of a whole way, the share of the time that is left which they may take on a part of
#: the rows, and its fewest rows.
_WAY, _SHARE_OF_TIME, _LEAST_IN_TIME = 40.0, 0.3, 100

#: Share of ``tol`` that may be left to gain, in nats per row: a model of the evidence expects less than there is. And
#: how much more may be left where a search ends at a mere start.
_LEFT, _ROUGH = 0.2, 50.0


@dataclass(frozen=True, kw_only=True)
class SelectionOptions:
    """How to search, and until when; most fields are the estimators' arguments of the same names."""

    search: Search = field(default_factory=LBFGS)
    n_restarts: int = 0
    max_iter: int = 200
    tol: float = 1e-5
    deadline: Deadline = NEVER
    n_jobs: int | None = None
    generator: np.random.Generator = field(default_factory=np.random.default_rng)
    observe: Observer | None = None
    #: Iterations on more rows, once a part of them has led close.
    last_steps: int | None = None
    #: Whether the selection may lead another one, which begins with the curvature that this one has learned.
    leads: bool = False
    #: theta -> theta: brings scattered starts back from where the criterion is flat.
    settle: Callable[[Array], Array] | None = None
    #: Whether the criterion is minus a log evidence per row that is cheap here: a search ends by what is left to gain
    #: in nats, and narrow widths are looked at too.
    thorough: bool = False


class Run:
    """What the stages of a selection share and change.

    Attributes
    ----------
    objective : SelectionObjective
        With the prior as it is now.
    space : ParameterSpace
        Its start is where the next search begins.
    result : SearchResult or None
        The best point so far, if the main search has ended.
    optima : ndarray
        Where the searches from the several starts ended.
    near : bool
        Whether the start is close to an optimum already, because parts of the rows have led there.
    rows : int or None
        Rows that the result was found on, if time did not suffice for all.
    """

    def __init__(self, objective: SelectionObjective, options: SelectionOptions) -> None:
        self.objective, self.options = objective, options
        self.space: ParameterSpace = objective.space
        self.result: SearchResult | None = None
        self.optima = np.zeros((0, len(objective.space)))
        self.began = time.monotonic()
        self.deadline = options.deadline
        self.budget = Budget(
            max_iter=options.max_iter,
            tol=options.tol,
            # With a prior values are in nats; the criterion alone has the units of its data.
            relative=objective.prior is None,
            gain=_LEFT * options.tol * self._rows_per_value() if options.thorough else None,
            deadline=self.deadline.at,
        )
        self.counter = itertools.count(1)
        self.traces: list[Trace] = []
        self.labels: list[str] = []
        self.cut_short = False
        self.near = False
        self.rows: int | None = None
        self._pace: Pace | None = None

    def _rows_per_value(self) -> float:
        """Return what makes nats per row values of the objective."""
        return 1.0 if self.objective.prior is None else float(self.objective.weights.sum())

    def on_part(self, count: int) -> Run:
        """Return a run on about ``count`` rows that stand for all."""
        return self.on_rows(spread_part(self.objective.X, self.objective.criterion.groups, count))

    def on_rows(self, rows: Indices) -> Run:
        """Return a run on some of the rows from the present start, with the same clock, budget and records."""
        part = copy(self)
        part.objective, part.result = self.objective.on_rows(rows).begun_at(self.space.start), None
        return part

    def go_on_from(self, part: Run) -> None:
        """Move the start to where the run on a part of the rows has ended; without more time that is the result."""
        self.space, self.cut_short, self.near = self.space.moved(part.found.theta), part.cut_short, True
        self.objective = self.objective.begun_at(self.space.start)
        self.result, self.rows = (part.found, len(part.objective.X)) if self.cut_short else (None, None)

    def ask_less_after(self, part: Run, *, jumps: bool = False) -> None:
        """Take few steps along what the part has learned, each of which has to gain something.

        Not if functions are fewer than rows: more of them follow, and move the optimum further. ``jumps``: the
        criterion is no smooth function, so that long line searches find nothing.
        """
        self.ask_less(part.found.inverse, part.found.value, len(part.objective.X), jumps=jumps)

    def ask_less(self, inverse: Array | None, value: float, rows: int, *, jumps: bool = False) -> None:
        """Take few steps along what a search on so many rows has learned, as :meth:`ask_less_after` does."""
        share = rows / len(self.objective.X)  # values are sums over rows, and so is their curvature
        inverse = None if inverse is None else share * inverse
        search = self.options.search.nearby(inverse) if jumps else self.options.search.handed(inverse)
        self.options = replace(self.options, search=search)
        if self.options.last_steps is not None:
            self.budget = replace(self.budget, max_iter=min(self.budget.max_iter, self.options.last_steps))
        if not self.budget.relative:
            size = abs(value) / share
            self.budget = replace(self.budget, tol=max(self.options.tol, _ENOUGH / max(size, 1.0)))

    def hand_on(self, found: SearchResult) -> None:
        """Go on from where a search has ended, with the curvature that it has learned."""
        self.space = self.space.moved(found.theta)
        self.options = replace(self.options, search=self.options.search.handed(found.inverse))

    def search_nearby(self) -> None:
        """Take short steps from now on: the start is close to the optimum."""
        self.options = replace(self.options, search=self.options.search.nearby())

    def seconds(self, n_rows: float) -> float:
        """Return how long a value with its gradient takes on so many rows, about; measured if time is limited."""
        if self._pace is None:
            self._pace = Pace.measured()
        return self._pace.seconds(self.objective.machine, n_rows, self.objective.targets.shape[1])

    def rows_in_time(self, usual: float) -> float:
        """Return how many rows a whole way on a part of them has time for, ``usual`` at most."""
        left, rows = self.deadline.left(), usual
        if not np.isfinite(left):
            return usual
        longest = _SHARE_OF_TIME * left / _WAY
        while self.seconds(rows) > longest and rows > _LEAST_IN_TIME:
            rows *= 0.8
        return max(rows, _LEAST_IN_TIME)

    @property
    def found(self) -> SearchResult:
        """The result of the main search, which stages after it go on from."""
        assert self.result is not None
        return self.result

    def has_time(self) -> bool:
        """Return whether the deadline is still to come; if it is not, the run remembers that it was cut short."""
        self.cut_short |= self.deadline.passed
        return not self.cut_short

    def alone(self) -> SelectionObjective:
        """Return the objective without penalty, in nats."""
        return replace(self.objective, prior=Flat(), memory=Memory())

    def search(
        self,
        label: str,
        directions: Directions,
        *,
        objective: SelectionObjective | None = None,
        restarts: int = 0,
        max_iter: int | None = None,
        rough: bool = False,
        share: float = 1.0,
    ) -> SearchResult:
        """Search along directions and take note of the way.

        Parameters
        ----------
        label : str
            What the search is called among the runs of the trace.
        directions : Directions
        objective : SelectionObjective, optional
            The run's own unless given.
        restarts : int
            Further searches from scattered starts.
        max_iter : int, optional
            Iterations at most.
        rough : bool
            Whether the end is only a start for others, so that tenths of a nat say nothing.
        share : float
            Of the time that is left, at most.
        """
        objective, options = objective or self.objective, self.options
        by_gradient = options.search.uses_gradient(len(directions))
        limit = self.budget.max_iter if max_iter is None else min(max_iter, self.budget.max_iter)
        until = self.deadline if share == 1.0 else self.deadline.part(share)
        gain = None if self.budget.gain is None else self.budget.gain * (_ROUGH if rough else 1.0)
        # Threads of their own know nothing of the choice of BLAS threads, and would not give up what it has found.
        several = restarts > 0 and effective_n_jobs(options.n_jobs) > 1
        with single_blas_thread() if several else nullcontext():
            found = search_along(
                options.search,
                lambda: self._watched(objective.as_function(gradient=by_gradient)),
                directions,
                starts=directions.starts(restarts, options.generator, options.settle),
                budget=replace(self.budget, max_iter=limit, gain=gain, deadline=until.at),
                observe=self._observer(),
                n_jobs=options.n_jobs,
            )
        self.traces.append(found.trace)
        self.labels += [label, *(f"restart {number}" for number in range(1, restarts + 1))]
        self.cut_short |= found.status is Status.TIME_LIMIT and (until is self.deadline or self.deadline.passed)
        return found

    def selection(self) -> Selection:
        """Return the record of the run."""
        objective, result = self.objective, self.found
        space = objective.space.moved(result.theta)
        doubt = "" if objective.prior is None else objective.prior.doubt(result.theta, space)
        status = Status.TIME_LIMIT if self.cut_short else result.status
        where = "" if self.rows in (None, len(objective.X)) else f", found on {self.rows} of {len(objective.X)} rows"
        return Selection(
            value=result.value,
            theta=result.theta,
            names=objective.space.names,
            outcome=Status.DOUBTED if doubt else status,
            ending=f"ended, but {doubt}" if doubt else status.value + where,
            at_bound=space.at_bound(result.theta),
            trace=Trace.joined(self.traces),
            runs=tuple(self.labels),
            criterion=objective.criterion.name,
            prior="none" if objective.prior is None else objective.prior.name,
            seconds=time.monotonic() - self.began,
            optima=self.optima,
            reached=Reached(theta=result.theta, rows=len(objective.X), value=result.value, inverse=result.inverse)
            if self.options.leads
            else None,
        )

    def _watched(self, function: Objective) -> Objective:
        """Return the function with an eye on the clock; only its first value is found whatever time it takes."""
        found = False

        def watched(theta: Array) -> tuple[float, Array | None]:
            nonlocal found
            with self.deadline.watched(firmly=found):
                value = function(theta)
            found = True
            return value

        return watched

    def _observer(self) -> Observer | None:
        observe, before = self.options.observe, len(self.labels)
        if observe is None:
            return None

        def numbered(row: Evaluation) -> None:
            seconds = time.monotonic() - self.began
            observe(replace(row, number=next(self.counter), seconds=seconds, run=before + row.run))

        return numbered


def carried_out(
    stages: Sequence[Stage], objective: SelectionObjective, options: SelectionOptions, lead: Lead | None = None
) -> tuple[Selection, SelectionObjective]:
    """Return what the stages select, and the objective as they left it; a lead is a limit of their iterations."""
    if objective.space.free.any():
        options.search.check(objective.criterion.has_gradient, objective.criterion.name)
    if lead is not None:
        fewer = min(options.max_iter, lead.max_iter)
        options = replace(options, max_iter=fewer, last_steps=lead.last_steps, leads=True)
    run = Run(objective, options)
    if lead is not None and lead.start is not None:
        run.ask_less(lead.start.inverse, lead.start.value, lead.start.rows)
    for stage in stages:
        if stage.applies(run):
            _carry_out(stage, run)
    if lead is not None and run.found.status is Status.MAX_ITER:
        run.result = replace(run.found, status=Status.FOLLOWED)
    return run.selection(), run.objective


def _carry_out(stage: Stage, run: Run) -> None:
    """Carry out a stage; if time is up in the middle of it, the result so far stays."""
    try:
        stage.carry_out(run)
    except OutOfTime:
        run.cut_short = True
