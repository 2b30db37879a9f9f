"""A prior over the function: rough decision functions cost (Cawley & Talbot 2007, section 4.2).

Notation: f(x) = sum_k alpha_k k(x_k, x) + b the decision function, f''_ij its second
derivative at sample i along input j, Omega = 1/(2n) sum_ij (f''_ij)^2, h_j the step of the
second difference, R = f''/n.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernelect.kernels.scale import input_scales
from kernelect.parameters import ParameterSpace
from kernelect.priors.base import HyperPoint, Prior, collapse
from kernelect.typing import Array

#: Second derivatives below this part of sum |alpha k| / scale^2 are rounding: the function is straight.
_ROUNDING = 1e-7


@dataclass(frozen=True)
class Curvature(Prior):
    """Prior against curvature: d/2 log Omega with Omega = 1/(2n) sum_ij (d^2 f(x_i) / dx_ij^2)^2.

    Second derivatives are second differences with steps of ``step`` standard deviations, so
    that the prior fits every kernel that can be evaluated at new points; the gradient is the
    exact one of that difference. Cost: 2 d + 1 kernel matrices per evaluation, so this is
    a prior for few inputs or few rows.

    Parameters
    ----------
    step : float
        In standard deviations of each input.
    """

    step: float = 1e-2
    name = "curvature"
    local = True
    needs_coefficients = True
    needs_inputs = True

    def lacks(self, space: ParameterSpace) -> str:
        """Any kernel with inputs has a curvature."""
        return ""

    def penalty(self, point: HyperPoint) -> tuple[float, Array]:
        fitted = point.fitted
        exponent = 0.5 * max(len(point.space.all_widths), 1)
        roughness, by_kernel, by_alpha = self._roughness(point, fitted.state.dual_coef)
        if roughness <= self._rounding(point):  # a straight function: nothing to charge
            return 0.0, np.zeros(len(point.theta))
        grad_gram, grad_mu = fitted.machine.coefficient_pullback(fitted.state, fitted.weights, by_alpha)
        kernel_part = by_kernel + point.kernel.pullback(point.X, grad_gram)
        gradient = np.zeros(len(point.theta))
        gradient[: len(kernel_part)] = kernel_part
        if len(point.theta) > len(kernel_part):
            gradient[-1] = grad_mu * fitted.regularization
        return exponent * float(np.log(roughness)), exponent / roughness * gradient

    def doubt(self, theta: Array, space: ParameterSpace) -> str:
        return collapse(theta, space)

    @staticmethod
    def _rounding(point: HyperPoint) -> float:
        """Return the Omega of a straight function as rounding leaves it."""
        scales = input_scales(point.X)
        terms = np.abs(point.fitted.gram) @ np.abs(point.fitted.state.dual_coef)  # what rounds, not what is left
        size = float(np.mean(terms**2)) + 1e-290
        return 0.5 * _ROUNDING**2 * size * float(np.sum(scales[scales > 0] ** -4.0)) + 1e-300

    def _roughness(self, point: HyperPoint, alpha: Array) -> tuple[float, Array, Array]:
        """Return Omega and its derivatives in the kernel's theta and in alpha."""
        X, kernel, n = point.X, point.kernel, len(point.X)
        steps = self.step * input_scales(X)
        omega, by_theta, by_alpha = 0.0, np.zeros(len(kernel.theta)), np.zeros_like(alpha)
        middle = kernel.cross(X, X)
        for j in np.flatnonzero(steps > 0):
            shift = np.zeros(X.shape[1])
            shift[j] = steps[j]
            ahead, behind = X + shift, X - shift
            second = (kernel.cross(X, ahead) - 2.0 * middle + kernel.cross(X, behind)) / steps[j] ** 2  # (k, i)
            bend = second.T @ alpha  # (n, outputs)
            omega += float(np.sum(bend**2)) / (2.0 * n)
            R = bend / n
            by_alpha += second @ R
            weights = alpha @ R.T / steps[j] ** 2  # (k, i)
            by_theta += kernel.cross_pullback(X, ahead, weights)[0]
            by_theta += kernel.cross_pullback(X, behind, weights)[0]
            by_theta -= 2.0 * kernel.cross_pullback(X, X, weights)[0]
        return omega, by_theta, by_alpha
