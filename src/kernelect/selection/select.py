"""From a start at the data's scale to the selected hyper-parameters.

Stages: (1) elliptical kernels are first searched with their widths tied, that is as the
spherical kernel; (2) for a prior with none but a local minimum, some steps by the criterion
alone; (3) all free parameters, from there and from scattered starts; (4) for a prior with two
basins, the other one; (5) as long as the prior revises itself (pruned inputs, well-determined
widths), once more.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from kernelect.parameters import ParameterSpace
from kernelect.priors import Flat
from kernelect.results import Evaluation, SearchResult, Selection, Status, Trace
from kernelect.search import LBFGS, Budget, Restarts, Search, scattered_starts
from kernelect.selection.objective import Memory, SelectionObjective
from kernelect.typing import Array, Objective, Observer

_MAX_REVISIONS = 10

#: Iterations by which a start in the criterion's own basin is found.
_SCOUT_ITERATIONS = 12

#: Change of a log-width by the spherical stage beyond which the data's own scale is scouted too.
_FAR = 1.0


@dataclass(frozen=True)
class SelectionOptions:
    """How to search; the estimators' arguments of the same names."""

    search: Search = field(default_factory=LBFGS)
    n_restarts: int = 0
    max_iter: int = 200
    tol: float = 1e-5
    time_limit: float | None = None
    n_jobs: int | None = None
    generator: np.random.Generator = field(default_factory=np.random.default_rng)
    observe: Observer | None = None
    #: theta -> theta: brings scattered starts back from where the criterion is flat.
    settle: Callable[[Array], Array] | None = None


def select(objective: SelectionObjective, options: SelectionOptions) -> tuple[Selection, SelectionObjective]:
    """Return the selection and the objective as the prior left it."""
    return _Selector(objective, options).run()


