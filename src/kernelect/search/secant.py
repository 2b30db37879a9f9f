"""What a search has learned of a function from its gradients: its curvature, and how much there is left to gain.

Notation: s steps, y changes of the gradient, H the inverse Hessian of limited-memory BFGS (Nocedal &
Wright 2006, algorithm 7.4), g the gradient without the entries that push against a bound.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from kernelect.typing import Array

#: Pairs that a search itself remembers.
_MEMORY = 20

#: Cosine of step and change of gradient from which a pair tells of an upward curvature.
_BENDS = 1e-10


@dataclass(kw_only=True)
class SecantModel:
    """The quadratic model behind limited-memory BFGS, kept beside a search whose own cannot be seen."""

    steps: list[Array] = field(default_factory=list)
    changes: list[Array] = field(default_factory=list)
    _last: tuple[Array, Array] | None = None

    @property
    def pairs(self) -> int:
        """How many steps have told of the curvature."""
        return len(self.steps)

    def note(self, x: Array, gradient: Array) -> None:
        """Take note of the next point of a search and the gradient there."""
        if self._last is not None:
            step, change = x - self._last[0], gradient - self._last[1]
            if step @ change > _BENDS * float(np.linalg.norm(step) * np.linalg.norm(change)):
                self.steps.append(step)
                self.changes.append(change)
        self._last = x.copy(), gradient.copy()

    def expected(self, gradient: Array) -> float:
        """Return the decrease g^T H g / 2 from here to the model's minimum, by what the search itself remembers."""
        if not self.steps:
            return float("inf")
        steps, changes = self.steps[-_MEMORY:], self.changes[-_MEMORY:]
        direction, shares = gradient.copy(), []
        for step, change in zip(reversed(steps), reversed(changes), strict=True):
            shares.append(float(step @ direction) / float(step @ change))
            direction = direction - shares[-1] * change
        step, change = steps[-1], changes[-1]
        direction = float(step @ change) / float(change @ change) * direction
        for step, change, share in zip(steps, changes, reversed(shares), strict=True):
            direction = direction + (share - float(change @ direction) / float(step @ change)) * step
        return 0.5 * float(gradient @ direction)

    def inverse(self) -> Array:
        """Return H by all steps; if none went the function is taken to be as flat as along the last one."""
        step, change = self.steps[-1], self.changes[-1]
        curvature = InverseHessian(float(step @ step) / float(step @ change) * np.eye(len(step)))
        for step, change in zip(self.steps, self.changes, strict=True):
            curvature.update(step, change)
        return curvature.inverse


class InverseHessian:
    """An inverse Hessian that every step corrects, by BFGS.

    Parameters
    ----------
    inverse : ndarray of shape (p, p)
        Positive definite.
    """

    def __init__(self, inverse: Array) -> None:
        self.inverse = inverse

    def step(self, gradient: Array) -> Array:
        """Return the step to the model's minimum; if the gradient has a zero nothing moves."""
        return np.where(gradient == 0.0, 0.0, -(self.inverse @ gradient))

    def update(self, step: Array, change: Array) -> None:
        """Take note of how the gradient changed along a step; one along which the function bends down is ignored."""
        along = float(step @ change)
        if along <= _BENDS * float(np.linalg.norm(step) * np.linalg.norm(change)):
            return
        # (I - s y^T / s^T y) H (I - y s^T / s^T y) + s s^T / s^T y, without a product of matrices
        towards = self.inverse @ change / along
        half = np.outer(0.5 * (1.0 / along + float(change @ towards) / along) * step - towards, step)
        self.inverse = self.inverse + half + half.T


def projected(gradient: Array, x: Array, lower: Array, upper: Array) -> Array:
    """Return the gradient without the entries that push against a bound."""
    blocked = ((x <= lower) & (gradient > 0)) | ((x >= upper) & (gradient < 0))
    return np.where(blocked, 0.0, gradient)
