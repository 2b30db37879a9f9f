"""Labels on landmarks by their own loss: logistic regression refits the coefficients of a least-squares machine.

Beyond 2000 rows the Gaussian process, whose probabilities serve small tables best, takes too long. Logistic regression
takes its place, on the landmarks of a least-squares machine and with its kernel. The log-loss of rows left out decides
which of the two machines stays.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from kernelect.criteria.calibration import calibrated_log_loss
from kernelect.estimators import LSSVC, targets_of
from kernelect.machines.lssvm.landmarks import LandmarkSolution, MachineRows, Moments, WhitenedFrame, moments, solve
from kernelect.machines.lssvm.logistic import FoldedLogistic
from kernelect.mixture.bags import FOLDS, dealt, even_rows, numbered_classes
from kernelect.mixture.base import CANDIDATES, LANDMARKS, Member, MixtureTask
from kernelect.mixture.kernel_machines import KernelMachine
from kernelect.model import Tempered
from kernelect.numerics import Deadline, best_blas_threads, outer_gram, over_blocks, sum_over_blocks
from kernelect.selection.landmarks import BLOCK_ROWS
from kernelect.typing import Array, Indices

#: Ridges in units of that of least squares, tried in turn while rows left out gain, and iterations for each of them.
RIDGES, MAX_ITER = (0.3, 0.1, 0.03), 15

#: Numbers of the largest array at most, 200 MB: of more rows, those that are spread evenly among them.
MOST_NUMBERS = 25_000_000

#: Rows at which relevances are measured.
_RELEVANCE_ROWS = 2000

#: Seconds until the first iteration for each of these numbers and each landmark, about: four products of that size.
_PACE = 1e-9

#: Share of a candidate's time for least squares, before logistic regression refits its coefficients.
_SEARCHING = 0.85


@dataclass(frozen=True, kw_only=True)
class LogisticRefit(KernelMachine):
    """Least squares for labels on landmarks, with coefficients of logistic regression if rows left out prefer them."""

    where: tuple[str, ...] = field(default=(LANDMARKS,), compare=False)

    @classmethod
    def of(cls, machine: KernelMachine) -> Self:
        """Return the candidate that refits a machine."""
        return cls(view=machine.view, kernel=machine.kernel, tied=machine.tied, max_iter=machine.max_iter)

    def fit(self, task: MixtureTask) -> Member:
        machine, shape = self._fitted(task, task.deadline.part(_SEARCHING))
        data = Labelled(V=task.view(self), index=task.y, weights=task.weights)
        return self._member(task, refitted_by_log_loss(machine, data, task.deadline, task.seed), shape)


CANDIDATES.register(LogisticRefit, "logistic")


@dataclass(frozen=True, kw_only=True)
class Labelled:
    """Rows with labels, each left out by itself: inputs (n, d), numbers of classes and weights."""

    V: Array
    index: Indices
    weights: Array

    def part(self, n_classes: int, most: int, seed: int) -> FoldedRows:
        """Return at most so many rows with their folds, the same ones in any order and under any names of classes."""
        kept = self.weights > 0
        index = numbered_classes(self.V[kept], self.index[kept], n_classes)[self.index]
        table = np.column_stack([self.V, index, self.weights])
        rows = even_rows(table, self.weights, most, None)
        return FoldedRows(
            rows=rows,
            V=self.V[rows],
            index=self.index[rows],
            weights=self.weights[rows] / self.weights[rows].mean(),
            fold=dealt(np.arange(len(rows)), index[rows], seed),
        )


@dataclass(frozen=True, kw_only=True)
class FoldedRows:
    """Some rows, in an order of their own, with weights of mean 1 and the number of each row's fold."""

    rows: Indices
    V: Array
    index: Indices
    weights: Array
    fold: Indices

    def blocks(self) -> list[slice]:
        """Return slices that cover all rows."""
        return [slice(first, first + BLOCK_ROWS) for first in range(0, len(self.V), BLOCK_ROWS)]


