"""The dual of a support vector machine without bias: a quadratic program in a box.

    maximise  sum_i alpha_i - 1/2 beta^T M beta,  beta_i = y_i alpha_i,  0 <= alpha_i <= u_i.

Notation: K (n, n) Gram matrix, e (n,) what is added to its diagonal, M = K + diag(e),
y (n,) labels of +-1, u (n,) upper bounds (infinite for quadratic slack), r = y - M beta,
g = y r the gradient of the dual; F the free rows, where g = 0.

Block pivoting: given a guess which rows are at 0, free, or at u, one Cholesky solve on the
free block gives beta, and the rows whose sign is wrong change sides. A handful of solves
suffices, whatever accuracy is asked for; there is no proof that it ends, so the chain is

    warm start -> coarse start -> interior point,

each with pivoting and, where that does not settle, proximal pivoting. The optimality conditions
are checked at the end of each link, and the next is tried where they do not hold.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from kernelect.exceptions import SingularSystem
from kernelect.machines.svm.interior_point import interior_point
from kernelect.numerics import CholeskyFactor, factorize, factorize_overwriting
from kernelect.typing import Array, Indices, Mask

Sides = npt.NDArray[np.int8]

#: The direction in which alpha may go: a row at a bound is wrong where its gradient has that sign.
LOWER, FREE, UPPER = 1, 0, -1

#: Largest violation of the optimality conditions, in units of the margin.
KKT_TOLERANCE = 1e-9

_EPSILON = float(np.finfo(float).eps)
_MAX_PIVOTS = 60
_PATIENCE = 6  # pivots without fewer wrong rows
_TRUSTED = 1e-2  # part of the tolerance that rounding may take without another look
_ROUNDINGS = 16.0  # rounding errors that a violation may consist of,
_LOOSEST = 1e-2  # but never more than this, in units of the margin
_COARSEST = 256  # rows below which a cold start needs no coarser problem
_EVERY = 4  # one row in four makes the coarser problem
_GROWTH = 4  # free rows may become more by a quarter in one pivot,
_FEW = 32  # or by this many
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

    @cached_property
    def bounds(self) -> Array:
        """Beta at the upper bounds."""
        return self.labels * self.upper

    @cached_property
    def fixed(self) -> Mask | None:
        """Rows whose bounds are both 0, if there are any."""
        fixed = self.upper <= 0.0
        return fixed if fixed.any() else None

    def settled(self, sides: Sides) -> Sides:
        """Return ``sides``, which may be those of another program, as far as the bounds allow them."""
        if self.fixed is not None:
            sides = np.where(self.fixed, np.int8(LOWER), sides)
        if self.unbounded is not None:
            sides = np.where(self.unbounded & (sides == UPPER), np.int8(FREE), sides)
        return sides

    @cached_property
    def unbounded(self) -> Mask | None:
        """Rows without upper bound, if there are any."""
        unbounded = np.isinf(self.upper)
        return unbounded if unbounded.any() else None

    def around(self, beta: Array, ridge: float) -> BoxQP:
        """Return the program with ridge/2 |. - beta|^2 added."""
        return replace(self, ridge=self.ridge + ridge, target=self.target + ridge * beta)

    def applied(self, beta: Array) -> Array:
        """Return M beta from the rows where beta is not 0."""
        rows = np.flatnonzero(beta)
        return np.asarray(beta[rows] @ self.gram[rows] + self.ridge * beta, dtype=float)

    @cached_property
    def scale(self) -> Array:
        """Square roots of the diagonal of K: |K_ij| <= scale_i scale_j."""
        return np.sqrt(np.maximum(self.gram.diagonal(), 0.0))

    @cached_property
    def _largest_scale(self) -> float:
        return float(self.scale.max())

    def rounding(self, beta: Array) -> float:
        """Return a bound of the rounding errors in M beta."""
        size = np.abs(beta)
        return 4.0 * _EPSILON * float(self._largest_scale * (self.scale @ size) + self.ridge @ size)

    def row_rounding(self, beta: Array) -> Array:
        """Return the same for every row, which is less where rows are of different size."""
        size = np.abs(beta)
        return np.asarray((4.0 * _EPSILON) * (self.scale * (self.scale @ size) + self.ridge * size), dtype=float)

    def resolution(self, beta: Array, rounding: float) -> Array | float:
        """Return the violation that counts as none: the tolerance, or what rounding makes of it."""
        if rounding <= self.tolerance:
            return self.tolerance
        return np.maximum(self.tolerance, self.row_rounding(beta))


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
    best: BoxSolution | None = None
    for found in _chain(problem, start):
        if found.optimal:
            return found
        if best is None or not best.violation <= found.violation:
            best = found
    assert best is not None
    return best


def _chain(problem: BoxQP, start: BoxSolution | None) -> Iterator[BoxSolution]:
    """Yield what each link makes of the problem, the fastest first."""
    if start is not None:
        beta = problem.labels * np.minimum(start.alpha, problem.upper)
        sides = problem.settled(start.sides)
        found = _pivot(problem, sides) or _proximal(problem, sides, beta)
        if found is not None:
            yield _checked(problem, found, "active set, warm")
    found = _coarse_to_fine(problem)
    if found is not None:
        yield _checked(problem, found, "active set")
    yield from _by_interior_point(problem)


@dataclass(frozen=True)
class _Pivoted:
    beta: Array
    r: Array
    sides: Sides
    factor: CholeskyFactor | None
    pivots: int
    drift: float  # of r, which is carried from pivot to pivot, by rounding


def _pivot(problem: BoxQP, sides: Sides, *, capped: bool = True) -> _Pivoted | None:
    """Exchange sides until all signs are right; None where that does not settle.

    With ``capped=False`` all wrong rows change sides at once.
    """
    n = len(sides)
    sides = problem.settled(sides)
    beta, r, drift = np.zeros(n), problem.target.copy(), 0.0
    fewest, most_free, patience, seen = n + 1, 0.0, _PATIENCE, set[bytes]()
    for count in range(1, _MAX_PIVOTS + 1):
        free = (sides == FREE).nonzero()[0]
        try:
            beta, r, factor = _moved(problem, sides, free, beta, r)
        except SingularSystem:
            return None
        rounding = problem.rounding(beta)
        drift += rounding
        if drift > _MAX_PIVOTS * max(problem.tolerance, rounding):  # beta has been far larger
            r, drift = problem.target - problem.applied(beta), rounding
        cap = max(_FEW, len(free) // _GROWTH) if capped else n
        new = _exchanged(problem, sides, free, beta, r, problem.resolution(beta, rounding), cap)
        if not new.wrong:
            return _Pivoted(beta, r, sides, factor, count, drift)
        progress = new.wrong < fewest or (new.waiting and new.n_free > 1.1 * most_free)
        patience = _PATIENCE if progress else patience - 1
        fewest, most_free = min(fewest, new.wrong), max(most_free, new.n_free)
        mark = new.sides.tobytes()
        if patience < 0 or mark in seen:  # sides that come back would do so for ever
            return None
        seen.add(mark)
        sides = new.sides
    return None


def _moved(
    problem: BoxQP, sides: Sides, free: Indices, beta: Array, r: Array
) -> tuple[Array, Array, CholeskyFactor | None]:
    """Return beta, r and the factor for given sides: r = 0 on the free rows."""
    at_bounds = np.where(sides == UPPER, problem.bounds, 0.0)
    step = at_bounds - beta
    step[free] = 0.0
    jumped = step.nonzero()[0]
    factor = None
    if len(jumped):
        r = r - step[jumped] @ problem.gram.take(jumped, axis=0)
    if len(free):
        rows = problem.gram.take(free, axis=0)
        factor = _free_factor(rows, free, problem.ridge[free])
        step[free] = found = factor.solve(r[free])
        r = r - found @ rows
    at_bounds[free] = beta[free] + step[free]  # all others are at their bounds exactly, however far they came
    return at_bounds, r - problem.ridge * step, factor


def _free_factor(rows: Array, free: Indices, ridge: Array) -> CholeskyFactor:
    """Return the factor of M on the free rows, from those rows of K."""
    block = rows.take(free, axis=1)
    block.flat[:: len(free) + 1] += ridge
    return factorize_overwriting(block) or factorize(rows[:, free], ridge)


@dataclass(frozen=True)
class _Exchanged:
    sides: Sides
    wrong: int  # rows of the wrong sign
    waiting: bool  # whether some of them had to stay
    n_free: int


def _exchanged(
    problem: BoxQP, sides: Sides, free: Indices, beta: Array, r: Array, tolerance: Array | float, cap: int
) -> _Exchanged:
    """Let rows of wrong sign change sides, and at most ``cap`` of them become free: the most violated.

    Freeing all violated rows at once makes blocks far larger than the final one.
    """
    inward = problem.labels * r * sides > tolerance
    if problem.fixed is not None:
        inward &= ~problem.fixed
    added = inward.nonzero()[0]
    alpha = problem.labels[free] * beta[free]
    below, above = free[alpha < 0.0], free[alpha > problem.upper[free]]
    leaving = len(below) + len(above)
    wrong, waiting = len(added) + leaving, len(added) > cap
    if waiting:
        added = added[np.argpartition(-np.abs(r[added]), cap)[:cap]]
    new = sides.copy()
    new[added], new[below], new[above] = FREE, LOWER, UPPER
    return _Exchanged(new, wrong, waiting, len(free) - leaving + len(added))


def _coarse_to_fine(problem: BoxQP) -> _Pivoted | None:
    """Solve from scratch, from the solution on one row in four where there are many.

    Each row of the coarse problem stands for four: its bound is four times as high.
    """
    n = len(problem.labels)
    if n <= _COARSEST:
        return _pivot_or_proximal(problem, np.full(n, FREE, dtype=np.int8))
    some = slice(n // (2 * _EVERY), n, _EVERY)
    rows = np.arange(n)[some]
    share = n / len(rows)
    coarse = BoxQP(
        np.ascontiguousarray(problem.gram[some, some]),
        problem.ridge[some] / share,
        problem.labels[some],
        problem.upper[some] * share,
        problem.target[some],
        problem.tolerance,
    )
    found = _coarse_to_fine(coarse)
    if found is None:
        return None
    support = found.beta.nonzero()[0]
    margins = problem.labels * (found.beta[support] @ problem.gram.take(rows[support], axis=0))
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


def _by_interior_point(problem: BoxQP) -> Iterator[BoxSolution]:
    """Yield the interior point's solution made exact by pivoting, then as it is."""
    point = interior_point(problem.gram, problem.ridge, problem.labels, problem.upper)
    sides = np.where(point.at_lower, LOWER, np.where(point.at_upper, UPPER, FREE)).astype(np.int8)
    beta = problem.labels * point.alpha
    found = _pivot(problem, sides) or _proximal(problem, sides, beta)
    if found is not None:
        yield _checked(problem, found, "interior point")
    yield _checked(problem, _Pivoted(beta, beta, sides, None, 0, np.inf), "interior point")


