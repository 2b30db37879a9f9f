"""theta -> value and gradient: where kernel, machine, criterion and prior meet."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from kernelect.criteria import Criterion, CriterionValue
from kernelect.exceptions import SingularSystem
from kernelect.kernels import Kernel
from kernelect.kernels.base import Pullback
from kernelect.machines import Fitted, Machine
from kernelect.parameters import ParameterSpace
from kernelect.priors import HyperPoint, Prior
from kernelect.typing import Array

#: Share of the outputs' variance that a direction holds, at least, if it is to count as an output of its own.
_INDEPENDENT = 1e-10


@dataclass
class Memory:
    """The last state of one search's machine, for a warm start of the next solution.

    Every search gets a memory of its own, so that results do not depend on the order in
    which searches run.
    """

    state: Any = None


@dataclass(frozen=True)
class SelectionObjective:
    """The criterion, with or without prior, as a function of theta.

    Attributes
    ----------
    kernel : Kernel
        With numbers for all parameters; theta replaces them.
    space : ParameterSpace
        The kernel's parameters, then the machine's constant where it has one.
    """

    X: Array
    targets: Array  # (n, k)
    weights: Array  # (n,)
    kernel: Kernel
    space: ParameterSpace
    machine: Machine[Any]
    criterion: Criterion
    prior: Prior | None
    memory: Memory = field(default_factory=Memory)

    def __call__(self, theta: Array) -> tuple[float, Array | None]:
        """Return value and gradient of what is minimised; infinite where no machine can be solved."""
        try:
            point, pull = self._solved(theta)
        except SingularSystem:
            return float("inf"), np.zeros(len(theta))
        if not self.criterion.has_gradient:
            return self._value_with_prior(point), None
        found = self.criterion.value_and_gradient(point.fitted)
        return self._with_prior(point, found.value, self._gradient(point, pull, found))

    def criterion_alone(self, theta: Array) -> tuple[float, Array | None]:
        """Return the criterion's own value and gradient, without the prior."""
        return replace(self, prior=None)(theta)

    def value(self, theta: Array) -> float:
        """Return the value alone, at less cost than with its gradient."""
        try:
            return self._value_with_prior(self._solved(theta)[0])
        except SingularSystem:
            return float("inf")

    def misfit_slope(self, theta: Array) -> float:
        """Return the derivative of what is minimised in the criterion's value (zeta of the paper)."""
        fitted = self.solved(theta)
        share = 1.0 if self.prior is None else self.prior.share(fitted.n_residuals)
        return share * self.criterion.nats(self.criterion.value(fitted).value, fitted)[1]

    def solved(self, theta: Array) -> Fitted:
        """Return the machine solved at ``theta``."""
        return self._solved(theta)[0].fitted

    def kernel_at(self, theta: Array) -> Kernel:
        """Return the kernel with its part of ``theta``."""
        return self.kernel.with_theta(theta[: self._n_kernel_parameters])

    @property
    def _n_kernel_parameters(self) -> int:
        return len(self.kernel.theta)

    def _solved(self, theta: Array) -> tuple[HyperPoint, Pullback]:
        kernel = self.kernel_at(theta)
        gram, pull = kernel.linearize(self.X)
        has_constant = len(theta) > self._n_kernel_parameters
        constant = float(np.exp(theta[-1])) if has_constant else 1.0
        state = self._state(theta, gram, constant)
        n_residuals = len(gram) * independent_outputs(self.targets)
        fitted = Fitted(self.machine, gram, self.targets, self.weights, constant, state, n_residuals)
        return HyperPoint(theta, self.space.moved(theta), kernel, self.X, fitted), pull

    def _state(self, theta: Array, gram: Array, constant: float) -> Any:
        """Return the machine's solution at ``theta``, whose Gram matrix is ``gram``."""
        state = self.machine.fit(gram, self.targets, constant, self.weights, self.memory.state)
        self.memory.state = state if self.machine.warm_starts else None
        return state

    def _gradient(self, point: HyperPoint, pull: Pullback, found: CriterionValue) -> Array:
        assert found.grad_gram is not None
        kernel_part = pull(found.grad_gram)
        if len(point.theta) == len(kernel_part):
            return kernel_part
        return np.append(kernel_part, found.grad_regularization * point.fitted.regularization)

    def _value_with_prior(self, point: HyperPoint) -> float:
        value = self.criterion.value(point.fitted).value
        return self._with_prior(point, value, np.zeros(len(point.theta)))[0]

    def _with_prior(self, point: HyperPoint, value: float, gradient: Array) -> tuple[float, Array]:
        if self.prior is None:
            return value, gradient
        nats, slope = self.criterion.nats(value, point.fitted)
        share = self.prior.share(point.fitted.n_residuals)
        penalty, by_theta = self.prior.penalty(point)
        return share * nats + penalty, share * slope * gradient + by_theta


def independent_outputs(targets: Array) -> int:
    """Return the rank of the centred targets: one-against-rest columns sum to a constant."""
    if targets.shape[1] == 1:
        return 1
    centred = targets - targets.mean(axis=0)
    centred = centred / np.maximum(np.linalg.norm(centred, axis=0), np.finfo(float).tiny)
    # NumPy's own threshold for a rank is that of one rounding, and a sum over rows has many.
    return max(int(np.sum(np.linalg.eigvalsh(centred.T @ centred) > _INDEPENDENT)), 1)
