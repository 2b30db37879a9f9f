"""Exact leave-one-out of support vector machines, by training n times less one row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from kernelect.criteria.base import CriterionValue
from kernelect.criteria.svm.binary import SVMCriterion, flip_nats
from kernelect.machines import SVM, Fitted
from kernelect.machines.svm.box_qp import solve_box_qp
from kernelect.machines.svm.machine import SVMState
from kernelect.numerics import time_is_up
from kernelect.typing import Array


@dataclass(frozen=True, kw_only=True)
class _Retraining:
    """The machine of one column of targets, trained without one row."""

    row: int
    column: int
    decision: float  # of the row left out
    solved: bool


def _retrainings(fitted: Fitted) -> Iterator[_Retraining]:
    """Yield one per support vector, each solved from the sides of the whole solution: a pivot or two.

    If time is up, none after the first.
    """
    machine, state = fitted.machine, fitted.state
    assert isinstance(machine, SVM)
    assert isinstance(state, SVMState)
    problems = machine.problems(fitted.gram, fitted.targets, fitted.regularization, fitted.weights)
    for column, (problem, solution) in enumerate(zip(problems, state.solutions, strict=True)):
        for row in map(int, np.flatnonzero(solution.alpha)):
            upper = problem.upper.copy()
            upper[row] = 0.0
            without = solve_box_qp(replace(problem, upper=upper), solution)
            yield _Retraining(
                row=row,
                column=column,
                decision=problem.gram[row] @ (problem.labels * without.alpha),
                solved=without.optimal,
            )
            if time_is_up():
                return


def leave_one_out_decisions(fitted: Fitted) -> Array:
    """Return the decision value (n, k) of every row from the machine trained without it.

    A row that is no support vector keeps its own: the machine without it is the same. NaN for the support
    vectors that time did not suffice for.
    """
    decisions = np.asarray(fitted.gram @ fitted.state.dual_coef, dtype=float)
    decisions[fitted.state.dual_coef != 0.0] = np.nan
    for each in _retrainings(fitted):
        decisions[each.row, each.column] = each.decision
    return decisions


class LeaveOneOut(SVMCriterion):
    """The exact leave-one-out error rate; ``pointwise`` are the decision values behind it.

    A row is an error if its label would not be predicted. The cost is one warm-started solution for every support
    vector. There is no gradient, because this is a step function.
    """

    name = "loo"
    words = "the leave-one-out error"
    has_gradient = False

    def value(self, fitted: Fitted) -> CriterionValue:
        decisions = leave_one_out_decisions(fitted)
        wrong, known = (decisions > 0) != (fitted.targets > 0), np.isfinite(decisions)
        weights = fitted.weights[:, None] * known
        rates = np.sum(wrong * weights, axis=0) / np.maximum(weights.sum(axis=0), np.finfo(float).tiny)
        return CriterionValue(value=float(rates.sum()), pointwise=decisions)

    def value_and_gradient(self, fitted: Fitted) -> CriterionValue:
        return self.value(fitted)

    def nats(self, value: float, fitted: Fitted) -> tuple[float, float]:
        return flip_nats(value, fitted)

    def doubt(self, fitted: Fitted) -> str:
        solved = [each.solved for each in _retrainings(fitted)]
        if all(solved):
            return ""
        return f"{len(solved) - sum(solved)} of {len(solved)} leave-one-out machines could not be solved exactly"
