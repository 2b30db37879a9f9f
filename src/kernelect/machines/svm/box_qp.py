"""Solves a program in a box by a chain of solvers, and checks the result of each.

Notation as in box_program.py. Pivoting (pivoting.py) is quick, but there is no proof that it ends, so the
chain is

    warm start -> coarse start -> interior point,

each with pivoting and, if that does not settle, proximal pivoting. Each link ends with a check of
the optimality conditions; if they do not hold, the next link is tried.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kernelect.machines.svm.box_program import FREE, LOWER, UPPER, BoxQP, Sides
from kernelect.machines.svm.interior_point import interior_point
from kernelect.machines.svm.pivoting import Pivoted, pivot
from kernelect.numerics import CholeskyFactor, factorize
from kernelect.typing import Array, Indices

_TRUSTED = 1e-2  # part of the tolerance that rounding may take without another look
_ROUNDINGS = 16.0  # rounding errors that a violation may consist of,
_LOOSEST = 1e-2  # but never more than this, in units of the margin
_COARSEST = 256  # rows below which a cold start needs no coarser problem
_EVERY = 4  # one row in four makes the coarser problem
_FIRST_RIDGE = 2e-2  # of proximal pivoting, as a part of the mean diagonal
_FALL = 10.0
_PROXIMAL_STEPS = 25
_REFINEMENTS = 3  # steps that remove what rounding left on the free rows


@dataclass(frozen=True, kw_only=True)
class BoxSolution:
    """The solution, with the parts that its derivatives need."""

    alpha: Array  # (n,)
    gradient: Array  # (n,) g = 1 - y M beta
    sides: Sides  # (n,)
    free: Indices  # F
    factor: CholeskyFactor | None  # of M on the free rows; None if there are none
    violation: float  # of the optimality conditions
    tolerance: float
    pivots: int
    method: str

    @property
    def optimal(self) -> bool:
        """Whether the optimality conditions hold within the tolerance, allowing for rounding."""
        return self.violation <= self.tolerance


def solve_box_qp(problem: BoxQP, start: BoxSolution | None = None) -> BoxSolution:
    """Return the solution, starting from that of a similar problem if given."""
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
        sides = problem.within_bounds(start.sides)
        found = pivot(problem, sides) or _proximal(problem, sides, beta)
        if found is not None:
            yield _checked(problem, found, "active set, warm")
    found = _coarse_to_fine(problem)
    if found is not None:
        yield _checked(problem, found, "active set")
    yield from _by_interior_point(problem)


def _coarse_to_fine(problem: BoxQP) -> Pivoted | None:
    """Solve from scratch, from the solution on one row in four if there are many.

    Each row of the coarse problem stands for four: its bound is four times as high.
    """
    n = len(problem.labels)
    if n <= _COARSEST:
        return _pivot_or_proximal(problem, np.full(n, FREE, dtype=np.int8))
    some = slice(n // (2 * _EVERY), n, _EVERY)
    rows = np.arange(n)[some]
    share = n / len(rows)
    coarse = BoxQP(
        gram=np.ascontiguousarray(problem.gram[some, some]),
        ridge=problem.ridge[some] / share,
        labels=problem.labels[some],
        upper=problem.upper[some] * share,
        target=problem.target[some],
        tolerance=problem.tolerance,
    )
    found = _coarse_to_fine(coarse)
    if found is None:
        return None
    support = found.beta.nonzero()[0]
    margins = problem.labels * (found.beta[support] @ problem.gram.take(rows[support], axis=0))
    return _pivot_or_proximal(problem, _sides_from_margins(problem, margins, found.sides))


def _pivot_or_proximal(problem: BoxQP, sides: Sides) -> Pivoted | None:
    at_upper = np.where(sides == UPPER, problem.labels * problem.upper, 0.0)
    return pivot(problem, sides) or _proximal(problem, sides, at_upper)


def _sides_from_margins(problem: BoxQP, margins: Array, coarse: Sides) -> Sides:
    """Return a guess of the sides from margins by a coarser solution.

    Without bounds all rows inside the margin are free. With bounds twice as many rows are free
    as there: those nearest to the margin, or if none was at its bound, those deepest inside.
    """
    if not np.isfinite(problem.upper).all():
        return np.where(margins < 1.0 + problem.tolerance, FREE, LOWER).astype(np.int8)
    soft = bool(np.any(coarse == UPPER))
    depth = np.abs(margins - 1.0) if soft else margins
    count = min(len(margins) - 1, 2 * int(np.count_nonzero(coarse == FREE)))
    sides = np.where((margins < 1.0) & soft, UPPER, LOWER).astype(np.int8)
    sides[np.argpartition(depth, count)[: count + 1]] = FREE
    return sides


def _proximal(problem: BoxQP, sides: Sides, beta: Array) -> Pivoted | None:
    """Pivot with a ridge around the last solution, rho/2 |beta - last|^2, and let rho fall.

    With a large ridge pivoting settles easily; as the last solution takes part in the next
    program, the sides are those of the program itself long before rho is 0.
    """
    scale = float(np.mean(np.diagonal(problem.gram)))
    rho, fall = _FIRST_RIDGE, _FALL
    for _ in range(_PROXIMAL_STEPS):
        found = pivot(problem.around(beta, rho * scale), sides, capped=False)
        if found is None:
            rho, fall = rho * fall, max(fall**0.5, 2.0)
            continue
        changed = int(np.count_nonzero(found.sides != sides))
        sides, beta = found.sides, found.beta
        exact = pivot(problem, sides) if changed <= max(3, len(sides) // 50) else None
        if exact is not None:
            return exact
        rho /= fall
    return None


def _by_interior_point(problem: BoxQP) -> Iterator[BoxSolution]:
    """Yield the interior point's solution made exact by pivoting, then as it is."""
    point = interior_point(problem.gram, problem.ridge, problem.labels, problem.upper)
    sides = np.where(point.at_lower, LOWER, np.where(point.at_upper, UPPER, FREE)).astype(np.int8)
    beta = problem.labels * point.alpha
    found = pivot(problem, sides) or _proximal(problem, sides, beta)
    if found is not None:
        yield _checked(problem, found, "interior point")
    yield _checked(
        problem, Pivoted(beta=beta, r=beta, sides=sides, factor=None, pivots=0, drift=np.inf), "interior point"
    )


def _checked(problem: BoxQP, found: Pivoted, method: str) -> BoxSolution:
    """Return the solution with its optimality conditions.

    r was carried from pivot to pivot: if rounding may have moved it, it is evaluated afresh,
    and a few steps of refinement remove what is left on the free rows.
    """
    y, u, free = problem.labels, problem.upper, (found.sides == FREE).nonzero()[0]
    r, factor, alpha = found.r, found.factor, np.clip(y * found.beta, 0.0, u)
    if found.drift > _TRUSTED * problem.tolerance:
        r = problem.target - problem.applied(y * alpha)
        for _ in range(_REFINEMENTS):
            if factor is None or np.max(np.abs(r[free])) <= _TRUSTED * problem.tolerance:
                break
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
    return BoxSolution(
        alpha=alpha,
        gradient=g,
        sides=found.sides,
        free=free,
        factor=factor,
        violation=float(wrong.max()),
        tolerance=tolerance,
        pivots=found.pivots,
        method=method,
    )
