"""Priors over the function: rough or steep decision functions cost (Cawley & Talbot 2007, section 4.2).

Notation: f(x) = sum_k alpha_k k(x_k, x) + b the decision function, D_ij its first or second
derivative at sample i along input j, Omega = 1/(2n) sum_ij D_ij^2, h_j the step of the
difference, R = D/n.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from kernelect.kernels.scale import input_scales
from kernelect.parameters import ParameterSpace
from kernelect.priors.base import HyperPoint, Prior, collapse
from kernelect.typing import Array

#: Derivatives below this part of sum |alpha k| / scale^order are rounding: the function is straight, or flat.
_ROUNDING = 1e-7


@dataclass(frozen=True)
class _OverDerivatives(Prior):
    """d/2 log Omega, Omega of the derivatives by central differences, with the exact gradient of that difference."""

    step: float = 1e-2
    local = True
    needs_coefficients = True
    needs_inputs = True

    #: Steps ahead -> weight of the function there; the order of the derivative.
    _stencil: ClassVar[dict[int, float]]
    _order: ClassVar[int]

    def lacks(self, space: ParameterSpace) -> str:
        """Any kernel with inputs has derivatives."""
        return ""

    def penalty(self, point: HyperPoint) -> tuple[float, Array]:
        fitted = point.fitted
        exponent = 0.5 * max(len(point.space.all_widths), 1)
        roughness, by_kernel, by_alpha = self._roughness(point, fitted.state.dual_coef)
        if roughness <= self._rounding(point):  # a straight, or flat, function: nothing to charge
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

    def _rounding(self, point: HyperPoint) -> float:
        """Return the Omega of a straight, or flat, function as rounding leaves it."""
        scales = input_scales(point.X)
        terms = np.abs(point.fitted.gram) @ np.abs(point.fitted.state.dual_coef)  # what rounds, not what is left
        size = float(np.mean(terms**2)) + 1e-290
        return 0.5 * _ROUNDING**2 * size * float(np.sum(scales[scales > 0] ** (-2.0 * self._order))) + 1e-300

    def _roughness(self, point: HyperPoint, alpha: Array) -> tuple[float, Array, Array]:
        """Return Omega and its derivatives in the kernel's theta and in alpha."""
        X, kernel, n = point.X, point.kernel, len(point.X)
        steps = self.step * input_scales(X)
        omega, by_theta, by_alpha = 0.0, np.zeros(len(kernel.theta)), np.zeros_like(alpha)
        middle = kernel.cross(X, X) if 0 in self._stencil else None
        for j in np.flatnonzero(steps > 0):
            unit = steps[j] ** self._order
            shifted = {ahead: X + ahead * steps[j] * np.eye(X.shape[1])[j] for ahead in self._stencil}
            values = {ahead: kernel.cross(X, Z) if ahead or middle is None else middle for ahead, Z in shifted.items()}
            difference = sum(self._stencil[ahead] * K for ahead, K in values.items()) / unit  # (k, i)
            D = difference.T @ alpha  # (n, outputs)
            omega += float(np.sum(D**2)) / (2.0 * n)
            R = D / n
            by_alpha += difference @ R
            weights = alpha @ R.T / unit  # (k, i)
            for ahead, Z in shifted.items():
                by_theta += self._stencil[ahead] * kernel.cross_pullback(X, Z, weights)[0]
        return omega, by_theta, by_alpha


class Curvature(_OverDerivatives):
    """Prior against curvature: d/2 log Omega with Omega = 1/(2n) sum_ij (d^2 f(x_i) / dx_ij^2)^2.

    Second derivatives are computed as second differences with steps of ``step`` standard deviations. The prior
    therefore works with every kernel that can be evaluated at new points. The gradient is exact for that difference.
    An evaluation costs 2 d + 1 kernel matrices, so this prior is for few inputs or few rows.

    Parameters
    ----------
    step : float
        In standard deviations of each input.
    """

    name = "curvature"
    _stencil: ClassVar = {1: 1.0, 0: -2.0, -1: 1.0}
    _order = 2


class Slope(_OverDerivatives):
    """Prior against steep functions: d/2 log Omega with Omega = 1/(2n) sum_ij (d f(x_i) / dx_ij)^2.

    First derivatives are computed as central differences, like the second ones of :class:`Curvature`. An evaluation
    costs 2 d kernel matrices.

    Parameters
    ----------
    step : float
        In standard deviations of each input.
    """

    name = "slope"
    _stencil: ClassVar = {1: 0.5, -1: -0.5}
    _order = 1
