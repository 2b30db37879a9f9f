"""Allen's PRESS: the exact leave-one-out error of a least-squares machine.

Notation as in machines/lssvm/full.py; Q = 1/2 sum_i s_i r_i^2.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import blas

from kernelect.criteria.base import Criterion, CriterionValue
from kernelect.criteria.lssvm.landmarks import LandmarkPRESS
from kernelect.machines import Fitted, LSSVMState
from kernelect.numerics import product, symmetrize_from_lower
from kernelect.typing import Array

#: A perfect fit has Q = 0; below this part of the targets' sum of squares Q is rounding.
_ROUNDING = 1e-24


class PRESS(Criterion):
    """Predicted residual sum of squares, Q = 1/2 sum_i s_i r_i^2, summed over outputs.

    Value: one inverse. Gradient: one symmetric rank-n update more, about 2 n^3 in all, six
    times one Cholesky factorisation, independent of the number of kernel parameters.

    Notes
    -----
    With alpha = P y, c = diag P and dP = -P dM P, the adjoint of Q is

        dQ/dK = P diag(w) P - sym((P u) alpha^T),  u = s r / c,  w = s r^2 / c >= 0,

    summed over outputs, and dQ/dmu = sum_i [dQ/dK]_ii / s_i. The paper (Cawley & Talbot 2007,
    section 1.2) pays n^3 for every kernel parameter instead.

    References
    ----------
    G. C. Cawley, N. L. C. Talbot. Preventing over-fitting during model selection via Bayesian
    regularisation of the hyper-parameters. JMLR 8 (2007) 841-861.
    """

    name = "press"
    words = "the exact leave-one-out squared error (PRESS)"
    judges = ("lssvm",)
    rescales = True
    on_landmarks = LandmarkPRESS()

    def value(self, fitted: Fitted) -> CriterionValue:
        state: LSSVMState = fitted.state
        residuals = state.leave_one_out_residuals(state.bordered_diagonal())
        return CriterionValue(half_sum(fitted.weights, residuals), residuals)

    def value_and_gradient(self, fitted: Fitted) -> CriterionValue:
        state: LSSVMState = fitted.state
        P = state.bordered_inverse()
        c = np.diagonal(P).copy()
        residuals = state.leave_one_out_residuals(c)
        gradient = self._grad_gram(P, c, residuals, state.dual_coef, fitted.weights)
        return CriterionValue(
            half_sum(fitted.weights, residuals),
            residuals,
            gradient,
            float(np.sum(np.diagonal(gradient) / fitted.weights)),
        )

    @staticmethod
    def _grad_gram(P: Array, c: Array, residuals: Array, alpha: Array, weights: Array) -> Array:
        u = (weights / c)[:, None] * residuals  # (n, k)
        w = np.sum(u * residuals, axis=1)
        Pu = product(P, u)
        P *= np.sqrt(w)  # in place: P is not needed any more; its columns by sqrt(w)
        gradient = blas.dsyrk(1.0, P, lower=1)  # P diag(w) P at half the work of a product
        gradient = blas.dsyr2k(
            -0.5, np.asfortranarray(Pu), np.asfortranarray(alpha), beta=1.0, c=gradient, lower=1, overwrite_c=1
        )
        return symmetrize_from_lower(gradient).T  # a view in C order, as Gram matrices are

    def rescaled(self, value: Array, unit: float, n_rows: float) -> Array:
        return value * unit * unit

    def nats_shift(self, unit: float, fitted: Fitted) -> float:
        return fitted.n_residuals * float(np.log(unit))

    def nats(self, value: float, fitted: Fitted) -> tuple[float, float]:
        """n/2 log Q: Gaussian residuals whose variance is integrated out under 1/sigma."""
        half = 0.5 * fitted.n_residuals
        floor = max(_ROUNDING * half_sum(fitted.weights, fitted.targets), 1e-300)
        if value <= floor:
            return half * float(np.log(floor)), 0.0
        return half * float(np.log(value)), half / value


def half_sum(weights: Array, residuals: Array) -> float:
    """Return 1/2 sum_i s_i r_i^2, summed over outputs."""
    return float(0.5 * np.sum(weights[:, None] * residuals**2))
