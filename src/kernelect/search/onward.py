"""A search that goes on where another one of a like function has ended, with the curvature that was learned there.

Notation: g the gradient, H the inverse Hessian, updated by BFGS (Nocedal & Wright 2006, eq. 6.17).
"""

from __future__ import annotations

import numpy as np

from kernelect.results import Status
from kernelect.search.base import Recorder
from kernelect.search.secant import InverseHessian, projected
from kernelect.typing import Array

#: Length of the longest step at first, in log units of any one parameter, and what it grows and shrinks by.
_LONGEST, _GROW, _SHRINK = 1.0, 2.0, 0.4

#: Share of the decrease that the gradient promises which a step has to bring.
_ENOUGH = 1e-4

#: Shortest step worth an evaluation.
_SHORTEST = 1e-4


def go_on(evaluate: Recorder, start: Array, lower: Array, upper: Array, *, inverse: Array) -> tuple[Status, str]:
    """Take Newton-like steps from a known inverse Hessian, within bounds.

    Every evaluation is dear here and few are left, so none is spent on a line search: a step that fails still tells of
    the curvature, and the next one is a shorter one by a better model. It ends if the model expects less than
    ``tol`` of the value.
    """
    x, (value, gradient) = start, evaluate(start)
    curvature, longest = (
        InverseHessian(evaluate.unit * inverse),
        _LONGEST,
    )  # of values in the unit in which they are seen
    for _ in range(evaluate.budget.max_iter):
        evaluate.inverse = curvature.inverse
        inner = projected(gradient, x, lower, upper)
        step = curvature.step(inner)
        step *= min(1.0, longest / max(float(np.abs(step).max()), _SHORTEST))
        there = np.clip(x + step, lower, upper)
        promised = -float(inner @ (there - x))
        if 0.5 * promised <= evaluate.budget.tol * max(abs(value), 1.0) or np.abs(there - x).max() < _SHORTEST:
            return Status.CONVERGED, "no more to gain"
        new_value, new_gradient = evaluate(there)
        curvature.update(there - x, new_gradient - gradient)
        if new_value <= value - _ENOUGH * promised:
            x, value, gradient, longest = there, new_value, new_gradient, _GROW * longest
        else:
            longest = _SHRINK * float(np.abs(there - x).max())
    return Status.MAX_ITER, ""
