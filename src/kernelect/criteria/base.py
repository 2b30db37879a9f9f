"""The contract of a criterion: what a fitted machine is worth, smaller is better.

A criterion sees a solved machine (Gram matrix, targets, state), never a kernel or inputs.
Its derivative in every entry of the Gram matrix, ``grad_gram``, is what meets a kernel's
pullback: the cubic work is done once, however many kernel parameters there are.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from kernelect.exceptions import MissingCapability
from kernelect.machines import Fitted, Groups, Machine
from kernelect.typing import Array, Indices

if TYPE_CHECKING:
    from kernelect.criteria.lssvm.landmarks import LandmarkCriterion


@dataclass(frozen=True, kw_only=True)
class CriterionValue:
    """A criterion at one point.

    Attributes
    ----------
    value : float
    pointwise : ndarray of shape (n, ...)
        The contributions or quantities behind the value, one row per sample.
    grad_gram : ndarray of shape (n, n) or None
        Symmetric; ``None`` if only the value was asked for.
    grad_regularization : float
        Derivative in the machine's constant itself (not its logarithm).
    grad_limits : ndarray of shape (n, 2) or None
        Derivative in the limits of targets that are known up to an interval.
    grad_widths : ndarray of shape (d,) or None
        Derivative in the logarithm of each input's width, of functions whose centres have moved off the rows.
    """

    value: float
    pointwise: Array
    grad_gram: Array | None = None
    grad_regularization: float = 0.0
    grad_limits: Array | None = None
    grad_widths: Array | None = None


def misjudged(judged: str, machine: Machine[Any]) -> MissingCapability:
    """Return the error for a solution handed to the criterion of another machine."""
    from kernelect.criteria.registry import CRITERIA

    fitting = ", ".join(map(repr, CRITERIA.names_for((machine.name,))))
    return MissingCapability(
        f"A criterion of the machine {judged!r} cannot judge a solution of {machine.name!r}: use one of {fitting}."
    )


class Criterion(ABC):
    """A number to minimise over hyper-parameters."""

    name: ClassVar[str]

    #: What reports and tables call it; its name if this is empty.
    words: ClassVar[str] = ""

    #: Names of the machines whose solutions it can judge.
    judges: ClassVar[tuple[str, ...]] = ()

    has_gradient: ClassVar[bool] = True
    #: Whether it looks at the solution on all rows, or only at machines that it trains itself.
    needs_solution: ClassVar[bool] = True

    #: Whether it judges functions whose centres moved with their weights.
    needs_centres: ClassVar[bool] = False

    #: Whether it is sampled, so that its gradient is better known than differences of its value.
    sampled: ClassVar[bool] = False

    #: Whether it changes with the sites of expectation propagation to first order: moments have to match closely, and
    #: its gradient takes a system of twice as many equations as rows.
    moves_sites: ClassVar[bool] = False

    #: Whether it has kinks, so that a search ends in one of many local minima, where no gradient has to vanish.
    has_kinks: ClassVar[bool] = False

    #: Whether it stays the same under (C, K) -> (C/s, s K), so that C and an amplitude say the same.
    scale_invariant: ClassVar[bool] = False

    #: Which rows leave together, if it leaves out groups of them.
    groups: Groups | None = None

    #: Whether ``rescaled`` shows how the value grows with the unit of real targets. If it does not, a machine is
    #: fitted to targets in the unit they have.
    rescales: ClassVar[bool] = False
    #: Whether its pointwise values are exact leave-one-out residuals.
    leaves_out: ClassVar[bool] = False

    #: The same criterion as a sum over rows of functions of error and leverage, which is all that a machine on
    #: landmarks knows of its rows; None if it is no such sum.
    on_landmarks: ClassVar[LandmarkCriterion | None] = None

    #: Whether it is an evidence, so that one fit of a sparse machine is enough to know that a kernel is hopeless.
    is_evidence: ClassVar[bool] = False

    @property
    def price(self) -> float:
        """About how many nats a function of a sparse machine costs in addition to the evidence."""
        return 0.0

    @property
    def compares_shapes(self) -> bool:
        """Whether its pointwise values are losses of held-out rows, which can compare shapes of a kernel."""
        return False

    @abstractmethod
    def value(self, fitted: Fitted) -> CriterionValue:
        """Return the value alone."""

    @abstractmethod
    def value_and_gradient(self, fitted: Fitted) -> CriterionValue:
        """Return the value with ``grad_gram`` and ``grad_regularization``."""

    @abstractmethod
    def nats(self, value: float, fitted: Fitted) -> tuple[float, float]:
        """Return minus a log-likelihood for ``value``, and its derivative in ``value``.

        This is the scale on which a prior over hyper-parameters can be added.
        """

    def check(self, machine: Machine[Any]) -> None:
        """Raise :class:`MissingCapability` if it cannot judge this machine."""
        from kernelect.criteria.registry import CRITERIA

        CRITERIA.require(self, (machine.name,), "this one is")

    def seeded(self, seed: int) -> Criterion:
        """Return the criterion with a seed for its random numbers, if it draws any."""
        return self

    def rescaled(self, value: Array, unit: float, n_rows: float) -> Array:
        """Return the values for real targets that are ``unit`` times as large, of a total weight of ``n_rows``.

        A machine is fitted to targets in a unit of its own if ``rescales`` is true.
        """
        return value

    def nats_shift(self, unit: float, fitted: Fitted) -> float:
        """Return by how much the nats grow if real targets are ``unit`` times as large."""
        n_rows = float(fitted.weights.sum())
        larger = float(self.rescaled(np.ones(1), unit, n_rows)[0])
        return self.nats(larger, fitted)[0] - self.nats(1.0, fitted)[0]

    def on_rows(self, rows: Indices) -> Criterion:
        """Return the criterion for a part of the rows, if it knows them one by one."""
        return self

    def centred_on(self, rows: Indices | None) -> Criterion:
        """Return the criterion for candidate functions centred on some rows (-1: on none of them), or on all.

        A sparse machine that leaves rows out leaves out the functions centred on them too.
        """
        return self

    def doubt(self, fitted: Fitted) -> str:
        """Return a sentence if the value is doubtful as an optimum, else nothing."""
        return ""

    def remark(self, fitted: Fitted) -> str:
        """Return what the status should say of how the value was found, else nothing."""
        return ""
