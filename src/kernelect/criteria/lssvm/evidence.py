"""The evidence of a least-squares machine, whose amplitude and intercept are integrated out.

Notation as in machines/lssvm/full.py; S = sum_k y_k^T alpha_k, summed over the k outputs.
"""

from __future__ import annotations

import numpy as np

from kernelect.criteria.base import CriterionValue
from kernelect.criteria.lssvm.squares import SquaredErrors
from kernelect.machines import Fitted, LSSVMState
from kernelect.typing import Array


class RestrictedEvidence(SquaredErrors):
    """The restricted evidence of the Gaussian process with this kernel, V = S / (n - 1) (|M| total / n)^(1 / (n - 1)).

    (n - 1)/2 ln V is minus the logarithm of the evidence of all contrasts between targets, at the amplitude that makes
    it largest, up to a constant. Leave-one-out asks how well single rows are predicted, the evidence how well a kernel
    explains all rows together. With few rows and many widths, the evidence over-fits less. The value costs one
    factorisation, the gradient one inverse.

    Notes
    -----
    With an orthonormal basis A of what sums to 0 (n, n - 1), A^T y is normal with covariance a A^T M A, in which the
    intercept has no part. Its quadratic form is S / a, and |A^T M A| = |M| total / n (Harville 1974). V does not change
    under (K, mu) -> (c K, c mu), and is the variance of the targets if mu is infinite. Since dS = -alpha^T dM alpha
    and d ln(|M| total) = tr(P dM), the adjoint is

        dV/dK = V [P / (n - 1) - alpha alpha^T / S],

    summed over outputs in the second term, and dV/dmu = sum_i [dV/dK]_ii / s_i.

    References
    ----------
    D. A. Harville. Bayesian inference for variance components using only error contrasts. Biometrika 61 (1974) 383-385.
    """

    name = "evidence"
    words = "the evidence"

    def value(self, fitted: Fitted) -> CriterionValue:
        return self._found(fitted)

    def value_and_gradient(self, fitted: Fitted) -> CriterionValue:
        state: LSSVMState = fitted.state
        P, alpha = state.bordered_inverse(), state.dual_coef
        found = self._found(fitted)
        square = float(found.pointwise.sum())
        gradient = P * (found.value / (len(P) - 1))
        if square > 0.0:
            gradient -= (alpha * (found.value / square)) @ alpha.T
        return CriterionValue(
            value=found.value,
            pointwise=found.pointwise,
            grad_gram=gradient,
            grad_regularization=float(np.sum(np.diagonal(gradient) / fitted.weights)),
        )

    @staticmethod
    def _found(fitted: Fitted) -> CriterionValue:
        """Return the value; ``pointwise`` are the rows' shares of S."""
        state, degrees = fitted.state, len(fitted.targets) - 1
        volume = (state.factor.log_determinant() + np.log(state.ones_total / (degrees + 1))) / degrees
        shares = _shares(fitted)
        square = max(float(shares.sum()), 0.0)
        return CriterionValue(value=square / degrees * float(np.exp(volume)), pointwise=shares)

    def size(self, fitted: Fitted) -> float:
        return float(np.sum(fitted.targets**2)) / len(fitted.targets)


def _shares(fitted: Fitted) -> Array:
    """Return the terms (n, k) of S."""
    level = fitted.targets.mean(axis=0)  # coefficients sum to 0
    return np.asarray((fitted.targets - level) * fitted.state.dual_coef, dtype=float)
