"""Allen's PRESS: the exact leave-one-out error of a least-squares machine.

Notation as in machines/lssvm/full.py; Q = 1/2 sum_i s_i r_i^2.
"""

from __future__ import annotations

import numpy as np

from kernelect.criteria.base import CriterionValue
from kernelect.criteria.lssvm.landmarks import LandmarkPRESS
from kernelect.criteria.lssvm.squares import SquaredErrors, adjoint, half_sum
from kernelect.machines import Fitted, LSSVMState


class PRESS(SquaredErrors):
    """Predicted residual sum of squares, Q = 1/2 sum_i s_i r_i^2, summed over outputs.

    The value costs one inverse. The gradient costs one more symmetric rank-n update. In all this is about 2 n^3, six
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
    leaves_out = True
    words = "the exact leave-one-out squared error (PRESS)"
    on_landmarks = LandmarkPRESS()

    def value(self, fitted: Fitted) -> CriterionValue:
        state: LSSVMState = fitted.state
        residuals = state.leave_one_out_residuals(state.bordered_diagonal())
        return CriterionValue(value=half_sum(fitted.weights, residuals), pointwise=residuals)

    def value_and_gradient(self, fitted: Fitted) -> CriterionValue:
        state: LSSVMState = fitted.state
        P = state.bordered_inverse()
        c = np.diagonal(P).copy()
        residuals = state.leave_one_out_residuals(c)
        u = (fitted.weights / c)[:, None] * residuals  # (n, k)
        gradient = adjoint(P, np.sum(u * residuals, axis=1), u, state.dual_coef)
        return CriterionValue(
            value=half_sum(fitted.weights, residuals),
            pointwise=residuals,
            grad_gram=gradient,
            grad_regularization=float(np.sum(np.diagonal(gradient) / fitted.weights)),
        )

    def size(self, fitted: Fitted) -> float:
        return half_sum(fitted.weights, fitted.targets)
