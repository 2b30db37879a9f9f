"""The support vector machine with linear or quadratic slack and no bias.

The offset of the decision function comes from the kernel (a constant added to it), so the
dual has no equality constraint and the machine is a probabilistic model's most probable
function (Gold & Sollich 2003, section 2).

Notation: K (n, n) Gram matrix, y labels of +-1, C_i = C s_i with sample weights s_i,
alpha the dual variables, beta = y alpha, theta = K beta decision values, z = y theta margins,
xi = max(0, 1 - z) slacks.

    linear slack     (p = 1): 1/2 theta^T K^-1 theta + sum_i C_i xi_i,      0 <= alpha_i <= C_i
    quadratic slack  (p = 2): 1/2 theta^T K^-1 theta + sum_i C_i xi_i^2/2,  0 <= alpha_i, K + diag(1/C_i)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from kernelect.machines.base import Fitted, Machine
from kernelect.machines.ep.slack import check_slack
from kernelect.machines.svm.box_program import KKT_TOLERANCE, UPPER, BoxQP
from kernelect.machines.svm.box_qp import BoxSolution, solve_box_qp
from kernelect.numerics import CholeskyFactor, mean_diagonal
from kernelect.typing import Array, Indices

#: Part of the mean diagonal that is added to the diagonal under linear slack, in solution and
#: criteria alike: without it rows that occur twice have no unique alpha, and the gradient
#: would be that of another function.
JITTER = 1e-10


@dataclass(frozen=True, kw_only=True)
class SVMState:
    """The solutions of k binary machines that share kernel and C."""

    dual_coef: Array  # (n, k) beta
    ridge: Array  # (n,) what was added to the diagonal of K
    solutions: tuple[BoxSolution, ...]

    @property
    def optimal(self) -> bool:
        """Whether all solutions satisfy their optimality conditions."""
        return all(solution.optimal for solution in self.solutions)


@dataclass(frozen=True, kw_only=True)
class BinarySVM:
    """One solved machine in the letters of the papers: what a criterion works with.

    Rows are marginal support vectors (``free``: 0 < alpha < C_i; for quadratic slack all
    support vectors), bounded ones (``bounded``: alpha = C_i), or no support vectors.
    """

    gram: Array  # (n, n) K
    ridge: Array  # (n,) jitter, or 1/C_i for quadratic slack
    labels: Array  # (n,) y
    weights: Array  # (n,) s
    C: float
    quadratic: bool
    alpha: Array  # (n,)
    margins: Array  # (n,) z
    free: Indices
    bounded: Indices
    factor: CholeskyFactor | None

    @property
    def beta(self) -> Array:
        """Signed dual variables y alpha."""
        return self.labels * self.alpha

    @property
    def box(self) -> Array:
        """C_i = C s_i."""
        return self.C * self.weights

    @property
    def slacks(self) -> Array:
        """xi; with linear slack exactly 0 outside ``bounded``, since z of marginal rows is 1 only to rounding."""
        inside = np.maximum(1.0 - self.margins, 0.0)
        if self.quadratic:
            return inside
        outside = np.ones(len(inside), dtype=bool)
        outside[self.bounded] = False
        inside[outside] = 0.0
        return inside

    @property
    def diagonal(self) -> Array:
        """Diagonal of K + diag(ridge)."""
        return np.diagonal(self.gram) + self.ridge

    def free_block(self) -> Array:
        """Return K + diag(ridge) on the free rows, a copy."""
        block = self.gram[np.ix_(self.free, self.free)]
        block.flat[:: len(self.free) + 1] += self.ridge[self.free]
        return block


class SVM(Machine[SVMState]):
    """Support vector machine; each column of targets is a separate machine.

    Parameters
    ----------
    slack : "linear" or "quadratic"
    tolerance : float
        Largest violation of the optimality conditions, in units of the margin. Gradients of
        criteria differentiate the solution and need the default.

    Notes
    -----
    Cost: a few Cholesky factorisations of the order of the number of free support vectors;
    see box_qp.py for the chain of solvers and its check.
    """

    name = "svm"
    warm_starts: ClassVar[bool] = True

    def __init__(self, slack: str = "linear", tolerance: float = KKT_TOLERANCE) -> None:
        self.slack, self.tolerance = check_slack(slack), tolerance

    @property
    def quadratic(self) -> bool:
        """Whether the slack is quadratic."""
        return self.slack == "quadratic"

    def fit(
        self, gram: Array, targets: Array, regularization: float, weights: Array, warm: SVMState | None = None
    ) -> SVMState:
        problems = self.problems(gram, targets, regularization, weights)
        fits = warm is not None and warm.dual_coef.shape == targets.shape
        starts = list(warm.solutions) if warm is not None and fits else [None] * len(problems)
        solutions = tuple(solve_box_qp(problem, start) for problem, start in zip(problems, starts, strict=True))
        alphas = np.column_stack([solution.alpha for solution in solutions])
        return SVMState(dual_coef=targets * alphas, ridge=problems[0].ridge, solutions=solutions)

    def problems(self, gram: Array, targets: Array, regularization: float, weights: Array) -> list[BoxQP]:
        """Return the quadratic program of every column of ``targets``."""
        # A symmetric matrix is its own transpose: rows are read, so C order is wanted.
        gram = gram if gram.flags.c_contiguous else gram.T
        box = regularization * weights
        scale = mean_diagonal(gram)
        if self.quadratic:  # a row without weight has no variable
            ridge = np.divide(1.0, box, out=np.zeros(len(box)), where=box > 0.0)
            upper = np.where(box > 0.0, np.inf, 0.0)
        else:
            ridge, upper = np.full(len(box), JITTER * scale), box
        return [
            BoxQP(gram=gram, ridge=ridge, labels=labels, upper=upper, target=labels, tolerance=self.tolerance)
            for labels in targets.T
        ]

    def start_of(self, state: SVMState) -> SVMState:
        """Return the state without its factors: a later fit starts from the sides and variables."""
        return replace(state, solutions=tuple(replace(each, factor=None) for each in state.solutions))

    def decide(self, state: SVMState, cross: Array) -> Array:
        return np.asarray(cross.T @ state.dual_coef, dtype=float)

    def doubt(self, state: SVMState) -> str:
        """Return a sentence if a solution is not optimal, else an empty string."""
        worst = max(state.solutions, key=lambda solution: solution.violation / solution.tolerance)
        if worst.optimal:
            return ""
        return (
            f"the support vector machine is solved to {worst.violation:.1e} only ({worst.method}; "
            f"{worst.tolerance:.1e} is aimed at): the kernel matrix is nearly singular"
        )

    def binary(self, fitted: Fitted, column: int) -> BinarySVM:
        """Return the machine of one column of targets in the letters of the papers."""
        state: SVMState = fitted.state
        solution, y = state.solutions[column], fitted.targets[:, column]
        margins = 1.0 - solution.gradient  # y M beta
        if self.quadratic:
            margins = margins - state.ridge * solution.alpha
        return BinarySVM(
            gram=fitted.gram,
            ridge=state.ridge,
            labels=y,
            weights=fitted.weights,
            C=fitted.regularization,
            quadratic=self.quadratic,
            alpha=solution.alpha,
            margins=margins,
            free=solution.free,
            bounded=np.flatnonzero(solution.sides == UPPER),
            factor=solution.factor,
        )
