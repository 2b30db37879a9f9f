"""The dual of a support vector machine without bias: a quadratic program in a box.

    maximise  sum_i alpha_i - 1/2 beta^T M beta,  beta_i = y_i alpha_i,  0 <= alpha_i <= u_i.

Notation: K (n, n) Gram matrix, e (n,) what is added to its diagonal, M = K + diag(e),
y (n,) labels of +-1, u (n,) upper bounds (infinite for quadratic slack), r = y - M beta,
g = y r the gradient of the dual; F the free rows, where g = 0.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from kernelect.typing import Array, Mask

Sides = npt.NDArray[np.int8]

#: The direction in which alpha may go: a row at a bound is wrong where its gradient has that sign.
LOWER, FREE, UPPER = 1, 0, -1

#: Largest violation of the optimality conditions, in units of the margin.
KKT_TOLERANCE = 1e-9

_EPSILON = float(np.finfo(float).eps)


@dataclass(frozen=True, kw_only=True)
class BoxQP:
    """The quadratic program; ``gram`` is read row by row, so it should be in C order."""

    gram: Array
    ridge: Array  # (n,) e
    labels: Array  # (n,) y
    upper: Array  # (n,) u
    target: Array  # (n,) in the place of y in r: y itself, except in proximal programs
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

    def within_bounds(self, sides: Sides) -> Sides:
        """Return ``sides``, possibly of another program, changed if the bounds do not allow them."""
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
        """Return a bound on the rounding errors in M beta."""
        size = np.abs(beta)
        return 4.0 * _EPSILON * float(self._largest_scale * (self.scale @ size) + self.ridge @ size)

    def row_rounding(self, beta: Array) -> Array:
        """Return the bound for every row, which is smaller if rows differ in size."""
        size = np.abs(beta)
        return np.asarray((4.0 * _EPSILON) * (self.scale * (self.scale @ size) + self.ridge * size), dtype=float)

    def resolution(self, beta: Array, rounding: float) -> Array | float:
        """Return the largest violation that counts as none: the tolerance, or the rounding errors if larger."""
        if rounding <= self.tolerance:
            return self.tolerance
        return np.maximum(self.tolerance, self.row_rounding(beta))
