"""The search for criteria that are costly, rough and without gradient: a scan of one parameter."""

from __future__ import annotations

import numpy as np

from kernelect.results import Status
from kernelect.search.base import Recorder, Search
from kernelect.typing import Array


class Scan(Search):
    """Steps of one log unit around the start, then finer ones around the best.

    One parameter: a grid over 4 units either side, extended while the best point is
    its end, then the interval around the best is halved twice. Unlike a
    simplex it is not stopped by the plateaus and small bumps of an error count. Several
    parameters: a compass search, one parameter at a time, with a step that is halved where no
    direction improves; few parameters only.
    """

    name = "scan"
    needs_gradient = False

    _REACH = 4
    _REFINEMENTS = 2
    _LAST_STEP = 0.2

    def _run(self, evaluate: Recorder, start: Array, lower: Array, upper: Array) -> tuple[Status, str]:
        if len(start) > 1:
            return self._compass(evaluate, start, lower, upper)
        values: dict[float, float] = {}

        def visit(x: float) -> None:
            x = float(np.clip(x, lower[0], upper[0]))
            if x not in values:
                values[x] = evaluate(np.array([x]))[0]

        for step in sorted(range(-self._REACH, self._REACH + 1), key=abs):
            visit(start[0] + step)
        while (best := _best(values)) in (min(values), max(values)) and lower[0] < best < upper[0]:
            visit(best - 1.0 if best == min(values) else best + 1.0)
        width = 1.0
        for _ in range(self._REFINEMENTS):
            width, best = 0.5 * width, _best(values)
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


def _best(values: dict[float, float]) -> float:
    """Return the place of the smallest value; among equals the one in the middle."""
    least = min(values.values())
    ties = sorted(x for x, value in values.items() if value == least)
    return ties[len(ties) // 2]
