"""The greedy random walk of Gold & Sollich (2003), section 4.1."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kernelect.results import Status
from kernelect.search.base import Recorder, Search, places, stepped
from kernelect.typing import Array


@dataclass(frozen=True)
class RandomWalk(Search):
    """Zero-temperature Monte Carlo: Gaussian steps, one parameter at a time, taken if they improve.

    The step of each parameter grows after a success and shrinks after a failure by the same
    factor, which holds the acceptance rate near 50 %. It is for criteria that jump, and needs only values, some
    hundred per parameter. One iteration of ``max_iter`` is a sweep over all parameters.

    Parameters
    ----------
    seed : int, optional
        Seed of the steps; estimators set it from their ``random_state``.
    first_step : float
        Standard deviation of the first steps, in log units.
    last_step : float
        The walk has converged when all steps have shrunk below this.
    linear : tuple of int
        Places of parameters (from the end if negative) whose steps are in the parameter itself, in units of its start,
        and not in its logarithm. The paper steps C like this.
    """

    seed: int | None = None
    first_step: float = 0.5
    last_step: float = 0.01
    linear: tuple[int, ...] = ()
    name = "random-walk"
    needs_gradient = False

    #: Factor by which a step grows or shrinks.
    _FACTOR = 1.5
    #: Sweeps without a decrease above tol after which the value no longer changes.
    _PATIENCE = 10

    def seeded(self, seed: int) -> RandomWalk:
        return self if self.seed is not None else replace(self, seed=seed)

    def _run(self, evaluate: Recorder, start: Array, lower: Array, upper: Array) -> tuple[Status, str]:
        generator = np.random.default_rng(self.seed or 0)
        x, steps = start, np.full(len(start), self.first_step)
        value, idle, linear = evaluate(x)[0], 0, places(self.linear, len(start))
        for _ in range(evaluate.budget.max_iter):
            before = value
            for j in generator.permutation(len(x)):
                trial = x.copy()
                step = steps[j] * generator.normal()
                trial[j] = np.clip(stepped(x[j], step, start[j], linear[j]), lower[j], upper[j])
                found = evaluate(trial)[0]
                better = found < value
                if better:
                    x, value = trial, found
                steps[j] *= self._FACTOR if better else 1.0 / self._FACTOR
            if steps.max() < self.last_step:
                return Status.CONVERGED, "the steps are small"
            idle = idle + 1 if before - value <= evaluate.budget.tol * max(abs(value), 1e-8) else 0
            if idle >= self._PATIENCE:
                return Status.CONVERGED, "the decrease is below tol"
        return Status.MAX_ITER, "iteration limit"
