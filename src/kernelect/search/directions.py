"""Searches along directions: an entry of theta is its start plus one of phi, which moves, from one start or several.

Each parameter by itself, widths tied together, some parameters held: a search sees phi only, and
everything it reports is in terms of theta again. Of searches from scattered starts the best is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from kernelect.parameters import ParameterSpace
from kernelect.results import Evaluation, SearchResult, Trace
from kernelect.search.base import Budget, Search
from kernelect.typing import Array, Indices, Objective, Observer

#: Standard deviation of scattered starts around the first one, in log units.
SCATTER = 1.0


def scattered_starts(start: Array, lower: Array, upper: Array, count: int, generator: np.random.Generator) -> Array:
    """Return ``count`` starts: the first as given, the others scattered around it within bounds.

    All coordinates of a start share a common shift besides their own, so that the starts
    differ in overall scale too.
    """
    own = generator.normal(scale=SCATTER, size=(count - 1, len(start)))
    shared = generator.normal(scale=SCATTER, size=(count - 1, 1))
    return np.vstack([start, np.clip(start + own + shared, lower, upper)])


@dataclass(frozen=True)
class Restarts:
    """Runs ``search`` from every start and keeps the best result and all traces.

    Threads suffice (the work is in BLAS), so the observer and a joblib backend such as Dask
    both work; results do not depend on ``n_jobs``.
    """

    search: Search
    n_jobs: int | None = None

    def minimize(
        self,
        make_objective: Callable[[], Objective],
        starts: Array,
        lower: Array,
        upper: Array,
        *,
        budget: Budget | None = None,
        observe: Observer | None = None,
    ) -> SearchResult:
        """Minimise from each row of ``starts``; ties go to the earlier start.

        ``make_objective`` is called once per start: an objective may remember its last state.
        """
        options: dict[str, Any] = {"budget": budget, "observe": observe}
        if len(starts) == 1:
            return self.search.minimize(make_objective(), starts[0], lower, upper, **options)
        results = Parallel(n_jobs=self.n_jobs, prefer="threads")(
            delayed(self.search.minimize)(make_objective(), start, lower, upper, run=run, **options)
            for run, start in enumerate(starts)
        )
        best = min(results, key=lambda result: result.value)
        # Every search counts its own time; runs are numbered through when traces are joined.
        traces = [replace(result.trace, run=np.zeros(len(result.trace))) for result in results]
        return replace(best, trace=Trace.joined(traces))


@dataclass(frozen=True)
class Directions:
    """Directions from the start of a space.

    Attributes
    ----------
    space : ParameterSpace
    places : ndarray of int of shape (n_parameters,)
        The direction that moves each parameter, -1 if none does. Bounds on theta are therefore bounds on phi.
    """

    space: ParameterSpace
    places: Indices

    @classmethod
    def each_free(cls, space: ParameterSpace) -> Directions:
        """Every free parameter moves by itself."""
        return cls(space, np.where(space.free, np.cumsum(space.free) - 1, -1))

    @classmethod
    def tied_widths(cls, space: ParameterSpace) -> Directions | None:
        """All free widths of a kernel move together; None if no kernel is elliptical."""
        groups = [group[space.free[group]] for group in space.widths]
        groups = [group for group in groups if len(group) > 1]
        if not groups:
            return None
        single = np.setdiff1d(np.flatnonzero(space.free), np.concatenate(groups))
        places = np.full(len(space), -1)
        for number, group in enumerate([*groups, *single[:, None]]):
            places[group] = number
        return cls(space, places)

    def __len__(self) -> int:
        return int(self.places.max(initial=-1)) + 1

    def theta(self, phi: Array) -> Array:
        """Return the start, moved by phi; entries at -inf (widths of 0) stay there."""
        return np.asarray(self.space.start + np.append(phi, 0.0)[self.places], dtype=float)

    def phi(self, theta: Array) -> Array:
        """Return the phi nearest to ``theta``: the mean over the parameters of each direction."""
        start = self.space.start
        moved = np.subtract(theta, start, out=np.zeros(len(start)), where=np.isfinite(start))
        return self._summed(moved) / self._summed(np.ones(len(start)))

    @property
    def lower(self) -> Array:
        """Lower bounds of phi."""
        moved, lower = self._moved, np.full(len(self), -np.inf)
        np.maximum.at(lower, self.places[moved], self.space.lower[moved] - self.space.start[moved])
        return lower

    @property
    def upper(self) -> Array:
        """Upper bounds of phi."""
        moved, upper = self._moved, np.full(len(self), np.inf)
        np.minimum.at(upper, self.places[moved], self.space.upper[moved] - self.space.start[moved])
        return upper

    def starts(
        self, scattered: int, generator: np.random.Generator, settle: Callable[[Array], Array] | None = None
    ) -> Array:
        """Return values of phi to start from: the space's own start, then scattered ones that ``settle`` brings back.

        Parameters
        ----------
        scattered : int
        generator : Generator
        settle : theta -> theta, optional
        """
        starts = scattered_starts(np.zeros(len(self)), self.lower, self.upper, scattered + 1, generator)
        settled = starts[1:] if settle is None else [self.phi(settle(self.theta(phi))) for phi in starts[1:]]
        return np.vstack([starts[:1], *settled])

    def along(self, objective: Objective) -> Objective:
        """Return a function of theta as one of phi."""

        def of_phi(phi: Array) -> tuple[float, Array | None]:
            value, gradient = objective(self.theta(phi))
            return value, None if gradient is None else self._summed(gradient)

        return of_phi

    def _summed(self, values: Array) -> Array:
        """Return the sum of values (n_parameters,) over the parameters of each direction."""
        return np.bincount(self.places[self._moved], values[self._moved], minlength=len(self)).astype(float)

    @property
    def _moved(self) -> Indices:
        return np.flatnonzero(self.places >= 0)


def search_along(
    search: Search,
    make_objective: Callable[[], Objective],
    directions: Directions,
    *,
    starts: Array | None = None,
    budget: Budget | None = None,
    observe: Observer | None = None,
    n_jobs: int | None = None,
) -> SearchResult:
    """Minimise a function of theta along directions; the result and its trace are in terms of theta.

    Parameters
    ----------
    search : Search
    make_objective : callable
        Returns the function of theta; called once per start, because it may remember its last state.
    directions : Directions
    starts : ndarray of shape (n_starts, n_directions), optional
        Values of phi to start from, the space's own start unless given.
    budget : Budget, optional
    observe : callable, optional
        Called with an :class:`Evaluation` in terms of theta after every evaluation.
    n_jobs : int, optional
        Searches from several starts at the same time.
    """
    found = Restarts(search, n_jobs).minimize(
        lambda: directions.along(make_objective()),
        np.zeros((1, len(directions))) if starts is None else starts,
        directions.lower,
        directions.upper,
        budget=budget,
        observe=None if observe is None else _observer(observe, directions),
    )
    thetas = np.array([directions.theta(phi) for phi in found.trace.theta])
    trace = replace(found.trace, theta=thetas.reshape(len(found.trace), len(directions.space)))
    return replace(found, theta=directions.theta(found.theta), trace=trace)


def _observer(observe: Observer, directions: Directions) -> Observer:
    def in_theta(row: Evaluation) -> None:
        observe(replace(row, theta=directions.theta(row.theta)))

    return in_theta
