"""The search for criteria whose gradient is better known than their value.

Notation: g the gradient, r the learning rate of each parameter, theta <- theta - r g.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernelect.results import Status
from kernelect.search.base import Recorder, Search, places, stepped
from kernelect.typing import Array


@dataclass(frozen=True)
class GradientAscent(Search):
    """Gradient ascent (of the evidence) with one learning rate per parameter, adapted by gradients only.

    This is the search of Gold & Sollich (2003), section 4.3, whose evidence is known by sampled gradients. If the
    gradient has grown sharply or turned round after a step, the step is discarded and the rates are lowered.
    Otherwise the rate of a parameter grows while its derivative does not fall quickly, and shrinks if the derivative
    changed sign. Values are never compared, and the search returns the last point. It ends when the gradient has
    fallen to sqrt(tol) of the largest one seen.

    Parameters
    ----------
    first_step : float
        Largest change of a logarithm in the first step.
    largest_step : float
        Largest change of a logarithm in any step.
    linear : tuple of int
        Places of parameters (from the end if negative) whose steps are in the parameter itself, in units of its start,
        and not in its logarithm. The paper steps C like this.
    """

    first_step: float = 0.3
    largest_step: float = 1.0
    linear: tuple[int, ...] = ()
    name = "gradient-ascent"

    _GROWN, _TURNED = 1.5, -0.5
    _FASTER, _SLOWER, _QUICK = 1.5, 0.5, 0.7
    _SMALLEST_STEP = 1e-6

    def _run(self, evaluate: Recorder, start: Array, lower: Array, upper: Array) -> tuple[Status, str]:
        x, largest, linear = start, 0.0, places(self.linear, len(start))

        def in_steps(g: Array, x: Array) -> Array:
            """Return the derivatives in what is stepped."""
            return np.where(linear, g * np.exp(start - x), g) if linear.any() else g

        value, g = self._evaluate(evaluate, x, lower, upper)
        g = in_steps(g, x)
        rates = np.full(len(x), self.first_step / max(float(np.abs(g).max()), 1e-300))
        for _ in range(evaluate.budget.max_iter):
            largest = max(largest, float(np.linalg.norm(g)))
            if float(np.linalg.norm(g)) <= np.sqrt(evaluate.budget.tol) * largest:
                return self._ended(evaluate, x, value, Status.CONVERGED)
            step = np.clip(rates * g, -self.largest_step, self.largest_step)
            trial = np.clip(stepped(x, -step, start, linear), lower, upper)
            if float(np.abs(trial - x).max()) < self._SMALLEST_STEP:
                return self._ended(evaluate, x, value, Status.STALLED)
            trial_value, trial_g = self._evaluate(evaluate, trial, lower, upper)
            trial_g = in_steps(trial_g, trial)
            if not np.isfinite(trial_value) or self._passed_optimum(g, trial_g):
                rates *= self._SLOWER
                continue
            slow = (trial_g * g > 0.0) & (np.abs(trial_g) > self._QUICK * np.abs(g))
            rates *= np.where(trial_g * g < 0.0, self._SLOWER, np.where(slow, self._FASTER, 1.0))
            x, value, g = trial, trial_value, trial_g
        return self._ended(evaluate, x, value, Status.MAX_ITER)

    def _passed_optimum(self, before: Array, after: Array) -> bool:
        """Tell a gradient that has grown sharply or turned round."""
        norms = float(np.linalg.norm(before)), float(np.linalg.norm(after))
        return norms[1] > self._GROWN * norms[0] or float(before @ after) < self._TURNED * norms[0] * norms[1]

    @staticmethod
    def _evaluate(evaluate: Recorder, x: Array, lower: Array, upper: Array) -> tuple[float, Array]:
        """Return value, as the trace has it, and gradient without the entries that push against a bound."""
        _, g = evaluate(x)  # in units of the first value
        return evaluate.rows[-1].value, np.where(((x <= lower) & (g > 0)) | ((x >= upper) & (g < 0)), 0.0, g)

    @staticmethod
    def _ended(evaluate: Recorder, x: Array, value: float, status: Status) -> tuple[Status, str]:
        """Keep the last point, not the one with the luckiest value; a start that is not finite is no point to keep."""
        if np.isfinite(value):
            evaluate.best_theta, evaluate.best_value = x.copy(), value
        return status, "by the gradient alone"
