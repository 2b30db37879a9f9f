"""Searches along directions: theta = start + columns @ phi, and phi is what moves.

Each parameter by itself, widths tied together, some parameters held: a search sees phi only, and
everything it reports is in terms of theta again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from kernelect.parameters import ParameterSpace
from kernelect.results import Evaluation, SearchResult
from kernelect.search.base import Budget, Search
from kernelect.search.restarts import Restarts
from kernelect.typing import Array, Indices, Objective, Observer


@dataclass(frozen=True)
class Directions:
    """Directions from the start of a space.

    Attributes
    ----------
    space : ParameterSpace
    columns : ndarray of shape (n_parameters, n_directions)
        Of 0 and 1 that share no row, so bounds on theta are bounds on phi.
    """

    space: ParameterSpace
    columns: Array

    @classmethod
    def each_free(cls, space: ParameterSpace) -> Directions:
        """Every free parameter moves by itself."""
        return cls(space, np.eye(len(space))[:, space.free])

    @classmethod
    def tied_widths(cls, space: ParameterSpace) -> Directions | None:
        """All free widths of a kernel move together; None if no kernel is elliptical."""
        groups = [group[space.free[group]] for group in space.widths]
        groups = [group for group in groups if len(group) > 1]
        if not groups:
            return None
        single = np.setdiff1d(np.flatnonzero(space.free), np.concatenate(groups))
        columns = [np.isin(np.arange(len(space)), group) for group in [*groups, *single[:, None]]]
        return cls(space, np.array(columns, dtype=float).T)

    def __len__(self) -> int:
        return self.columns.shape[1]

    def theta(self, phi: Array) -> Array:
        """Return start + columns @ phi; entries at -inf (widths of 0) stay there."""
        return np.asarray(self.space.start + self.columns @ phi, dtype=float)

    def phi(self, theta: Array) -> Array:
        """Return the phi nearest to ``theta``: the mean over the parameters of each direction."""
        start = self.space.start
        moved = np.subtract(theta, start, out=np.zeros(len(start)), where=np.isfinite(start))
        return np.asarray(self.columns.T @ moved / self.columns.sum(axis=0), dtype=float)

    @property
    def lower(self) -> Array:
        """Lower bounds of phi."""
        return np.array([(self.space.lower[rows] - self.space.start[rows]).max() for rows in self._rows()])

    @property
    def upper(self) -> Array:
        """Upper bounds of phi."""
        return np.array([(self.space.upper[rows] - self.space.start[rows]).min() for rows in self._rows()])

    def along(self, objective: Objective) -> Objective:
        """Return a function of theta as one of phi."""

        def of_phi(phi: Array) -> tuple[float, Array | None]:
            value, gradient = objective(self.theta(phi))
            return value, None if gradient is None else self.columns.T @ gradient

        return of_phi

    def _rows(self) -> list[Indices]:
        return [np.flatnonzero(column) for column in self.columns.T]


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
