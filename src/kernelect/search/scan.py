"""The search for criteria that are costly, rough and without gradient: a scan of one parameter."""

from __future__ import annotations

import numpy as np

from kernelect.results import Status
from kernelect.search.base import Recorder, Search
from kernelect.typing import Array

#: First step of a scan whose end is near.
_NEARBY = 0.5


class Scan(Search):
    """Steps of one log unit from the start, then finer ones around the best.

    With one parameter, the scan goes up and down from the start, each until two steps in a row bring nothing better.
    It then halves the intervals around the two best points (bumps may have hidden which of them is better), and those
    around the best of all once more. Unlike a simplex, it is not stopped by the plateaus and small bumps of an error
    count. With several parameters it uses the search ``then``, or else a compass search: one parameter at a time,
    with a step that is halved if no direction improves.

    Parameters
    ----------
    then : Search, optional
        What to do with several parameters.
    finest : float
        Smallest step of the single parameter.
    longest : float
        The first step.
    patience : int
        How many steps in a row may bring nothing better.
    """

    name = "scan"
    needs_gradient = False

    _TOUCH = 1e-9
    _LAST_STEP = 0.2

    def __init__(
        self, then: Search | None = None, finest: float = 0.25, longest: float = 1.0, patience: int = 2
    ) -> None:
        self.then, self.finest, self.longest, self.patience = then, finest, longest, patience
        self.needs_gradient = then is not None and then.needs_gradient

    def scans(self, n_parameters: int) -> bool:
        return n_parameters > 0 and not self.uses_gradient(n_parameters)

    def nearby(self, inverse: Array | None = None) -> Search:
        then = None if self.then is None else self.then.nearby(inverse)
        return Scan(then, self.finest, _NEARBY, patience=1)

    def uses_gradient(self, n_parameters: int) -> bool:
        return n_parameters > 1 and super().uses_gradient(n_parameters)

    def check(self, has_gradient: bool, criterion: str) -> None:
        """Raise if what follows the scan needs a gradient that is not there."""
        if self.then is not None:
            self.then.check(has_gradient, criterion)

    def _run(self, evaluate: Recorder, start: Array, lower: Array, upper: Array) -> tuple[Status, str]:
        if len(start) > 1 and self.then is not None:
            return self.then._run(evaluate, start, lower, upper)
        if len(start) > 1:
            return self._compass(evaluate, start, lower, upper)
        values: dict[float, float] = {}

        def visit(x: float) -> None:
            x = float(np.clip(x, lower[0], upper[0]))
            if x not in values:
                values[x] = evaluate(np.array([x]))[0]

        visit(start[0])
        for sign in (1.0, -1.0):
            x, patience = start[0], self.patience
            while patience and lower[0] < x + sign * self._TOUCH and x + sign * self._TOUCH < upper[0]:
                x += sign * self.longest
                before = min(values.values())
                visit(x)
                patience = self.patience if min(values.values()) < before else patience - 1
        for width, centres in ((0.5, 2), (0.25, 1)):
            for best in _best(values)[:centres] if self.finest <= width < self.longest else []:
                visit(best - width)
                visit(best + width)
        return Status.CONVERGED, "the scan is complete"

    def _compass(self, evaluate: Recorder, start: Array, lower: Array, upper: Array) -> tuple[Status, str]:
        x, step, sweeps = start, 1.0, 0
        value = evaluate(x)[0]
        while step > self._LAST_STEP:
            if sweeps >= evaluate.budget.max_iter:
                return Status.MAX_ITER, "iteration limit"
            before, sweeps = value, sweeps + 1
            for direction in np.vstack([np.eye(len(x)), -np.eye(len(x))]):
                trial = np.clip(x + step * direction, lower, upper)
                if np.array_equal(trial, x):
                    continue
                found = evaluate(trial)[0]
                if found < value:
                    x, value = trial, found
            if before - value <= evaluate.budget.tol * abs(before):
                step *= 0.5
        return Status.CONVERGED, "no direction improves"


class Stay(Search):
    """No search at all: the start is evaluated, and is the result."""

    name = "stay"
    needs_gradient = False

    def _run(self, evaluate: Recorder, start: Array, lower: Array, upper: Array) -> tuple[Status, str]:
        evaluate(start)
        return Status.CONVERGED, "the start was taken as it is"


def _best(values: dict[float, float]) -> list[float]:
    """Return the places, smallest value first; among those of the smallest value the middle one leads."""
    places = sorted(values, key=lambda x: (values[x], x))
    ties = [x for x in places if values[x] == values[places[0]]]
    middle = ties[len(ties) // 2]
    return [middle, *(x for x in places if x != middle)]
