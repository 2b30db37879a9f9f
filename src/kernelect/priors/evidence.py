"""MacKay's evidence framework at the second level: only well-determined widths are charged.

Notation (Cawley & Talbot 2007, section 2.2): zeta Q + xi Omega is the regularised criterion
with Omega = 1/2 sum gamma_j^2, g the number of well-determined widths,
xi = g/(2 Omega), zeta = (n - g)/(2 Q), lambda_j eigenvalues of zeta times the Hessian of Q
in gamma, g = sum_j lambda_j / (lambda_j + xi).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kernelect.parameters import ParameterSpace
from kernelect.priors.base import HyperPoint, Prior, Revision, collapse, log_omega
from kernelect.typing import Array, Indices, Objective

_STEP = 1e-4
#: Relative change of g below which it is kept, and the least g.
_CHANGE, _LEAST = 0.05, 0.05


@dataclass(frozen=True)
class Evidence(Prior):
    """Normal prior weighed by the evidence: (n - g)/2 log Q + g/2 log Omega, with g from the Hessian of Q.

    For a given g this has the stationary points of zeta Q + xi Omega at MacKay's xi and zeta;
    eq. 15 is the special case g = d. After each search g is updated from the Hessian (central
    differences of the analytic gradient) until it settles.

    Parameters
    ----------
    well_determined : float or None
        g; ``None`` takes all widths for the first search.
    """

    well_determined: float | None = None
    name = "evidence"
    local = True
    needs_gradient = True

    def share(self, n_residuals: int) -> float:
        return 1.0 if self.well_determined is None else max(1.0 - self.well_determined / n_residuals, 0.0)

    def penalty(self, point: HyperPoint) -> tuple[float, Array]:
        return log_omega(point, 2, None if self.well_determined is None else 0.5 * self.well_determined)

    def doubt(self, theta: Array, space: ParameterSpace) -> str:
        return collapse(theta, space)

    def revise(self, criterion: Objective, slope: float, theta: Array, space: ParameterSpace) -> Revision | None:
        widths = space.all_widths
        if not space.free[widths].any():
            return None
        before = float(len(widths)) if self.well_determined is None else self.well_determined
        g = self._count_well_determined(criterion, slope, theta, widths, before)
        if self.well_determined is not None and abs(g - before) < _CHANGE * max(before, 1.0):
            return None
        return Revision(replace(self, well_determined=g), theta)

    @staticmethod
    def _count_well_determined(criterion: Objective, zeta: float, theta: Array, widths: Indices, g: float) -> float:
        gamma = np.exp(theta[widths])
        hessian, gradient = _hessian_in_log(criterion, theta, widths)
        # From log gamma to gamma: d2Q/dgamma2 = (d2Q/dlog2 - diag dQ/dlog) / (gamma gamma^T)
        hessian = zeta * (hessian - np.diag(gradient)) / np.outer(gamma, gamma)
        eigenvalues = np.maximum(np.linalg.eigvalsh(hessian), 0.0)
        xi = max(g, _LEAST) / float(np.sum(gamma**2))
        return max(float(np.sum(eigenvalues / (eigenvalues + xi))), _LEAST)


def _hessian_in_log(criterion: Objective, theta: Array, widths: Indices) -> tuple[Array, Array]:
    """Return Hessian and gradient in the widths' logarithms, by differences of the gradient."""
    _, centre = criterion(theta)
    assert centre is not None  # needs_gradient: the join has seen to it
    rows = []
    for j in widths:
        step = np.zeros(len(theta))
        step[j] = _STEP
        _, ahead = criterion(theta + step)
        _, behind = criterion(theta - step)
        assert ahead is not None
        assert behind is not None
        rows.append((ahead[widths] - behind[widths]) / (2.0 * _STEP))
    hessian = np.array(rows)
    return 0.5 * (hessian + hessian.T), centre[widths]
