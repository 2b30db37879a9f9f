"""Block pivoting: guess which rows are at 0, free, or at u; then rows of the wrong sign change sides.

Notation as in box_program.py. One Cholesky solve on the free block gives beta for a guess. A handful of
solves is enough for any accuracy, but there is no proof that the method ends.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernelect.exceptions import SingularSystem
from kernelect.machines.svm.box_program import FREE, LOWER, UPPER, BoxQP, Sides
from kernelect.numerics import CholeskyFactor, factorize, factorize_overwriting
from kernelect.typing import Array, Indices

_MAX_PIVOTS = 60
_PATIENCE = 6  # pivots without fewer wrong rows
_GROWTH = 4  # free rows may become more by a quarter in one pivot,
_FEW = 32  # or by this many


@dataclass(frozen=True, kw_only=True)
class Pivoted:
    """The state in which the exchange of sides ended."""

    beta: Array
    r: Array
    sides: Sides
    factor: CholeskyFactor | None
    pivots: int
    drift: float  # of r, which is carried from pivot to pivot, by rounding


def pivot(problem: BoxQP, sides: Sides, *, capped: bool = True) -> Pivoted | None:
    """Exchange sides until all signs are right; return None if that does not settle.

    With ``capped=False`` all rows of the wrong sign change sides at once.
    """
    n = len(sides)
    sides = problem.within_bounds(sides)
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
            return Pivoted(beta=beta, r=r, sides=sides, factor=factor, pivots=count, drift=drift)
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


@dataclass(frozen=True, kw_only=True)
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
    return _Exchanged(sides=new, wrong=wrong, waiting=waiting, n_free=len(free) - leaving + len(added))
