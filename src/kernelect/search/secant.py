"""What a search has learned of a function from its gradients: how much there is left to gain.

Notation: s steps, y changes of the gradient, H the inverse Hessian of limited-memory BFGS (Nocedal &
Wright 2006, algorithm 7.4), g the gradient without the entries that push against a bound.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from kernelect.typing import Array

#: Pairs that are remembered, as many as the search's own.
_MEMORY = 20


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
            if step @ change > 1e-10 * float(np.linalg.norm(step) * np.linalg.norm(change)):
                self.steps, self.changes = [*self.steps[1 - _MEMORY :], step], [*self.changes[1 - _MEMORY :], change]
        self._last = x.copy(), gradient.copy()

    def expected(self, gradient: Array) -> float:
        """Return the decrease g^T H g / 2 from here to the model's minimum."""
        if not self.steps:
            return float("inf")
        direction, shares = gradient.copy(), []
        for step, change in zip(reversed(self.steps), reversed(self.changes), strict=True):
            shares.append(float(step @ direction) / float(step @ change))
            direction = direction - shares[-1] * change
        step, change = self.steps[-1], self.changes[-1]
        direction = float(step @ change) / float(change @ change) * direction
        for step, change, share in zip(self.steps, self.changes, reversed(shares), strict=True):
            direction = direction + (share - float(change @ direction) / float(step @ change)) * step
        return 0.5 * float(gradient @ direction)
