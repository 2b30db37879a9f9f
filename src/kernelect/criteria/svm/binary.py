"""What the criteria of support vector machines share: the sum over machines, and the adjoint.

Notation as in machines/svm/machine.py; M = K + diag(e) with the ridge e (jitter, or 1/C_i for quadratic
slack), F the free rows, U the bounded ones. A criterion E depends on M and C directly and
through the solution: M_FF beta_F = y_F - M_FU beta_U, with beta_U = y_U C s_U.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np

from kernelect.criteria.base import Criterion, CriterionValue, misjudged
from kernelect.exceptions import MissingCapability
from kernelect.machines import SVM, BinarySVM, Fitted, Machine
from kernelect.machines.svm.machine import JITTER
from kernelect.typing import Array, Indices


class SVMCriterion(Criterion):
    """A criterion of support vector machines."""

    judges: ClassVar[tuple[str, ...]] = ("svm",)
    scale_invariant: ClassVar[bool] = True

    #: Slacks for which it is defined.
    slacks: ClassVar[tuple[str, ...]] = ("linear", "quadratic")

    def check(self, machine: Machine[Any]) -> None:
        """Raise :class:`MissingCapability` if the criterion is not defined for the machine's slack."""
        super().check(machine)
        if isinstance(machine, SVM) and machine.slack not in self.slacks:
            raise MissingCapability(
                f"criterion={self.name!r} is not defined for slack={machine.slack!r}: use slack={self.slacks[0]!r}, "
                "or another criterion."
            )


class BinaryCriterion(SVMCriterion):
    """The sum of a criterion's values for each binary machine."""

    def value(self, fitted: Fitted) -> CriterionValue:
        return _summed([self._value(machine) for machine in binaries(fitted)])

    def value_and_gradient(self, fitted: Fitted) -> CriterionValue:
        return _summed([self._value_and_gradient(machine) for machine in binaries(fitted)])

    @abstractmethod
    def _value(self, machine: BinarySVM) -> CriterionValue:
        """Return the value for one machine; ``pointwise`` is (n,)."""

    def _value_and_gradient(self, machine: BinarySVM) -> CriterionValue:
        """Return the value with its derivatives for one machine; the value alone if there are none."""
        return self._value(machine)


class ErrorEstimate(BinaryCriterion):
    """A criterion that estimates or bounds the error rate."""

    def nats(self, value: float, fitted: Fitted) -> tuple[float, float]:
        return flip_nats(value, fitted)


def flip_nats(value: float, fitted: Fitted) -> tuple[float, float]:
    """Return n h(rate), and its derivative: labels that flip at the estimated rate, h their entropy.

    The rate is smoothed as (errors + 1)/(n + 2), so that no error does not mean certainty; from
    a rate of 1/4 on the entropy goes on straight, as it has to rise with the estimate.
    """
    n, k = float(fitted.weights.sum()), fitted.targets.shape[1]
    rate = (n * value / k + 1.0) / (n + 2.0)
    bent = min(rate, 0.25)
    slope = float(np.log1p(-bent) - np.log(bent))
    entropy = -bent * float(np.log(bent)) - (1.0 - bent) * float(np.log1p(-bent))
    return n * k * (entropy + slope * (rate - bent)), n * slope * n / (n + 2.0)


def binaries(fitted: Fitted) -> list[BinarySVM]:
    """Return the machines of all columns of targets."""
    machine = fitted.machine
    if not isinstance(machine, SVM):
        raise misjudged(SVM.name, machine)
    return [machine.binary(fitted, column) for column in range(fitted.targets.shape[1])]


def _summed(values: list[CriterionValue]) -> CriterionValue:
    gradients = [found.grad_gram for found in values if found.grad_gram is not None]
    return CriterionValue(
        value=sum(found.value for found in values),
        pointwise=np.column_stack([found.pointwise for found in values]),
        grad_gram=sum(gradients[1:], start=gradients[0]) if gradients else None,
        grad_regularization=sum(found.grad_regularization for found in values),
    )


class MachineAdjoint:
    """Collects the derivatives of E in what one machine is made of, and carries them to K and C.

    Attributes
    ----------
    block : ndarray of shape (m, m)
        Derivative in K between support vectors, which are the rows ``support``.
    by_ridge, by_beta, by_margin : ndarray of shape (n,)
        Derivatives in e_i, beta_i and (bounded rows only) z_i.
    by_C : float
        Derivative in C itself, everything else held.
    """

    def __init__(self, machine: BinarySVM) -> None:
        n = len(machine.labels)
        self.machine = machine
        self.support: Indices = np.sort(np.concatenate([machine.free, machine.bounded]))
        self.at_free = np.searchsorted(self.support, machine.free)
        self.at_bounded = np.searchsorted(self.support, machine.bounded)
        self.block = np.zeros((len(self.support), len(self.support)))
        self.by_ridge, self.by_beta, self.by_margin = np.zeros(n), np.zeros(n), np.zeros(n)
        self.by_C = 0.0

    def add_free_block(self, derivative: Array, *, ridge: bool = True) -> None:
        """Add the derivative in M (with ``ridge=False``: in K alone) between free rows."""
        self.block[np.ix_(self.at_free, self.at_free)] += derivative
        if ridge:
            self.by_ridge[self.machine.free] += np.diagonal(derivative)

    def add_diagonal(self, rows: Indices, derivative: Array) -> None:
        """Add the derivative in M_ii for some of the support vectors."""
        at = np.searchsorted(self.support, rows)
        self.block[at, at] += derivative
        self.by_ridge[rows] += derivative

    def carried(self, scale: float) -> tuple[Array, float]:
        """Return ``scale`` times the derivatives in the whole of K and in C."""
        p, beta = self.machine, self.machine.beta
        c = self.by_margin * p.labels  # z_h = y_h sum_j M_hj beta_j
        rows = np.flatnonzero(c)
        if len(rows):
            self.by_beta += c[rows] @ p.gram[rows] + p.ridge * c
        w = np.zeros(len(beta))
        if p.factor is not None:
            w[p.free] = p.factor.solve(self.by_beta[p.free])  # d beta_F = -M_FF^-1 (dM beta)_F
        v = c - w
        self.by_ridge += v * beta
        outer = np.outer(v[self.support], beta[self.support])
        self.block += 0.5 * (outer + outer.T)
        return self._scattered(scale), scale * self._by_constant(w)

    def _by_constant(self, w: Array) -> float:
        p = self.machine
        if p.quadratic:
            return self.by_C - float(self.by_ridge @ p.ridge) / p.C  # de_i/dC = -e_i/C
        h = p.bounded
        through = self.by_beta[h] - w[p.free] @ p.gram[np.ix_(p.free, h)]
        return self.by_C + float(np.sum(through * p.labels[h] * p.weights[h]))

    def _scattered(self, scale: float) -> Array:
        p, n = self.machine, len(self.machine.labels)
        self.block *= scale
        whole = np.zeros((n, n))
        whole[np.ix_(self.support, self.support)] = self.block
        if not p.quadratic:  # e_i = JITTER * mean of the diagonal
            whole.flat[:: n + 1] += scale * JITTER * float(self.by_ridge.sum()) / n
        return whole
