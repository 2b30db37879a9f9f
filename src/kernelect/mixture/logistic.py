"""Labels on landmarks by their own loss: the coefficients of a least-squares machine found once more.

Beyond some thousand rows the Gaussian process, whose probabilities serve small tables best, takes too long. Logistic
regression on the landmarks of a least-squares machine, with its kernel, takes its place. Rows left out judge both,
and the better one stays.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernelect.criteria.calibration import calibrated_log_loss
from kernelect.estimators import LSSVC, targets_of
from kernelect.machines.lssvm.landmarks import Frame, LandmarkSolution, Moments, Rows, moments, solve
from kernelect.machines.lssvm.logistic import FoldedLogistic
from kernelect.mixture.bags import dealt, even_rows, units_of
from kernelect.numerics import Deadline, blas_threads_for, over_blocks, sum_over_blocks
from kernelect.selection.landmarks import BLOCK_ROWS
from kernelect.typing import Array, Indices

#: Ridges in units of that of least squares, tried in turn while rows left out gain, and iterations for each of them.
RIDGES, MAX_ITER = (0.3, 0.1, 0.03), 30

#: Scores that are kept at most, 200 MB: of more rows, those that are spread evenly among them.
MOST_SCORES = 25_000_000

#: Rows at which relevances are measured.
_RELEVANCE_ROWS = 2000

#: Seconds until the first iteration for each row and pair of landmarks, about: four products of that size.
_PACE = 1e-9

#: What the status says.
_HOW = "coefficients then refitted by the log-loss"


@dataclass(frozen=True)
class Labelled:
    """Rows with labels: inputs (n, d), numbers of classes, weights, and groups that stay together."""

    V: Array
    index: Indices
    weights: Array
    groups: Indices | None

    def part(self, rows: Indices) -> Labelled:
        """Return some of the rows, with weights of mean 1 and what stays together as their groups."""
        weights = self.weights[rows] / self.weights[rows].mean()
        return Labelled(self.V[rows], self.index[rows], weights, units_of(self.groups, rows))


def by_own_loss(machine: LSSVC, data: Labelled, deadline: Deadline, seed: int) -> LSSVC:
    """Return the machine with coefficients of logistic regression, if rows left out prefer them.

    Otherwise the machine itself comes back; so it does if it is exact, or if there is no time.
    """
    if machine.landmarks_ is None:
        return machine
    count = len(machine.landmarks_)
    if deadline.left() < _PACE * min(len(data.V) * count, MOST_SCORES) * count:
        return machine
    rows = even_rows(np.column_stack([data.V, data.index, data.weights]), data.weights, max(MOST_SCORES // count, 1))
    part, unit = data.part(rows), float(data.weights[rows].mean())
    with blas_threads_for(count, deadline):
        least_squares, targets = _least_squares(machine, part, machine.regularization_ / unit)
        folded = _folded(machine, least_squares, part, seed)
        solution = _best(folded, folded.start(targets, machine._inverse_temperature), deadline)
        v, b = folded.mean(solution)
    few = part.V[np.linspace(0, len(rows) - 1, min(len(rows), _RELEVANCE_ROWS)).astype(int)]
    dual_coef, intercept = least_squares.transform.T @ v, b - least_squares.offset @ v
    found = machine._with_coefficients(dual_coef, intercept, few, _HOW)
    loo = found._decide(data.V)  # rows beyond the part were left out of every fold
    loo[rows] = folded.left_out(solution)
    if _loss(loo, data) >= _loss(machine.loo_decision_, data):
        return machine
    found._keep_decisions(loo, data.index, data.weights)
    return found


def _loss(decision: Array, data: Labelled) -> float:
    kept = data.weights > 0
    return calibrated_log_loss(decision[kept], data.index[kept], data.weights[kept])


def _best(folded: FoldedLogistic, solution: Array, deadline: Deadline) -> Array:
    """Return the solution of the ridge that rows left out prefer: smaller ones as long as they gain."""
    best, least = solution, np.inf
    for ridge in RIDGES:
        solution = folded.minimized(solution, ridge, MAX_ITER, deadline)
        loss = calibrated_log_loss(folded.left_out(solution), folded.index, folded.weights)
        if loss >= least:
            break
        best, least = solution, loss
        if deadline.passed:
            break
    return best


def _least_squares(machine: LSSVC, part: Labelled, ridge: float) -> tuple[LandmarkSolution, Array]:
    """Return least squares of the rows, and its targets (n, k)."""
    targets = targets_of(part.index, len(machine.classes_))
    frame = Frame.of(machine.kernel_.gram(machine.X_fit_), targets.mean(axis=0))

    def sums(rows: slice) -> Moments:
        return moments(frame, Rows.of(_cross(machine, part.V[rows]), targets[rows], part.weights[rows]))

    return solve(frame, sum_over_blocks(sums, _blocks(part)), ridge), targets


def _folded(machine: LSSVC, least_squares: LandmarkSolution, part: Labelled, seed: int) -> FoldedLogistic:
    assert part.groups is not None
    scores = over_blocks(lambda rows: least_squares.scores(_cross(machine, part.V[rows])), _blocks(part))
    return FoldedLogistic(
        scores=np.hstack(list(scores)),
        index=part.index,
        n_classes=len(machine.classes_),
        weights=part.weights,
        fold=dealt(part.groups, part.index, seed),
    )


def _cross(machine: LSSVC, V: Array) -> Array:
    """Return kernel values between landmarks and rows that may be overwritten."""
    return np.require(machine._cross(V), requirements=["C", "W"])


def _blocks(part: Labelled) -> list[slice]:
    return [slice(first, first + BLOCK_ROWS) for first in range(0, len(part.V), BLOCK_ROWS)]
