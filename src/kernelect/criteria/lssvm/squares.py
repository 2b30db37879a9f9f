"""What the criteria of squared leave-one-out errors share: unit, nats, and the adjoint of a bordered inverse.

Notation as in machines/lssvm/full.py.
"""

from __future__ import annotations

from abc import abstractmethod

import numpy as np
from scipy.linalg import blas

from kernelect.criteria.base import Criterion
from kernelect.machines import Fitted
from kernelect.numerics import product, symmetrize_from_lower
from kernelect.typing import Array

#: A perfect fit has the value 0; below this part of the targets' own squares a value is rounding.
_ROUNDING = 1e-24


class SquaredErrors(Criterion):
    """A criterion of least-squares machines that grows with the square of the targets."""

    judges = ("lssvm",)
    rescales = True

    @abstractmethod
    def size(self, fitted: Fitted) -> float:
        """Return the value that the targets themselves would have as errors."""

    def rescaled(self, value: Array, unit: float, n_rows: float) -> Array:
        return value * unit * unit

    def nats_shift(self, unit: float, fitted: Fitted) -> float:
        return fitted.n_residuals * float(np.log(unit))

    def nats(self, value: float, fitted: Fitted) -> tuple[float, float]:
        """n/2 log Q: Gaussian residuals whose variance is integrated out under 1/sigma."""
        half = 0.5 * fitted.n_residuals
        floor = max(_ROUNDING * self.size(fitted), 1e-300)
        if value <= floor:
            return half * float(np.log(floor)), 0.0
        return half * float(np.log(value)), half / value


def half_sum(weights: Array, residuals: Array) -> float:
    """Return 1/2 sum_i s_i r_i^2, summed over outputs."""
    return float(0.5 * np.sum(weights[:, None] * residuals**2))


def adjoint(P: Array, w: Array, u: Array, alpha: Array) -> Array:
    """Return P diag(w) P - sym((P u) alpha^T), w >= 0, in the place of ``P``, which is lost."""
    Pu = product(P, u)
    P *= np.sqrt(w)  # in place: P is not needed any more; its columns by sqrt(w)
    gradient = blas.dsyrk(1.0, P, lower=1)  # P diag(w) P at half the work of a product
    gradient = blas.dsyr2k(
        -0.5, np.asfortranarray(Pu), np.asfortranarray(alpha), beta=1.0, c=gradient, lower=1, overwrite_c=1
    )
    return symmetrize_from_lower(gradient).T  # a view in C order, as Gram matrices are
