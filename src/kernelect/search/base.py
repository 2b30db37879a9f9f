"""The contract of a search, and the one recorder behind all of them.

A search is handed a callable theta -> (value, gradient), a start and bounds; it calls an
observer once per evaluation and ends in a record with the best point so far, whatever
stopped it.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from kernelect.exceptions import MissingCapability, OutOfTime
from kernelect.results import Evaluation, SearchResult, Status, Trace
from kernelect.typing import Array, Mask, Objective, Observer


@dataclass(frozen=True, kw_only=True)
class Budget:
    """When to stop.

    Attributes
    ----------
    max_iter : int
        Iterations of one search.
    tol : float
        Relative decrease of the value below which a search has converged.
    relative : bool
        Whether values have no natural unit, so that "relative" is to the first value; for values
        in nats it is to the larger of their size and 1.
    gain : float, optional
        Decrease of the value below which a search has converged, if its own model of the function expects no more.
        Searches without such a model go by ``tol``.
    deadline : float
        Value of ``time.monotonic()`` at which to stop with the best point so far.
    """

    max_iter: int = 200
    tol: float = 1e-5
    relative: bool = False
    gain: float | None = None
    deadline: float = float("inf")


class StopSearch(Exception):
    """Raised inside a search to leave it with the best point so far."""

    def __init__(self, status: Status) -> None:
        super().__init__(status.value)
        self.status = status


@dataclass(kw_only=True)
class Recorder:
    """Wraps an objective: counts, times and remembers every evaluation, and the best one.

    A value that is not finite is handed to the search as one much worse than the best so far
    (line searches cannot interpolate infinity); the trace keeps what it was.
    """

    objective: Objective
    budget: Budget
    observe: Observer | None = None
    run: int = 0
    rows: list[Evaluation] = field(default_factory=list)
    best_theta: Array | None = None
    best_value: float = float("inf")
    #: Inverse Hessian of what the search sees, if it has learned that.
    inverse: Array | None = None
    _unit: float | None = None
    _began: float = field(default_factory=time.monotonic)

    def __call__(self, theta: Array) -> tuple[float, Array]:
        if self.rows and time.monotonic() > self.budget.deadline:
            raise StopSearch(Status.TIME_LIMIT)
        value, gradient = self.objective(theta)
        finite = np.isfinite(value) and (gradient is None or bool(np.all(np.isfinite(gradient))))
        if finite and value < self.best_value:
            self.best_theta, self.best_value = theta.copy(), float(value)
        norm = float("nan") if gradient is None else float(np.linalg.norm(gradient))
        row = Evaluation(
            number=len(self.rows) + 1,
            seconds=time.monotonic() - self._began,
            theta=theta.copy(),
            value=float(value),
            gradient_norm=norm,
            best_value=self.best_value,
            run=self.run,
        )
        self.rows.append(row)
        if self.observe is not None:
            self.observe(row)
        if not finite:
            return self._penalty(), np.zeros(len(theta))
        if self._unit is None:
            self._unit = abs(value) or 1.0 if self.budget.relative else 1.0
        return value / self._unit, np.zeros(len(theta)) if gradient is None else gradient / self._unit

    @property
    def unit(self) -> float:
        """What values are divided by before a search sees them."""
        return self._unit or 1.0

    def _penalty(self) -> float:
        if self._unit is None:
            return 1e10
        best = self.best_value / self._unit
        return best + 10.0 * (1.0 + abs(best))

    def result(self, status: Status, start: Array, message: str = "") -> SearchResult:
        """Return the record of the search."""
        trace = Trace.of(self.rows, len(start))
        if self.best_theta is None:
            ending = status if status is Status.TIME_LIMIT else Status.FAILED
            return SearchResult(start, float("inf"), ending, trace, message)
        inverse = None if self.inverse is None else self.inverse / self.unit
        return SearchResult(self.best_theta, self.best_value, status, trace, message, inverse)


class Search(ABC):
    """Minimises an objective within bounds."""

    name: ClassVar[str]
    needs_gradient: bool = True

    def check(self, has_gradient: bool, criterion: str) -> None:
        """Raise :class:`MissingCapability` if the criterion lacks what the search needs."""
        if self.needs_gradient and not has_gradient:
            from kernelect.search.registry import SEARCHES

            able = [repr(entry.name) for entry in SEARCHES if not entry.make().needs_gradient]
            raise MissingCapability(
                f"search={self.name!r} needs a gradient and criterion={criterion!r} has none: "
                f"use search={', '.join(able[:-1])} or {able[-1]}."
            )

    def with_first_step(self, length: float) -> Search:
        """Return the search with a first step of this length, if it has none of its own."""
        return self

    def uses_gradient(self, n_parameters: int) -> bool:
        """Return whether the search uses gradients; if it does not, they need not be computed."""
        return self.needs_gradient and n_parameters > 0

    def scans(self, n_parameters: int) -> bool:
        """Return whether so many parameters are scanned, one after the other or tied, without a gradient."""
        return False

    def handed(self, inverse: Array | None) -> Search:
        """Return the search with the inverse Hessian of a similar function, if it can use that."""
        return self

    def nearby(self, inverse: Array | None = None) -> Search:
        """Return the search for a start close to the optimum of a function that jumps, where steps are short.

        ``inverse`` is the inverse Hessian of a similar function, if that is known.
        """
        return self

    def seeded(self, seed: int) -> Search:
        """Return the search with a seed for its random numbers, if it draws any and has none."""
        return self

    def minimize(
        self,
        objective: Objective,
        start: Array,
        lower: Array,
        upper: Array,
        *,
        budget: Budget | None = None,
        observe: Observer | None = None,
        run: int = 0,
    ) -> SearchResult:
        """Minimise ``objective`` from ``start`` within ``lower <= theta <= upper``.

        Parameters
        ----------
        objective : theta -> (value, gradient)
        start, lower, upper : ndarray of shape (n_parameters,)
        budget : Budget, optional
        observe : callable, optional
            Called with an :class:`Evaluation` after every evaluation.
        run : int
            Marks the evaluations when several searches make one result.
        """
        recorder = Recorder(objective=objective, budget=budget or Budget(), observe=observe, run=run)
        start = np.clip(np.asarray(start, dtype=float), lower, upper)
        try:
            status, message = self._run(recorder, start, lower, upper) if len(start) else _once(recorder, start)
        except StopSearch as stop:
            status, message = stop.status, ""
        except OutOfTime:  # inside an evaluation
            status, message = Status.TIME_LIMIT, ""
        return recorder.result(status, start, message)

    @abstractmethod
    def _run(self, evaluate: Recorder, start: Array, lower: Array, upper: Array) -> tuple[Status, str]:
        """Search until converged or out of iterations; ``evaluate`` keeps the best point."""


def _once(evaluate: Recorder, start: Array) -> tuple[Status, str]:
    """Evaluate if there is nothing to move."""
    evaluate(start)
    return Status.FIXED, ""


def value_only(evaluate: Callable[[Array], tuple[float, Array]]) -> Callable[[Array], float]:
    """Return the objective without its gradient."""
    return lambda theta: evaluate(theta)[0]


def places(numbers: tuple[int, ...], size: int) -> Mask:
    """Return which of ``size`` parameters are named by their place, from the end if negative."""
    named = np.zeros(size, dtype=bool)
    named[list(numbers)] = True
    return named


def stepped(x: Any, step: Any, start: Any, linear: Any) -> Any:
    """Return ``x + step``; where ``linear``, the step is in exp(x) in units of its start, and none leads below 0."""
    if not np.any(linear):
        return x + step
    return np.where(linear, start + np.log(np.maximum(np.exp(x - start) + step, 1e-300)), x + step)
