"""Anderson mixing: a fixed-point iteration x <- x + f(x) that learns from its last steps.

Notation: x (p,) the point, f (p,) its residual, dX and dF (p, m) differences of the last m + 1
points and residuals, g the combination of past residuals that comes closest to f.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from kernelect.typing import Array

#: Differences kept; more did not save iterations.
_MEMORY = 3


@dataclass(kw_only=True)
class AndersonMixing:
    """Proposes the next point from the last few; for slowly converging, smooth iterations.

    References
    ----------
    D. G. Anderson. Iterative procedures for nonlinear integral equations. JACM 12 (1965) 547-560.
    """

    points: list[Array] = field(default_factory=list)
    residuals: list[Array] = field(default_factory=list)

    def forget(self) -> None:
        """Start anew, after a step that made things worse."""
        self.points.clear()
        self.residuals.clear()

    def propose(self, x: Array, f: Array, weights: Array) -> Array | None:
        """Return the next point, or ``None`` while there is nothing to learn from.

        ``weights`` bring the entries of residuals to one scale.
        """
        self.points = [*self.points, x][-_MEMORY - 1 :]
        self.residuals = [*self.residuals, f][-_MEMORY - 1 :]
        if len(self.points) < 2:
            return None
        dX, dF = np.diff(self.points, axis=0).T, np.diff(self.residuals, axis=0).T
        with np.errstate(over="ignore", invalid="ignore"):
            scaled, target = dF * weights[:, None], f * weights
        if not (np.isfinite(scaled).all() and np.isfinite(target).all()):
            return None  # an iteration that diverges has nothing to teach
        g = np.linalg.lstsq(scaled, target, rcond=1e-10)[0]
        return np.asarray(x + f - (dX + dF) @ g, dtype=float)
