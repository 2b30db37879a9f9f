"""theta -> value and gradient for targets known up to an interval.

theta is the kernel's parameters, ln of the noise variance, and, for ordered classes 0 to K - 1, ln of the K - 2 steps
between thresholds. The first and the last threshold are as far from 0, so that classes in the opposite order have the
same model; the kernel's constant moves the latent function instead. Class k is the interval between the thresholds h_k
and h_k+1 of

    h_0 = -inf,   h_k+1 = h_k + exp(theta of step k),   h_1 = -h_K-1,   h_K = inf.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kernelect.criteria import Criterion, CriterionValue
from kernelect.kernels.base import Pullback
from kernelect.machines import EP, Fitted, Machine
from kernelect.parameters import ParameterSpace
from kernelect.priors import Prior
from kernelect.selection.objective import SelectionObjective
from kernelect.selection.start import Rows, StartedKernel
from kernelect.typing import Array

#: Start, lower and upper bound of the noise variance, in units of the targets' variance.
_NOISE = (0.3, 1e-6, 30.0)

#: The same for the steps between thresholds, in units of the noise of ordered classes.
_STEP = (1.0, 1e-3, 1e3)


class IntervalObjective(SelectionObjective):
    """The criterion as a function of theta; targets are limits (n, 2), or the numbers (n, 1) of ordered classes."""

    def thresholds(self, theta: Array) -> Array:
        """Return h_0 to h_K."""
        steps = np.exp(theta[self._n_kernel_parameters + 1 :])
        finite = np.concatenate([[0.0], np.cumsum(steps)]) - 0.5 * steps.sum()
        return np.concatenate([[-np.inf], finite, [np.inf]])

    def limits(self, theta: Array) -> Array:
        """Return what is known of every row's target, (n, 2)."""
        if self.targets.shape[1] == 2:
            return self.targets
        grades, h = self.targets[:, 0].astype(int), self.thresholds(theta)
        return np.column_stack([h[grades], h[grades + 1]])

    def solved_by(self, machine: Machine[Any], theta: Array, *, warm: bool = False) -> Fitted:
        start = self.memory.start_at(theta) if warm else None
        return self._on(machine, theta, self._gram_at(theta), start)

    def _constant(self, theta: Array) -> float:
        return float(np.exp(theta[self._n_kernel_parameters]))

    def _solved(self, theta: Array) -> tuple[Fitted, Pullback]:
        gram, pull = self.design(theta)
        fitted = self._on(self.machine, theta, gram, self.memory.state)
        self.memory.state = self.machine.start_of(fitted.state)
        return fitted, pull

    def _on(self, machine: Machine[Any], theta: Array, gram: Any, start: Any) -> Fitted:
        limits, constant = self.limits(theta), self._constant(theta)
        return Fitted(
            machine=machine,
            gram=gram,
            targets=limits,
            weights=self.weights,
            regularization=constant,
            state=machine.fit(gram, limits, constant, self.weights, start),
            n_residuals=len(gram),
        )

    def _gradient(self, theta: Array, pull: Pullback, found: CriterionValue) -> Array:
        assert found.grad_gram is not None
        kernel_and_noise = [*pull(found.grad_gram), found.grad_regularization * self._constant(theta)]
        steps = np.exp(theta[len(kernel_and_noise) :])
        if not len(steps):
            return np.array(kernel_and_noise)
        assert found.grad_limits is not None
        grades = self.targets[:, 0].astype(int)
        by_threshold = np.bincount(grades, found.grad_limits[:, 0], minlength=len(steps) + 3)
        by_threshold += np.bincount(grades + 1, found.grad_limits[:, 1], minlength=len(steps) + 3)
        # A step moves all thresholds above it by half of itself, and those below by as much the other way.
        above = np.cumsum(by_threshold[2:-1][::-1])[::-1]
        return np.array([*kernel_and_noise, *((above - 0.5 * by_threshold[1:-1].sum()) * steps)])


def noise_space(unit: float) -> ParameterSpace:
    """Return start and bounds of the noise variance, for targets of the variance ``unit``."""
    start, lower, upper = np.log(np.array(_NOISE) * unit)
    return ParameterSpace.single("noise", start, below=start - lower, above=upper - start)


def ordered_space(n_classes: int) -> ParameterSpace:
    """Return a noise variance of 1 and the steps between the thresholds of ordered classes."""
    start, lower, upper = np.log(_STEP)
    steps = [
        ParameterSpace.single(f"step{k}", start, below=start - lower, above=upper - start)
        for k in range(1, n_classes - 1)
    ]
    return ParameterSpace.joined([ParameterSpace.single("noise", 0.0, free=False), *steps])


def join_intervals(
    rows: Rows, started: StartedKernel, machine: EP, criterion: Criterion, prior: Prior | None, space: ParameterSpace
) -> IntervalObjective:
    """Return the objective of a selection.

    Parameters
    ----------
    rows : Rows
        Targets are limits (n, 2), or the numbers (n, 1) of ordered classes, from 0.
    started : StartedKernel
    machine : EP
        With the likelihood ``Interval``.
    criterion : Criterion
    prior : Prior or None
    space : ParameterSpace
        That of :func:`noise_space` or :func:`ordered_space`.
    """
    return IntervalObjective(
        X=rows.X,
        targets=rows.targets,
        weights=rows.weights,
        kernel=started.kernel,
        space=ParameterSpace.joined([started.space, space]),
        machine=machine,
        criterion=criterion,
        prior=prior,
        pairwise=started.pairwise,
    )
