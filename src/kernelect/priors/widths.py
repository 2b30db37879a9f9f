"""Priors on the widths of the inputs, as functions of theta alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernelect.exceptions import InvalidArgument
from kernelect.parameters import ParameterSpace
from kernelect.priors.base import HyperPoint, Prior, Revision, collapse, log_omega
from kernelect.typing import Array, Indices, Mask, Objective


@dataclass(frozen=True, kw_only=True)
class Gaussian(Prior):
    """Normal prior over the widths: d/2 log Omega with Omega = 1/2 sum_j gamma_j^2 (Cawley & Talbot 2007, eq. 15).

    A zero-mean normal prior on the widths whose precision is integrated out under Jeffreys'
    prior. With ``xi`` and ``zeta`` given, nothing is integrated out: what is minimised is zeta Q + xi Omega (eq. 14).

    Parameters
    ----------
    xi, zeta : float, optional
        Precisions of the widths and of the residuals. Both or none; Q is the criterion's own value (of numbers
        divided by their unit of spread).

    Notes
    -----
    Eq. 15 has no minimum: as all widths fall to 0 the machine becomes linear, Q stays finite
    and the penalty goes to minus infinity. What is wanted, and what the paper finds, is the local minimum near the
    data's scale. The search therefore starts on the way to the optimum of the criterion alone and stays within bounds
    around the data's scale. The status names a width that ends at its bound.

    Widths count as they are, in 1 / (unit of the input)^2, so a sum over inputs weights them by their units. Give
    inputs in comparable units, such as standardised ones, as in the paper.
    """

    xi: float | None = None
    zeta: float | None = None
    name = "gaussian"
    local = True

    def __post_init__(self) -> None:
        if (self.xi is None) != (self.zeta is None):
            raise InvalidArgument(f"xi={self.xi!r} and zeta={self.zeta!r} belong together: give both, or neither.")
        for name, value in (("xi", self.xi), ("zeta", self.zeta)):
            if value is not None and not 0.0 < value < np.inf:
                raise InvalidArgument(f"{name}={value!r} must be a positive number, such as 1.0.")

    def penalty(self, point: HyperPoint) -> tuple[float, Array]:
        if self.xi is None:
            return log_omega(point, power=2)
        widths, gradient = point.space.all_widths, np.zeros(len(point.theta))
        gradient[widths] = self.xi * np.exp(2.0 * point.theta[widths])
        return 0.5 * float(gradient.sum()), gradient

    def misfit(self, value: float, nats: float, slope: float, n_residuals: int) -> tuple[float, float]:
        if self.zeta is None:
            return super().misfit(value, nats, slope, n_residuals)
        return self.zeta * value, self.zeta

    def doubt(self, theta: Array, space: ParameterSpace) -> str:
        return collapse(theta, space) if self.xi is None else ""


class Laplace(Prior):
    """Laplace prior over the widths: N log Omega with Omega = 1/2 sum_j gamma_j over the N inputs not switched off.

    An input is pruned (its width is set to exactly 0) if the criterion loses less by that than the prior gains, that
    is, if dL/dgamma_j > 0 at gamma_j = 0 (Cawley & Talbot 2007, section 4.2; Williams 1995). A pruned input comes
    back if the sign changes.

    Notes
    -----
    With Omega = 1/2 sum gamma the condition reads |dQ/dgamma_j| < xi/(2 zeta); the paper's
    density implies the factor 1/2 that its inequality leaves out. The collapse of eq. 15
    exists here too; see :class:`Gaussian`.
    """

    name = "laplace"
    local = True
    needs_gradient = True

    #: A width below this part of its input's own scale is a candidate for pruning.
    _SMALL = np.log(1e-2)

    def penalty(self, point: HyperPoint) -> tuple[float, Array]:
        return log_omega(point, power=1)

    def doubt(self, theta: Array, space: ParameterSpace) -> str:
        return collapse(theta, space)

    def revise(self, criterion: Objective, slope: float, theta: Array, space: ParameterSpace) -> Revision | None:
        # Inputs are pruned, so only widths of single inputs are asked about.
        free_widths = np.concatenate([group for group in space.widths if len(group) > 1] or [np.zeros(0, dtype=int)])
        free_widths = free_widths[space.upper[free_widths] > space.lower[free_widths]]
        on = np.isfinite(theta[free_widths])
        small = theta[free_widths] - space.reference[free_widths] < self._SMALL
        asked = free_widths[~on | small]
        if not len(asked) or np.sum(on) <= 1:
            return None
        missed = self._missed(criterion, slope, theta, space, asked)
        revised = theta.copy()
        revised[asked[~missed]] = -np.inf
        back = asked[missed & ~np.isfinite(theta[asked])]
        revised[back] = space.reference[back] + self._SMALL
        if not np.any(np.isfinite(revised[free_widths])) or np.array_equal(revised, theta):
            return None
        return Revision(self, revised)

    @staticmethod
    def _missed(criterion: Objective, slope: float, theta: Array, space: ParameterSpace, asked: Indices) -> Mask:
        """Tell for which inputs L would fall if their width rose from 0.

        The derivative at 0 is that at a width so small that the kernel is linear in it.
        """
        probe = theta.copy()
        probe[asked] = space.reference[asked] - 16.0
        _, gradient = criterion(probe)
        assert gradient is not None
        kept = np.setdiff1d(np.concatenate(space.widths), asked)
        kept = kept[np.isfinite(theta[kept])]
        omega = 0.5 * np.exp(theta[kept]).sum() if len(kept) else 0.5 * np.exp(theta[asked]).max()
        threshold = 0.5 * max(len(kept), 1) / omega  # dPenalty/dgamma_j
        by_gamma = slope * gradient[asked] / np.exp(probe[asked])
        return np.asarray(by_gamma + threshold < 0.0)


@dataclass(frozen=True)
class Shrinkage(Prior):
    """Elliptical widths shrink towards their common value: spherical unless the data insist.

    For every elliptical kernel, with theta_j = log gamma_j and mean tbar,

        (a + (d - 1)/2) log(b + 1/2 sum_j (theta_j - tbar)^2):

    a normal prior on log gamma_j around their common value whose precision has a
    Gamma(a, b) prior and is integrated out. The tails are heavy, so switching off a few inputs costs little. The
    overall scale is free, so there is no collapse.

    Parameters
    ----------
    a, b : float
        Shape and rate of the Gamma prior; larger ``b`` lets the widths spread further.

    Notes
    -----
    Where widths are ``"auto"``, theta_j is measured from the input's own scale (standard deviation). This changes
    nothing on standardised inputs, and makes the units of a column irrelevant. Fixed numbers are used as they are.
    """

    a: float = 1.0
    b: float = 0.1
    name = "shrinkage"
    two_basins = True

    def penalty(self, point: HyperPoint) -> tuple[float, Array]:
        value, gradient = 0.0, np.zeros(len(point.theta))
        for group in point.space.widths:
            active = group[np.isfinite(point.theta[group])]
            relative = point.theta[active] - point.space.reference[active]
            if not len(active):
                continue
            deviation = relative - relative.mean()
            exponent = self.a + 0.5 * (len(active) - 1)
            spread = self.b + 0.5 * float(deviation @ deviation)
            value += exponent * float(np.log(spread))
            gradient[active] += exponent / spread * deviation
        return value, gradient