def _checked(problem: BoxQP, found: _Pivoted, method: str) -> BoxSolution:
    """Return the solution with its optimality conditions.

    r was carried from pivot to pivot: where rounding may have moved it, it is evaluated afresh,
    and one step of refinement removes what is left on the free rows.
    """
    y, u, free = problem.labels, problem.upper, (found.sides == FREE).nonzero()[0]
    r, factor, alpha = found.r, found.factor, np.clip(y * found.beta, 0.0, u)
    if found.drift > _TRUSTED * problem.tolerance:
        r = problem.target - problem.applied(y * alpha)
        if factor is not None and np.max(np.abs(r[free])) > _TRUSTED * problem.tolerance:
            alpha[free] = np.clip(alpha[free] + y[free] * factor.solve(r[free]), 0.0, u[free])
            r = problem.target - problem.applied(y * alpha)
    if factor is None and len(free):
        factor = factorize(problem.gram[np.ix_(free, free)], problem.ridge[free])
    g = y * r
    wrong = np.maximum(g * found.sides, 0.0)
    wrong[free] = np.abs(g[free])
    if problem.fixed is not None:
        wrong[problem.fixed] = 0.0
    rounding = _ROUNDINGS * problem.rounding(alpha)
    tolerance = max(problem.tolerance, min(rounding, _LOOSEST))
    return BoxSolution(alpha, g, found.sides, free, factor, float(wrong.max()), tolerance, found.pivots, method)
