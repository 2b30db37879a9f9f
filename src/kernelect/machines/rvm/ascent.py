"""Newton's ascent within bounds, for functions whose curvature is cheap and nearly exact.

Notation: x the point, g slope, N minus the curvature; steps solve |N| step = g, with |N| the
matrix whose eigenvalues are the absolute values of N's, so that every step leads upwards.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

import numpy as np

from kernelect.numerics import NEVER, Deadline
from kernelect.typing import Array, Mask

#: Longest step of one coordinate (they are logarithms).
_LONGEST = 3.0

#: Eigenvalues of |N| are kept above this, so that flat directions do not take all of the step.
_FLAT = 1e-4


#: Quadratic convergence: a rise is at most so many times the square of the one before.
_REMAINDER = 10.0


class Hillside(Protocol):
    """The function at one point."""

    @property
    def value(self) -> float:
        """Its height."""

    @property
    def ended(self) -> bool:
        """Whether the ascent should stop here."""

    def slope(self) -> Array:
        """Return its exact derivative."""

    def curvature(self) -> Array:
        """Return minus its second derivative, roughly."""


H = TypeVar("H", bound=Hillside)


def ascend(
    at: Callable[[Array, H | None], H],
    start: Array,
    lower: Array,
    upper: Array,
    *,
    tol: float,
    goal: float = -np.inf,
    deadline: Deadline = NEVER,
    max_iter: int = 200,
) -> tuple[Array, H]:
    """Climb from ``start`` until a step promises less than ``tol``.

    ``at(x, near)`` gives the function at x, where ``near`` is the previous point. The ascent stops
    early if even twice the promised rise stays below ``goal``, because the maximum is then too low.
    """
    x, here, before = start, at(start, None), 0.0
    for _ in range(max_iter):
        if here.ended or deadline.passed:
            break
        slope = here.slope()
        step = _step(x, slope, here.curvature(), lower, upper)
        rise = float(slope @ step)
        if rise <= tol or here.value + 2.0 * rise < goal:
            break
        found = _line_search(at, x, here, step, rise)
        if found is None:
            break
        x, here = found
        # If it converges quadratically, what the next step would promise is known.
        if rise <= _REMAINDER * before**2 and _REMAINDER * rise**2 <= tol:
            break
        before = rise
    return x, here


def _step(x: Array, slope: Array, curvature: Array, lower: Array, upper: Array) -> Array:
    """Return Newton's step of the coordinates that no bound holds.

    Those that it would take beyond a bound go there, and the others' step is found anew for that: to
    cut off a part of a joint step would leave no way upwards if a bound is close.
    """
    free, step = ~_held(x, slope, lower, upper), np.zeros(len(x))
    while free.any():
        values, vectors = np.linalg.eigh(curvature[np.ix_(free, free)])
        right = slope[free] - curvature[np.ix_(free, ~free)] @ step[~free]
        step[free] = vectors @ ((vectors.T @ right) / np.maximum(np.abs(values), _FLAT))
        step[free] *= min(1.0, _LONGEST / max(float(np.abs(step[free]).max()), 1e-300))
        beyond = free & ((x + step < lower) | (x + step > upper))
        if not beyond.any():
            break
        step[beyond] = np.clip(step, lower - x, upper - x)[beyond]
        free &= ~beyond
    return np.asarray(np.clip(x + step, lower, upper) - x, dtype=float)


def _held(x: Array, slope: Array, lower: Array, upper: Array) -> Mask:
    return ((x <= lower) & (slope < 0.0)) | ((x >= upper) & (slope > 0.0))


def _line_search(
    at: Callable[[Array, H | None], H], x: Array, here: H, step: Array, rise: float
) -> tuple[Array, H] | None:
    length = 1.0
    while length > 1e-4:
        there = at(x + length * step, here)
        if there.value >= here.value + 1e-4 * length * rise:
            return x + length * step, there
        length *= 0.3
    return None
