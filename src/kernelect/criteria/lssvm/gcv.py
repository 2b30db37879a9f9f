"""Generalised cross-validation of a least-squares machine.

Notation as in machines/lssvm/full.py; H the hat matrix (fitted values are H y), e = y - H y the
residuals of the fit itself, A = sum_ik alpha_ik^2 / s_i, B = sum_i P_ii / s_i.
"""

from __future__ import annotations

import numpy as np

from kernelect.criteria.base import CriterionValue
from kernelect.criteria.lssvm.landmarks import LandmarkGCV
from kernelect.criteria.lssvm.squares import SquaredErrors, adjoint
from kernelect.machines import Fitted, LSSVMState
from kernelect.typing import Array


class GCV(SquaredErrors):
    """Generalised cross-validation, V = n sum_i s_i e_i^2 / tr(I - H)^2, summed over outputs.

    PRESS with every leverage H_ii replaced by their mean: rows of high leverage count less than in
    PRESS, and the value does not change when the rows are rotated. Cost as for PRESS.

    Notes
    -----
    The residuals are e = mu S^-1 alpha and I - H = mu S^-1 P, the intercept included, so the ridge
    cancels: V = n A / B^2. With d alpha = -P dM alpha and dP = -P dM P its adjoint is

        dV/dK = (2 n / B^2) [(A / B) P S^-1 P - sym((P S^-1 alpha) alpha^T)],

    summed over outputs in the second term, and dV/dmu = sum_i [dV/dK]_ii / s_i. The weighted form is
    that of the problem with rows multiplied by sqrt(s_i), which has the same trace.

    References
    ----------
    G. H. Golub, M. Heath, G. Wahba. Generalized cross-validation as a method for choosing a good
    ridge parameter. Technometrics 21 (1979) 215-223.
    """

    name = "gcv"
    words = "generalised cross-validation (GCV)"
    on_landmarks = LandmarkGCV()

    def value(self, fitted: Fitted) -> CriterionValue:
        state: LSSVMState = fitted.state
        return self._found(fitted, state.bordered_diagonal())

    def value_and_gradient(self, fitted: Fitted) -> CriterionValue:
        state: LSSVMState = fitted.state
        P = state.bordered_inverse()
        found = self._found(fitted, np.diagonal(P))
        gradient = self._grad_gram(P, state.dual_coef, fitted.weights)
        by_ridge = float(np.sum(np.diagonal(gradient) / fitted.weights))
        return CriterionValue(
            value=found.value, pointwise=found.pointwise, grad_gram=gradient, grad_regularization=by_ridge
        )

    @staticmethod
    def _found(fitted: Fitted, diagonal: Array) -> CriterionValue:
        """Return the value; ``pointwise`` are the residuals as if left out with the mean leverage."""
        alpha, s = fitted.state.dual_coef, fitted.weights[:, None]
        mean = float(np.sum(diagonal / fitted.weights)) / len(alpha)  # B / n
        residuals = np.asarray(alpha / s / mean, dtype=float)
        return CriterionValue(value=float(np.mean(np.sum(s * residuals**2, axis=1))), pointwise=residuals)

    @staticmethod
    def _grad_gram(P: Array, alpha: Array, s: Array) -> Array:
        B = float(np.sum(np.diagonal(P) / s))
        held = alpha / B  # of the size of the targets: the squares of P and alpha overflow if K is tiny
        scale = 2.0 * len(alpha) / B
        return adjoint(P, scale * float(np.sum(held**2 / s[:, None])) / s, scale * held / s[:, None], alpha)

    def size(self, fitted: Fitted) -> float:
        return float(np.mean(np.sum(fitted.weights[:, None] * fitted.targets**2, axis=1)))
