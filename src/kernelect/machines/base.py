"""The contract of a machine, which solves at fixed hyper-parameters on a Gram matrix.

A machine knows neither inputs nor kernels, so it also works on precomputed kernels. It keeps no
history: the caller passes in a warm start and receives the state.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from kernelect.exceptions import MissingCapability
from kernelect.typing import Array

State = TypeVar("State")

#: How much larger than their sum terms may be before the sum is taken in a way that rounds less: ten digits are left.
CANCELLING = 1e6


class Machine(ABC, Generic[State]):
    """Solves for coefficients given a Gram matrix, targets and a regularisation constant."""

    name: ClassVar[str]

    #: Whether ``fit`` gains from the state of an earlier fit.
    warm_starts: ClassVar[bool] = False

    #: Length of a search's first step, in log units, if criteria have several minima in the kernel's parameters.
    first_step: ClassVar[float | None] = None

    #: Whether criteria have many local minima in the kernel's widths, so that a search begins with a scan of them.
    scans_widths: ClassVar[bool] = False

    #: Whether ``coefficient_pullback`` is offered.
    differentiable: ClassVar[bool] = False

    @abstractmethod
    def fit(
        self, gram: Array, targets: Array, regularization: float, weights: Array, warm: State | None = None
    ) -> State:
        """Return the solution as a frozen record.

        Parameters
        ----------
        gram : ndarray of shape (n, n)
        targets : ndarray of shape (n, k)
        regularization : float
            The machine's one constant: mu of the LS-SVM, C of the SVM.
        weights : ndarray of shape (n,)
            Positive sample weights.
        warm : state of an earlier fit, optional
        """

    @abstractmethod
    def decide(self, state: State, cross: Array) -> Array:
        """Return decision values (m, k) for the (n, m) kernel values ``cross``."""

    def work(self, n_rows: float, n_outputs: int) -> float:
        """Return roughly the operations of a value and its gradient: by default ten factorisations per output."""
        return 10.0 * n_outputs * factorisation(n_rows)

    def start_of(self, state: State) -> State:
        """Return the parts of a state that a later fit starts from, without the large arrays it does not need."""
        return state

    def coefficient_pullback(self, state: State, weights: Array, cotangent: Array) -> tuple[Array, float]:
        """Return the derivative of ``sum(cotangent * dual_coef)`` in the Gram matrix and in the constant."""
        raise MissingCapability(
            f"The machine {self.name!r} does not differentiate its coefficients: use 'lssvm', or ask for nothing that "
            "needs them, as prior='curvature' does."
        )

    def doubt(self, state: State) -> str:
        """Return a sentence if the solution is not exact, else an empty string."""
        return ""


def factorisation(n_rows: float) -> float:
    """Return the operations of one Cholesky factorisation."""
    return n_rows**3 / 3.0


@dataclass(frozen=True, kw_only=True)
class KernelExpansion:
    """The function sum_i coef_i k(x_i, x) + intercept, several outputs side by side."""

    dual_coef: Array  # (n, k)
    intercept: Array  # (k,)

    def decide(self, cross: Array) -> Array:
        """Return its values (m, k) for the (n, m) kernel values ``cross``."""
        values = cross.T @ self.dual_coef
        largest = np.abs(self.dual_coef).sum(axis=0).max() * np.abs(cross).max(initial=0.0)
        if largest > CANCELLING * np.abs(values).max(initial=0.0):
            values = self._without_common_part(cross)
        return np.asarray(values + self.intercept, dtype=float)

    def _without_common_part(self, cross: Array) -> Array:
        """Return the sum where huge coefficients cancel each other, as those of a nearly flat kernel do.

        sum_i coef_i k_i = sum_i coef_i (k_i - c) + c sum_i coef_i. The last sum is 0 up to rounding if a machine has
        an intercept, so that a c in the middle of the k_i keeps the partial sums small.
        """
        middle = np.median(cross, axis=0)
        totals = np.array([math.fsum(column) for column in self.dual_coef.T])
        return np.asarray((cross - middle).T @ self.dual_coef + np.outer(middle, totals), dtype=float)


@dataclass(frozen=True, kw_only=True)
class Fitted:
    """A machine solved on data: everything that a criterion may see."""

    machine: Machine[Any]
    gram: Array
    targets: Array
    weights: Array
    regularization: float
    state: Any
    n_residuals: int  # rows times independent outputs: the sample size behind a sum of squares
