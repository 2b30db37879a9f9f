"""The dual of a support vector machine without bias: a quadratic program in a box.

    maximise  sum_i alpha_i - 1/2 beta^T M beta,  beta_i = y_i alpha_i,  0 <= alpha_i <= u_i.

Notation: K (n, n) Gram matrix, e (n,) what is added to its diagonal, M = K + diag(e),
y (n,) labels of +-1, u (n,) upper bounds (infinite for quadratic slack), r = y - M beta,
g = y r the gradient of the dual; F the free rows, where g = 0.

Block pivoting: given a guess which rows are at 0, free, or at u, one Cholesky solve on the
free block gives beta, and the rows whose sign is wrong change sides. A handful of solves
suffices, whatever accuracy is asked for; there is no proof that it ends, so the chain is

    warm or coarse start -> pivoting -> proximal pivoting -> interior point,

and the optimality conditions are checked at its end.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from kernelect.exceptions import SingularSystem
from kernelect.linalg import CholeskyFactor, factorize, factorize_overwriting
from kernelect.machines.interior_point import interior_point
from kernelect.typing import Array, Indices

Sides = npt.NDArray[np.int8]
LOWER, FREE, UPPER = 0, 1, 2

#: Largest violation of the optimality conditions, in units of the margin.
KKT_TOLERANCE = 1e-9

_EPSILON = float(np.finfo(float).eps)
_MAX_PIVOTS = 60
_PATIENCE = 6  # pivots without fewer wrong rows
_COARSEST = 256  # rows below which a cold start needs no coarser problem
_EVERY = 4  # one row in four makes the coarser problem
_FIRST_RIDGE = 2e-2  # of proximal pivoting, as a part of the mean diagonal
_FALL = 10.0
_PROXIMAL_STEPS = 25


@dataclass(frozen=True)
class BoxQP:
    """The program; ``gram`` is read row by row, so it should be in C order."""

    gram: Array
    ridge: Array  # (n,) e
    labels: Array  # (n,) y
    upper: Array  # (n,) u
    target: Array  # (n,) in the place of y in r: y itself, but for proximal programs
    tolerance: float = KKT_TOLERANCE

    def around(self, beta: Array, ridge: float) -> BoxQP:
        """Return the program with ridge/2 |. - beta|^2 added."""
        return replace(self, ridge=self.ridge + ridge, target=self.target + ridge * beta)

    def applied(self, beta: Array) -> Array:
        """Return M beta from the rows where beta is not 0."""
        rows = np.flatnonzero(beta)
        return np.asarray(beta[rows] @ self.gram[rows] + self.ridge * beta, dtype=float)

    @cached_property
    def size(self) -> float:
        """Largest entry of the diagonal of M."""
        return float(np.max(np.diagonal(self.gram) + self.ridge))

    def rounding(self, beta: Array) -> float:
        """Return the size of rounding errors in M beta."""
        return 4.0 * _EPSILON * self.size * float(np.abs(beta).sum())


@dataclass(frozen=True)
class BoxSolution:
    """The solution, with what derivatives through it need."""

    alpha: Array  # (n,)
    gradient: Array  # (n,) g = 1 - y M beta
    sides: Sides  # (n,)
    free: Indices  # F
    factor: CholeskyFactor | None  # of M on the free rows; None where there are none
    violation: float  # of the optimality conditions
    tolerance: float
    pivots: int
    method: str

    @property
    def optimal(self) -> bool:
        """Whether the optimality conditions hold to the tolerance, rounding allowed for."""
        return self.violation <= self.tolerance


def solve_box_qp(problem: BoxQP, start: BoxSolution | None = None) -> BoxSolution:
    """Return the solution, from that of a similar problem where given."""
    if start is not None:
        beta = problem.labels * np.minimum(start.alpha, problem.upper)
        found = _pivot(problem, start.sides) or _proximal(problem, start.sides, beta)
        if found is not None:
            return _checked(problem, found, "active set, warm")
    found = _coarse_to_fine(problem)
    if found is not None:
        return _checked(problem, found, "active set")
    return _from_interior_point(problem)


@dataclass(frozen=True)
class _Pivoted:
    beta: Array
    sides: Sides
    factor: CholeskyFactor | None
    pivots: int


def _pivot(problem: BoxQP, sides: Sides, *, capped: bool = True) -> _Pivoted | None:
    """Exchange sides until all signs are right; None where that does not settle.

    With ``capped=False`` all wrong rows change sides at once.
    """
    y, u = problem.labels, problem.upper
    sides = np.where(u > 0, sides, LOWER).astype(np.int8)
    beta, r = np.zeros(len(y)), problem.target.copy()
    fewest, most_free, patience, seen = len(y) + 1, 0.0, _PATIENCE, set[bytes]()
    for count in range(1, _MAX_PIVOTS + 1):
        try:
            beta, r, factor = _moved(problem, sides, beta, r)
        except SingularSystem:
            return None
        new = _exchanged(problem, sides, y * beta, y * r, max(problem.tolerance, problem.rounding(beta)))
        wrong = int(np.count_nonzero(new != sides))
        if not wrong:
            return _Pivoted(beta, sides, factor, count)
        waiting = capped and _cap_additions(new, sides, np.abs(r))
        n_free = int(np.count_nonzero(new == FREE))
        progress = wrong < fewest or (waiting and n_free > 1.1 * most_free)
        patience = _PATIENCE if progress else patience - 1
        fewest, most_free = min(fewest, wrong), max(most_free, n_free)
        mark = new.tobytes()
        if patience < 0 or mark in seen:  # sides that come back would do so for ever
            return None
        seen.add(mark)
        sides = new
    return None


def _moved(problem: BoxQP, sides: Sides, beta: Array, r: Array) -> tuple[Array, Array, CholeskyFactor | None]:
    """Return beta, r and the factor for given sides: r = 0 on the free rows."""
    free = (sides == FREE).nonzero()[0]
    step = -beta
    upper = (sides == UPPER).nonzero()[0]
    step[upper] += problem.labels[upper] * problem.upper[upper]
    step[free] = 0.0
    jumped = step.nonzero()[0]
    factor = None
    if len(jumped):
        r = r - step[jumped] @ problem.gram[jumped]
    if len(free):
        rows = problem.gram[free]
        factor = _free_factor(rows, free, problem.ridge[free])
        step[free] = factor.solve(r[free])
        r = r - step[free] @ rows
    return beta + step, r - problem.ridge * step, factor


def _free_factor(rows: Array, free: Indices, ridge: Array) -> CholeskyFactor:
    """Return the factor of M on the free rows, from those rows of K."""
    block = rows[:, free]
    block.flat[:: len(free) + 1] += ridge
    return factorize_overwriting(block) or factorize(rows[:, free], ridge)


def _exchanged(problem: BoxQP, sides: Sides, alpha: Array, gradient: Array, tolerance: float) -> Sides:
    """Return the sides with every row of wrong sign exchanged."""
    new = sides.copy()
    free = (sides == FREE).nonzero()[0]
    inside = alpha[free]
    new[free[inside < 0.0]] = LOWER
    new[free[inside > problem.upper[free]]] = UPPER
    inward = np.where(sides == UPPER, -gradient, gradient) > tolerance
    inward &= (sides != FREE) & (problem.upper > 0)
    new[inward] = FREE
    return new


def _cap_additions(new: Sides, sides: Sides, violation: Array) -> bool:
    """Let only the most violated rows become free, half as many as there are; say if any waits.

    Freeing all violated rows at once makes blocks far larger than the final one.
    """
    added = np.flatnonzero((new == FREE) & (sides != FREE))
    cap = max(32, int(np.count_nonzero(sides == FREE)) // 2)
    if len(added) <= cap:
        return False
    waiting = added[np.argpartition(-violation[added], cap)[cap:]]
    new[waiting] = sides[waiting]
    return True


def _coarse_to_fine(problem: BoxQP) -> _Pivoted | None:
    """Solve from scratch, from the solution on one row in four where there are many.

    Each row of the coarse problem stands for four: its bound is four times as high.
    """
    n = len(problem.labels)
    if n <= _COARSEST:
        return _pivot_or_proximal(problem, np.full(n, FREE, dtype=np.int8))
    rows = np.arange(n // (2 * _EVERY), n, _EVERY)
    share = n / len(rows)
    coarse = BoxQP(
        problem.gram[np.ix_(rows, rows)],
        problem.ridge[rows] / share,
        problem.labels[rows],
        problem.upper[rows] * share,
        problem.target[rows],
        problem.tolerance,
    )
    found = _coarse_to_fine(coarse)
    if found is None:
        return None
    support = np.flatnonzero(found.beta)
    margins = problem.labels * (found.beta[support] @ problem.gram[rows[support]])
    return _pivot_or_proximal(problem, _sides_from_margins(problem, margins, found.sides))


def _pivot_or_proximal(problem: BoxQP, sides: Sides) -> _Pivoted | None:
    at_upper = np.where(sides == UPPER, problem.labels * problem.upper, 0.0)
    return _pivot(problem, sides) or _proximal(problem, sides, at_upper)


def _sides_from_margins(problem: BoxQP, margins: Array, coarse: Sides) -> Sides:
    """Return a guess of the sides from margins by a coarser solution.

    Without bounds all rows inside the margin are free. With bounds twice as many rows are free
    as there: those nearest to the margin, or where none was at its bound, those deepest inside.
    """
    if not np.isfinite(problem.upper).all():
        return np.where(margins < 1.0 + problem.tolerance, FREE, LOWER).astype(np.int8)
    soft = bool(np.any(coarse == UPPER))
    depth = np.abs(margins - 1.0) if soft else margins
    count = min(len(margins) - 1, 2 * int(np.count_nonzero(coarse == FREE)))
    sides = np.where((margins < 1.0) & soft, UPPER, LOWER).astype(np.int8)
    sides[np.argpartition(depth, count)[: count + 1]] = FREE
    return sides


def _proximal(problem: BoxQP, sides: Sides, beta: Array) -> _Pivoted | None:
    """Pivot with a ridge around the last solution, rho/2 |beta - last|^2, and let rho fall.

    With a large ridge pivoting settles easily; as the last solution takes part in the next
    program, the sides are those of the program itself long before rho is 0.
    """
    scale = float(np.mean(np.diagonal(problem.gram)))
    rho, fall = _FIRST_RIDGE, _FALL
    for _ in range(_PROXIMAL_STEPS):
        found = _pivot(problem.around(beta, rho * scale), sides, capped=False)
        if found is None:
            rho, fall = rho * fall, max(fall**0.5, 2.0)
            continue
        changed = int(np.count_nonzero(found.sides != sides))
        sides, beta = found.sides, found.beta
        exact = _pivot(problem, sides) if changed <= max(3, len(sides) // 50) else None
        if exact is not None:
            return exact
        rho /= fall
    return None


def _from_interior_point(problem: BoxQP) -> BoxSolution:
    """Solve by the interior point, then pivot from where it ended to be exact."""
    point = interior_point(problem.gram, problem.ridge, problem.labels, problem.upper)
    sides = np.where(point.at_lower, LOWER, np.where(point.at_upper, UPPER, FREE)).astype(np.int8)
    beta = problem.labels * point.alpha
    found = _pivot(problem, sides) or _proximal(problem, sides, beta)
    if found is None:
        found = _Pivoted(beta, sides, None, 0)
    return _checked(problem, found, "interior point")


def _checked(problem: BoxQP, found: _Pivoted, method: str) -> BoxSolution:
    """Return the solution with its optimality conditions evaluated afresh.

    r was carried from pivot to pivot; one step of refinement removes what rounding left.
    """
    y, u, free = problem.labels, problem.upper, np.flatnonzero(found.sides == FREE)
    beta = found.beta
    r = problem.target - problem.applied(beta)
    factor = found.factor
    if factor is not None and np.max(np.abs(r[free])) > 1e-2 * problem.tolerance:
        beta = beta.copy()
        beta[free] += factor.solve(r[free])
        r = problem.target - problem.applied(beta)
    elif factor is None and len(free):
        factor = factorize(problem.gram[np.ix_(free, free)], problem.ridge[free])
    alpha, g = np.clip(y * beta, 0.0, u), y * r
    wrong = np.where(found.sides == LOWER, np.maximum(g, 0.0), np.where(found.sides == UPPER, -g, np.abs(g)))
    outside = problem.size * np.abs(y * beta - alpha)  # what clipping changes in the margin
    violation = float(np.max(np.where(u > 0, np.maximum(wrong, outside), 0.0), initial=0.0))
    tolerance = max(problem.tolerance, 16.0 * problem.rounding(beta))
    return BoxSolution(alpha, g, found.sides, free, factor, violation, tolerance, found.pivots, method)