def refitted_by_log_loss(machine: LSSVC, data: Labelled, deadline: Deadline, seed: int) -> LSSVC:
    """Return the machine with coefficients of logistic regression, if rows left out prefer them.

    Otherwise the machine itself comes back; so it does if it is exact, or if there is no time.
    """
    if machine.landmarks_ is None:
        return machine
    count, n_classes = len(machine.landmarks_), len(machine.classes_)
    width = max(count, FOLDS * n_classes)  # of scores, and of what all folds say of a row
    if deadline.left() < _PACE * min(len(data.V) * width, MOST_NUMBERS) * count:
        return machine
    part = data.part(n_classes, max(MOST_NUMBERS // width, FOLDS), seed)
    unit = float(data.weights[part.rows].mean())
    with best_blas_threads(deadline):
        targets = targets_of(part.index, n_classes)
        least_squares = _least_squares(machine, part, targets, machine.regularization_ / unit)
        folded = _folded(machine, least_squares, part)
        folded, start = folded.turned(folded.start(targets, _inverse_temperature(machine)), RIDGES[0])
        solution = _best(folded, start, deadline)
        v, b = folded.mean(solution)
    few = part.V[np.linspace(0, len(part.V) - 1, min(len(part.V), _RELEVANCE_ROWS)).astype(int)]
    state = replace(least_squares, projected=v, target_mean=b)
    # Of rows beyond the part, on which nothing was trained.
    expansion = replace(machine.model_.components[0].kernel_part, coefficients=state.dual_coef)
    loo = expansion.values(data.V) + np.atleast_1d(state.intercept)
    loo[part.rows] = folded.left_out(solution)
    if not _loss(loo, data) < _loss(machine.loo_decision_, data):
        return machine
    return machine.refitted(state, loo, few)


def _inverse_temperature(machine: LSSVC) -> float:
    """Return where the search begins, to a few digits: it would turn the rounding of sums over rows into more."""
    link = machine.model_.components[0].link
    assert isinstance(link, Tempered)
    return float(f"{link.inverse_temperature:.4g}")


def _loss(decision: Array, data: Labelled) -> float:
    kept = data.weights > 0
    return calibrated_log_loss(decision[kept], data.index[kept], data.weights[kept])


def _best(folded: FoldedLogistic, solution: Array, deadline: Deadline) -> Array:
    """Return the solution of the ridge that rows left out prefer: smaller ones as long as they gain."""
    best, least = solution, np.inf
    for ridge in RIDGES:
        solution = folded.minimized(solution, ridge, MAX_ITER, deadline)
        loss = calibrated_log_loss(folded.left_out(solution), folded.index, folded.weights)
        if not loss < least:
            break
        best, least = solution, loss
        if deadline.passed:
            break
    return best


def _least_squares(machine: LSSVC, part: FoldedRows, targets: Array, ridge: float) -> LandmarkSolution:
    """Return least squares of these rows, on the landmarks of a machine."""
    frame = WhitenedFrame.of(machine.kernel_.gram(machine.X_fit_), targets.mean(axis=0))

    def sums(rows: slice) -> Moments:
        return moments(
            frame,
            MachineRows.of(machine.kernel_.cross(machine.X_fit_, part.V[rows]), targets[rows], part.weights[rows]),
        )

    return solve(frame, sum_over_blocks(sums, part.blocks()), ridge)


def _folded(machine: LSSVC, least_squares: LandmarkSolution, part: FoldedRows) -> FoldedLogistic:
    def of_block(rows: slice) -> Array:
        return least_squares.scores(
            np.require(machine.kernel_.cross(machine.X_fit_, part.V[rows]), requirements=["C", "W"])
        )

    scores, blocks = np.empty((len(machine.X_fit_), len(part.V))), part.blocks()
    for rows, found in zip(blocks, over_blocks(of_block, blocks), strict=True):
        scores[:, rows] = found
    return FoldedLogistic(
        scores=scores,
        ridge=least_squares.regularization * outer_gram(np.tril(least_squares.inverse_factor)),
        index=part.index,
        n_classes=len(machine.classes_),
        weights=part.weights,
        fold=part.fold,
    )