class _Selector:
    """One run of selection: keeps the clock and the traces of its stages."""

    def __init__(self, objective: SelectionObjective, options: SelectionOptions) -> None:
        self.objective, self.options = objective, options
        self.began = time.monotonic()
        limit = options.time_limit
        deadline = self.began + limit if limit is not None else float("inf")
        # With a prior values are in nats; the criterion alone has the units of its data.
        self.budget = Budget(
            max_iter=options.max_iter, tol=options.tol, relative=objective.prior is None, deadline=deadline
        )
        self.counter = itertools.count(1)
        self.traces: list[Trace] = []
        self.runs: list[str] = []
        self.out_of_time = False

    def run(self) -> tuple[Selection, SelectionObjective]:
        space = self._prepared(self.objective.space)
        restarts = self.options.n_restarts if space.free.any() else 0
        label = "all parameters" if space.free.any() else "as given"
        result = self._search(label, self.objective, space, _each_free(space), restarts)
        optima = self.traces[-1].best_points()
        if self.objective.prior is not None and self.objective.prior.two_basins and _tie_widths(space) is not None:
            result = self._other_basin(space, result)
        return replace(self._selection(self._revised(result)), optima=optima), self.objective

    def _prepared(self, space: ParameterSpace) -> ParameterSpace:
        """Return the space with its start where the main search should begin."""
        local = self.objective.prior is not None and self.objective.prior.local
        objective = self._alone() if local else self.objective
        tied = _tie_widths(space)
        if tied is not None:
            space = space.moved(self._search("spherical", objective, space, tied).theta)
        return space.moved(self._scouted(space)) if local and space.free.any() else space

    def _scouted(self, space: ParameterSpace) -> Array:
        """Return where some steps by the criterion alone lead: into its own basin, if it has one."""
        budget = replace(self.budget, max_iter=min(_SCOUT_ITERATIONS, self.budget.max_iter))
        return self._search("criterion alone", self._alone(), space, _each_free(space), budget=budget).theta

    def _alone(self) -> SelectionObjective:
        """Return the objective without penalty, in nats."""
        return replace(self.objective, prior=Flat())

    def _other_basin(self, space: ParameterSpace, result: SearchResult) -> SearchResult:
        """Look for a lower minimum on the way to the criterion's own optimum.

        A few steps by the criterion alone lead there; searched is only where the way has a
        point that is already lower than the minimum found from the start. The other minimum
        has to be lower by half a nat per further width, which is what fitting that many
        parameters to noise gains on average.
        """
        margin = 0.5 * sum(max(int(space.free[group].sum()) - 1, 0) for group in space.widths)
        points = [point for start in self._scouting_starts(space) for point in self._way(start)]
        best = min(points, key=self.objective.value)
        if self.objective.value(best) >= result.value - margin:
            return result
        other = self._search("second basin", self.objective, space.moved(best), _each_free(space))
        return other if other.value < result.value - margin else result

    def _scouting_starts(self, space: ParameterSpace) -> list[ParameterSpace]:
        """Return the spherical optimum, and the data's scale where that is far from it.

        A spherical kernel with many irrelevant inputs may be best when almost linear; from there no
        step tells that two inputs with narrow widths explain everything.
        """
        begun = self.objective.space
        widths = space.all_widths[space.free[space.all_widths]]
        far = np.abs(space.start[widths] - begun.start[widths]).max() > _FAR
        return [space, begun] if far else [space]

    def _way(self, space: ParameterSpace) -> tuple[Array, Array]:
        """Return the end of some steps by the criterion alone, and the middle of the way."""
        far = self._scouted(space)
        halfway = space.start.copy()  # entries at -inf stay there
        halfway[space.free] = 0.5 * (space.start + far)[space.free]
        return halfway, far

    def _search(
        self,
        label: str,
        objective: SelectionObjective,
        space: ParameterSpace,
        directions: Array,
        restarts: int = 0,
        budget: Budget | None = None,
    ) -> SearchResult:
        """Search theta = start + directions @ phi; returns the result in terms of theta.

        Directions are columns of 0 and 1 that share no row, so bounds on theta are bounds on phi.
        """
        start = space.start
        by_gradient = self.options.search.uses_gradient(directions.shape[1])

        def in_phi() -> Objective:
            fresh = replace(objective, memory=Memory())

            def evaluate(phi: Array) -> tuple[float, Array | None]:
                theta = _combined(start, directions, phi)
                value, gradient = fresh(theta) if by_gradient else (fresh.value(theta), None)
                return value, None if gradient is None else directions.T @ gradient

            return evaluate

        columns = [np.flatnonzero(column) for column in directions.T]
        lower = np.array([(space.lower[column] - start[column]).max() for column in columns])
        upper = np.array([(space.upper[column] - start[column]).min() for column in columns])
        zero = np.zeros(directions.shape[1])
        starts = scattered_starts(zero, lower, upper, restarts + 1, self.options.generator)
        starts = np.vstack([zero, *(self._settled(start, directions, phi) for phi in starts[1:])])
        found = Restarts(self.options.search, self.options.n_jobs).minimize(
            in_phi, starts, lower, upper, budget=budget or self.budget, observe=self._observer(start, directions)
        )
        thetas = np.array([_combined(start, directions, phi) for phi in found.trace.theta])
        thetas = thetas.reshape(len(found.trace), len(space))
        self.traces.append(replace(found.trace, theta=thetas))
        self.out_of_time |= found.status is Status.TIME_LIMIT
        self.runs += [label, *(f"restart {number}" for number in range(1, restarts + 1))]
        return replace(found, theta=_combined(start, directions, found.theta))

    def _settled(self, start: Array, directions: Array, phi: Array) -> Array:
        """Return a scattered start, settled; directions of restarts are those of single parameters."""
        if self.options.settle is None:
            return phi
        theta = self.options.settle(_combined(start, directions, phi))
        finite = np.where(np.isfinite(start), theta - start, 0.0)
        return np.asarray(directions.T @ finite / directions.sum(axis=0), dtype=float)

    def _observer(self, start: Array, directions: Array) -> Callable[[Evaluation], None] | None:
        observe, before = self.options.observe, len(self.runs)
        if observe is None:
            return None

        def in_theta(row: Evaluation) -> None:
            seconds = time.monotonic() - self.began
            theta = _combined(start, directions, row.theta)
            observe(replace(row, number=next(self.counter), seconds=seconds, theta=theta, run=before + row.run))

        return in_theta

    def _revised(self, result: SearchResult) -> SearchResult:
        """Let the prior revise itself and search again, until it is settled."""
        for _ in range(_MAX_REVISIONS):
            prior, space = self.objective.prior, self.objective.space.moved(result.theta)
            if prior is None or not result.status.trustworthy or time.monotonic() > self.budget.deadline:
                return result
            slope = self.objective.misfit_slope(result.theta)
            revision = prior.revise(self.objective.criterion_alone, slope, result.theta, space)
            if revision is None:
                return result
            self.objective = replace(self.objective, prior=revision.prior)
            # A width that comes back is free again: freedom follows from the original space.
            space = self.objective.space.moved(revision.theta)
            result = self._search("prior revised", self.objective, space, _each_free(space))
        return replace(result, status=Status.MAX_ITER)  # the prior did not settle

    def _selection(self, result: SearchResult) -> Selection:
        objective = self.objective
        space = objective.space.moved(result.theta)
        at_bound = space.at_bound(result.theta)
        doubt = "" if objective.prior is None else objective.prior.doubt(result.theta, space)
        status = Status.TIME_LIMIT if self.out_of_time else result.status
        return Selection(
            value=result.value,
            theta=result.theta,
            names=objective.space.names,
            ending=f"ended, but {doubt}" if doubt else status.value,
            converged=status.trustworthy and not doubt,
            at_bound=at_bound,
            trace=Trace.joined(self.traces),
            runs=tuple(self.runs),
            criterion=objective.criterion.name,
            prior="none" if objective.prior is None else objective.prior.name,
            seconds=time.monotonic() - self.began,
        )


def _combined(start: Array, directions: Array, phi: Array) -> Array:
    """Return start + directions @ phi, leaving entries at -inf (widths of 0) where they are."""
    return np.asarray(start + directions @ phi, dtype=float)


def _each_free(space: ParameterSpace) -> Array:
    """Return directions in which every free parameter moves by itself."""
    return np.eye(len(space))[:, space.free]


def _tie_widths(space: ParameterSpace) -> Array | None:
    """Return directions in which all free widths of a kernel move together, or None if none is elliptical."""
    groups = [group[space.free[group]] for group in space.widths]
    groups = [group for group in groups if len(group) > 1]
    if not groups:
        return None
    single = np.setdiff1d(np.flatnonzero(space.free), np.concatenate(groups))
    columns = [np.isin(np.arange(len(space)), group) for group in [*groups, *single[:, None]]]
    return np.array(columns, dtype=float).T
