"""The last step of a classifier's selection: ridge and overall width by the leave-one-out log-loss.

PRESS measures squares around targets of +1 and -1, so it rewards fitting the plateaus of the two
classes. A classifier is judged by its labels and probabilities. The shape of the kernel (which
inputs matter, by how much) is taken from the criterion and its prior; the two parameters that set
how smooth the machine is are then chosen once more by the log-loss of probabilities calibrated on
exact leave-one-out decision values. This takes one eigendecomposition per width tried and O(n^2)
per ridge; with many rows it uses half of them.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import minimize_scalar

from kernelect.criteria.calibration import calibrated_log_loss
from kernelect.numerics import NEVER, Deadline
from kernelect.results import Selection
from kernelect.selection.parts import FROM
from kernelect.selection.problem import LeastSquaresObjective
from kernelect.selection.start import spread_part
from kernelect.typing import Array, Indices, Observer

#: Shifts of all log-widths together that are tried: one way until one does not pay, the other where none did.
_SHIFTS = ((-1.5, -3.0, -5.0, -8.0), (1.5,))

#: Rows on which two numbers can be chosen, however many there are.
_MOST_ROWS = 700

#: Ridges tried around the selected one, in logarithms, before the last refinement.
_RIDGES = np.arange(-3.0, 7.5, 1.5)

#: What the run of this step is called.
RECALIBRATED = "recalibrated"


@dataclass(frozen=True)
class _Candidate:
    loss: float
    theta: Array


def recalibrate(objective: LeastSquaresObjective, theta: Array, labels: Indices, deadline: Deadline = NEVER) -> Array:
    """Return ``theta`` with ridge and overall width chosen by the leave-one-out log-loss.

    Parameters
    ----------
    objective : LeastSquaresObjective
        Its targets are +1 and -1.
    theta : ndarray
        The parameters that the criterion selected.
    labels : ndarray of int
        Index of every row's class.
    deadline : Deadline
        No further width is tried after it.
    """
    if not objective.space.free[-1] or deadline.passed:
        return theta
    if len(objective.X) < FROM:
        return _shifted(objective, theta, labels, deadline)
    # On half of the rows an eigendecomposition costs an eighth; all rows have the last word.
    part = spread_part(objective.X, objective.criterion.groups, min(len(objective.X) // 2, _MOST_ROWS))
    proposed = _shifted(objective.on_rows(part), theta, labels[part], deadline)
    return min(theta, proposed, key=lambda each: _log_loss(objective, each, labels))


def _shifted(objective: LeastSquaresObjective, theta: Array, labels: Indices, deadline: Deadline) -> Array:
    """Return the best of several overall widths, each with its best ridge."""
    space = objective.space
    widths = space.all_widths
    widths = widths[space.free[widths] & np.isfinite(theta[widths])]
    before = deadline.left()
    best = at_start = _at_shift(objective, theta, labels)
    longest = before - deadline.left() if np.isfinite(before) else 0.0
    for shifts in _SHIFTS if len(widths) else ():
        for shift in shifts:
            if deadline.left() <= longest:  # the next one takes as long as the first
                return best.theta
            moved = theta.copy()
            moved[widths] = np.clip(theta[widths] + shift, space.lower[widths], space.upper[widths])
            candidate = _at_shift(objective, moved, labels)
            if candidate.loss >= best.loss:
                break
            best = candidate
        if best is not at_start:  # one way paid: the other leads back up
            break
    return best.theta


def recalibrated(
    selection: Selection,
    objective: LeastSquaresObjective,
    labels: Indices,
    deadline: Deadline = NEVER,
    observe: Observer | None = None,
) -> Selection:
    """Return the selection at the recalibrated theta, with a last row in its trace for this step."""
    began = time.monotonic()
    theta = recalibrate(objective, selection.theta, labels, deadline)
    if np.array_equal(theta, selection.theta):
        return selection
    value = objective.value(theta)
    return replace(selection, seconds=selection.seconds + time.monotonic() - began).moved_to(
        theta,
        value,
        objective.at_bound(theta),
        label=RECALIBRATED,
        remark="ridge and overall width then refined on the leave-one-out log-loss",
        observe=observe,
    )


def _log_loss(objective: LeastSquaresObjective, theta: Array, labels: Indices) -> float:
    decision = objective.targets - objective.left_out_residuals(theta)
    return calibrated_log_loss(decision, labels, objective.weights)


def _at_shift(objective: LeastSquaresObjective, theta: Array, labels: Indices) -> _Candidate:
    """Return the best ridge at the kernel of ``theta``."""
    space = objective.space
    path = objective.ridge_path(theta)

    def loss(log_ridge: float) -> float:
        decision = objective.targets - path.residuals(float(np.exp(log_ridge)))
        return calibrated_log_loss(decision, labels, objective.weights)

    grid = np.unique(np.clip(theta[-1] + _RIDGES, space.lower[-1], space.upper[-1]))
    losses = [loss(each) for each in grid]
    at = int(np.argmin(losses))
    around = grid[max(at - 1, 0)], grid[min(at + 1, len(grid) - 1)]
    refined = minimize_scalar(loss, bounds=around, method="bounded", options={"xatol": 0.05})
    ridge, value = (refined.x, refined.fun) if refined.fun < losses[at] else (grid[at], losses[at])
    return _Candidate(float(value), np.append(theta[:-1], ridge))
