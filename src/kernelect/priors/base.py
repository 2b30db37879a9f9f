"""The contract of a prior over hyper-parameters: a wrapper around any criterion.

With a prior the search minimises

    L(theta) = share * nats(Q(theta)) + penalty(theta),

where ``nats`` turns the criterion into minus a log-likelihood (n/2 log Q for PRESS) and the
scale of the prior is integrated out (Cawley & Talbot 2007, eqs 13-15).

Notation: theta logarithms of the hyper-parameters, gamma_j = exp(theta_j) the widths,
d their number.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from scipy.special import logsumexp, softmax

from kernelect.kernels import Kernel
from kernelect.machines import Fitted
from kernelect.parameters import ParameterSpace
from kernelect.typing import Array, Objective

#: Widths that have fallen below e^-4 of the data's scale leave a kernel that is linear in the data.
_COLLAPSED = -4.0


@dataclass(frozen=True, kw_only=True)
class HyperPoint:
    """A point in hyper-parameter space; the machine is solved there when it is first asked for."""

    theta: Array
    space: ParameterSpace
    kernel: Kernel
    X: Array
    solve: Callable[[], Fitted]

    @cached_property
    def fitted(self) -> Fitted:
        """The machine solved at this point."""
        return self.solve()


@dataclass(frozen=True)
class Revision:
    """What a prior changes after a search: itself, the start of the next search, or both."""

    prior: Prior
    theta: Array


class Prior(ABC):
    """A penalty on hyper-parameters, in nats."""

    name: ClassVar[str]

    #: Whether the penalty has no minimum of its own, so that only the local minimum next to
    #: the criterion's own optimum means anything: the search then starts there.
    local: ClassVar[bool] = False

    #: Whether the prior's own mode holds a minimum beside the one near the criterion's optimum,
    #: so that both have to be looked at.
    two_basins: ClassVar[bool] = False

    #: Whether it needs the criterion's gradient.
    needs_gradient: ClassVar[bool] = False

    #: Whether it needs the derivative of the machine's coefficients.
    needs_coefficients: ClassVar[bool] = False

    #: Whether it needs the inputs themselves, not only kernel values.
    needs_inputs: ClassVar[bool] = False

    def lacks(self, space: ParameterSpace) -> str:
        """Return what the prior regularises if the kernel has no such parameters, else nothing."""
        return "" if space.widths else "widths (gamma)"

    @abstractmethod
    def penalty(self, point: HyperPoint) -> tuple[float, Array]:
        """Return the penalty and its derivative in theta."""

    def share(self, n_residuals: int) -> float:
        """Return the part of the likelihood that is left for the criterion."""
        return 1.0

    def misfit(self, value: float, nats: float, slope: float, n_residuals: int) -> tuple[float, float]:
        """Return what the penalty is added to, and its derivative in the criterion's value.

        Parameters
        ----------
        value, nats, slope : float
            The criterion, minus a log-likelihood for it, and the derivative of the latter in the former.
        n_residuals : int
        """
        share = self.share(n_residuals)
        return share * nats, share * slope

    def doubt(self, theta: Array, space: ParameterSpace) -> str:
        """Return a sentence if the optimum found at ``theta`` is not a true one, else nothing."""
        return ""

    @property
    def revises(self) -> bool:
        """Whether the prior may change itself: nothing is evaluated for one that never does."""
        return type(self).revise is not Prior.revise

    def revise(self, criterion: Objective, slope: float, theta: Array, space: ParameterSpace) -> Revision | None:
        """Return what to change before searching again, or ``None`` when nothing needs to change.

        Parameters
        ----------
        criterion : theta -> (value, gradient)
            The criterion alone, in its own units.
        slope : float
            Derivative of its nats in its value at ``theta`` (zeta of the paper).
        theta : ndarray
            Where the last search ended.
        """
        return None


class Flat(Prior):
    """No penalty: the criterion alone, but in nats, as the stages before a local prior see it."""

    name = "flat"

    def lacks(self, space: ParameterSpace) -> str:
        """Nothing is asked of the kernel."""
        return ""

    def penalty(self, point: HyperPoint) -> tuple[float, Array]:
        return 0.0, np.zeros(len(point.theta))


def log_omega(point: HyperPoint, power: int, exponent: float | None = None) -> tuple[float, Array]:
    """Return exponent * log(1/2 sum_j gamma_j^power) and its derivative in theta.

    ``exponent`` defaults to d / power, as integrating out the prior's scale gives it.
    """
    widths = point.space.all_widths
    if not len(widths):
        return 0.0, np.zeros(len(point.theta))
    exponent = len(widths) / power if exponent is None else exponent
    # In logarithms: squares of the widths of inputs of 1e130 are 0 in double precision.
    logs = power * point.theta[widths]
    gradient = np.zeros(len(point.theta))
    gradient[widths] = exponent * power * softmax(logs)
    return exponent * float(logsumexp(logs) - np.log(2.0)), gradient


def collapse(theta: Array, space: ParameterSpace) -> str:
    """Return a sentence where all widths together fell away from the data's scale.

    Scale-free penalties go to minus infinity there: the end of such a search is its bound,
    never a minimum.
    """
    widths = space.all_widths
    widths = widths[space.free[widths]]
    relative = theta[widths] - space.reference[widths]
    if not len(widths) or float(np.log(np.mean(np.exp(relative)))) > _COLLAPSED:
        return ""
    return "the prior has no minimum here: all widths collapsed towards 0 and the machine is nearly linear"
