"""theta -> value and gradient: where kernel, machine, criterion and prior meet."""

from __future__ import annotations

import operator
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np

from kernelect.criteria import Criterion, CriterionValue
from kernelect.exceptions import MissingCapability, SingularSystem
from kernelect.kernels import Kernel
from kernelect.kernels.base import Pullback
from kernelect.machines import MACHINES, Fitted, Machine
from kernelect.parameters import ParameterSpace
from kernelect.priors import PRIORS, HyperPoint, Prior
from kernelect.results import Selection
from kernelect.typing import Array, Indices, Mask, Objective

#: Share of the outputs' variance that a direction holds, at least, if it is to count as an output of its own.
_INDEPENDENT = 1e-10

#: Rows from which the model that is kept begins with the solution of the search at the same point, which saves time.
_MANY_ROWS = 500


@dataclass
class Memory:
    """The last state of one search's machine, for a warm start of the next solution.

    Every search gets a memory of its own, so that results do not depend on the order in
    which searches run. The best point of them all is remembered beside it, for a solution at
    that very point.
    """

    state: Any = None
    best: Best | None = None

    def keep(self, best: Best) -> None:
        """Remember a point if no better one is known."""
        if self.best is None or best.value < self.best.value:
            self.best = best

    def start_at(self, theta: Array) -> Any:
        """Return what another solution at ``theta`` may begin with."""
        known = self.best is not None and np.array_equal(self.best.theta, theta)
        return self.best.state if self.best is not None and known else None


@dataclass(frozen=True)
class Best:
    """A point, its value, and what a machine needs to be solved there again at little cost."""

    theta: Array
    value: float
    state: Any


@dataclass(frozen=True, kw_only=True)
class KnownValue:
    """A criterion at one theta: all that a prior needs to be added to it, without the solution."""

    value: float
    gradient: Array | None  # of the value in theta; None if it was not asked for
    nats: float
    slope: float  # of the nats in the value
    n_residuals: int
    pointwise: Array | None = None  # (n, ...) what is behind the value, row by row


@dataclass(frozen=True)
class Remembered:
    """What is known by theta, and the parts for which it is known."""

    parts: tuple[object, ...] = ()
    values: dict[bytes, KnownValue] = field(default_factory=dict)

    def holds_for(self, parts: tuple[object, ...]) -> bool:
        """Return whether these are the very parts."""
        return len(parts) == len(self.parts) and all(map(operator.is_, parts, self.parts))


@dataclass(frozen=True, kw_only=True)
class SelectionObjective:
    """The criterion, with or without prior, as a function of theta.

    Values are remembered by theta, so no stage of a selection pays for a point that another one has
    seen, whatever the prior. Machines that start from their last solution are the exception: the
    last digits of their values depend on where a search comes from. Parts that do not go together are refused before
    anything is computed.

    Attributes
    ----------
    kernel : Kernel
        With numbers for all parameters; theta replaces them.
    space : ParameterSpace
        The kernel's parameters, then the machine's constant if it has one.
    pairwise : bool
        Whether ``X`` holds kernel values between the rows instead of inputs.
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
    known: Remembered = field(default_factory=Remembered)
    pairwise: bool = False

    #: Whether the solution's functions move with their weights.
    moves_centres: ClassVar[bool] = False

    def __post_init__(self) -> None:
        self.criterion.check(self.machine)
        missing = "" if self.prior is None else self._missing(self.prior)
        if self.prior is not None and missing:
            fitting = [repr(entry.name) for entry in PRIORS if not self._missing(entry.make())]
            instead = f"prior={', '.join(fitting)} or None" if fitting else "prior=None"
            raise MissingCapability(f"prior={self.prior.name!r} needs {missing}: use {instead}.")
        if self.criterion.needs_centres and not self.moves_centres:
            raise MissingCapability(
                f"criterion={self.criterion.name!r} judges centres that move, and {type(self).__name__} leaves them "
                "on the rows: use kernelect.selection.join, which chooses CentreObjective."
            )
        if not self.known.holds_for(self._parts()):
            object.__setattr__(self, "known", Remembered(self._parts()))

    def _missing(self, prior: Prior) -> str:
        """Return what a prior needs and the other parts do not have, nothing if all is there."""
        if prior.needs_gradient and not self.criterion.has_gradient:
            return f"the gradient of the criterion, and criterion={self.criterion.name!r} has none"
        if prior.needs_coefficients and not self.machine.differentiable:
            able = " or ".join(repr(entry.name) for entry in MACHINES if entry.cls.differentiable)
            return (
                f"a machine that differentiates its coefficients, which {able} does and {self.machine.name!r} does not"
            )
        if prior.needs_inputs and self.pairwise:
            return f"the inputs, and the {self.kernel.words} kernel has none"
        lacking = prior.lacks(self.space)
        return f"{lacking}, and the {self.kernel.words} kernel has none" if lacking else ""

    def _parts(self) -> tuple[object, ...]:
        """Return all that a value depends on, beside theta and the prior."""
        return (self.X, self.targets, self.weights, self.kernel, self.machine, self.criterion)

    @classmethod
    def with_parts_of(cls, other: SelectionObjective, **more: Any) -> Self:
        """Return an objective of another kind on the same rows, with the same parts."""
        names = ("X", "targets", "weights", "kernel", "space", "machine", "criterion", "prior")
        return cls(**{name: getattr(other, name) for name in names}, **more)

    def __call__(self, theta: Array) -> tuple[float, Array | None]:
        """Return value and gradient of what is minimised; infinite if no machine can be solved."""
        try:
            return self._with_prior(theta, gradient=self.criterion.has_gradient)
        except SingularSystem:
            return float("inf"), np.zeros(len(theta))

    def value(self, theta: Array) -> float:
        """Return the value alone, at less cost than with its gradient."""
        try:
            return self._with_prior(theta, gradient=False)[0]
        except SingularSystem:
            return float("inf")

    def as_function(self, *, gradient: bool) -> Objective:
        """Return theta -> (value, gradient) with its own memory; the gradient is None if it is not wanted."""
        fresh = replace(self, memory=Memory())

        def of_theta(theta: Array) -> tuple[float, Array | None]:
            value, slope = fresh(theta) if gradient else (fresh.value(theta), None)
            if self.machine.warm_starts and fresh.memory.state is not None:
                self.memory.keep(Best(theta.copy(), value, fresh.memory.state))
            return value, slope

        return of_theta

    def pointwise(self, theta: Array) -> Array | None:
        """Return the row-by-row values behind the criterion at ``theta``, if they are remembered."""
        known = self.known.values.get(theta.tobytes())
        return None if known is None else known.pointwise

    def criterion_alone(self, theta: Array) -> tuple[float, Array | None]:
        """Return the criterion's own value and gradient, without the prior."""
        return replace(self, prior=None)(theta)

    def misfit_slope(self, theta: Array) -> float:
        """Return the derivative of what is minimised in the criterion's value (zeta of the paper)."""
        known = self._evaluated(theta, gradient=False)[1]
        return known.slope if self.prior is None else self._misfit(self.prior, known)[1]

    def solved(self, theta: Array) -> Fitted:
        """Return the machine solved at ``theta``."""
        return self._solved(theta)[0]

    def solved_by(self, machine: Machine[Any], theta: Array, *, warm: bool = False) -> Fitted:
        """Return another machine solved at ``theta``, such as the one that predicts.

        ``warm`` lets it start where the search ended, as with many rows.
        """
        gram, constant = self._gram_at(theta), self._constant(theta)
        # With few rows a model does not depend, in its last digits, on the way that a search came.
        warm = machine.name == self.machine.name and (warm or len(self.X) >= _MANY_ROWS)
        start = self.memory.start_at(theta) if warm else None
        return self._fitted(machine, gram, constant, machine.fit(gram, self.targets, constant, self.weights, start))

    def at_bound(self, theta: Array) -> tuple[str, ...]:
        """Return the names of the parameters that lie at a bound."""
        return self.space.moved(theta).at_bound(theta)

    def in_units(self, selection: Selection, unit: float) -> Selection:
        """Return a selection made on targets divided by ``unit``, with its values for the original targets."""
        if unit == 1.0:
            return selection
        trace = selection.trace
        if self.prior is None:
            n_rows = float(self.weights.sum())
            value = float(self.criterion.rescaled(np.array([selection.value]), unit, n_rows)[0])
            trace = replace(trace, value=self.criterion.rescaled(trace.value, unit, n_rows))
            return replace(selection, value=value, trace=trace)
        fitted = self.solved(selection.theta)
        shift = self.prior.share(fitted.n_residuals) * self.criterion.nats_shift(unit, fitted)
        return replace(selection, value=selection.value + shift, trace=replace(trace, value=trace.value + shift))

    def kernel_at(self, theta: Array) -> Kernel:
        """Return the kernel with its part of ``theta``."""
        return self.kernel.with_theta(theta[: self._n_kernel_parameters])

    def design(self, theta: Array) -> tuple[Array, Pullback]:
        """Return the Gram matrix at ``theta``, or what replaces it, and its pullback."""
        return self.kernel_at(theta).linearize(self.X)

    def _gram_at(self, theta: Array) -> Any:
        """Return the Gram matrix at ``theta``, or what replaces it, for a solution without a gradient."""
        return self.kernel_at(theta).gram(self.X)

    def begun_at(self, theta: Array) -> Self:
        """Return the objective for searches that start at ``theta``; by default there is nothing to prepare."""
        return self

    def on_rows(self, rows: Indices | Mask) -> Self:
        """Return the objective of some of the rows, with the space of all rows."""
        X = self.X[rows][:, rows] if self.pairwise else self.X[rows]
        return replace(
            self,
            X=X,
            targets=self.targets[rows],
            weights=self.weights[rows],
            criterion=self.criterion.on_rows(np.arange(len(self.X))[rows]),
            memory=Memory(),
        )

    @property
    def _n_kernel_parameters(self) -> int:
        return len(self.kernel.theta)

    def _constant(self, theta: Array) -> float:
        """Return the machine's constant, 1 if it is no parameter."""
        return float(np.exp(theta[-1])) if len(theta) > self._n_kernel_parameters else 1.0

    def _evaluated(self, theta: Array, *, gradient: bool) -> tuple[HyperPoint, KnownValue]:
        """Return the criterion at ``theta``, remembered or found."""
        key, kernel = theta.tobytes(), self.kernel_at(theta)
        known = self.known.values.get(key)
        if known is not None and (known.gradient is not None or not gradient):
            self._revisit(theta)
            return HyperPoint(
                theta=theta, space=self.space.moved(theta), kernel=kernel, X=self.X, solve=lambda: self.solved(theta)
            ), known
        fitted, known = self._judged(theta, gradient=gradient)
        if not self.machine.warm_starts:
            self.known.values[key] = known
        return HyperPoint(
            theta=theta, space=self.space.moved(theta), kernel=kernel, X=self.X, solve=lambda: fitted
        ), known

    def _judged(self, theta: Array, *, gradient: bool) -> tuple[Fitted, KnownValue]:
        """Return the machine solved at ``theta`` and what the criterion says of it."""
        fitted, pull = self._solved(theta)
        found = self.criterion.value_and_gradient(fitted) if gradient else self.criterion.value(fitted)
        known = self._in_nats(found.value, None, fitted)
        slope = self._gradient(theta, pull, found) if gradient else None
        return fitted, replace(known, gradient=slope, pointwise=found.pointwise)

    def _in_nats(self, value: float, gradient: Array | None, fitted: Fitted) -> KnownValue:
        nats, slope = self.criterion.nats(value, fitted)
        return KnownValue(value=value, gradient=gradient, nats=nats, slope=slope, n_residuals=fitted.n_residuals)

    def _revisit(self, theta: Array) -> None:
        """Take note that a search came back to a point that is remembered; by default nothing."""

    def _solved(self, theta: Array) -> tuple[Fitted, Pullback]:
        gram, pull = self.design(theta)
        constant = self._constant(theta)
        return self._fitted(self.machine, gram, constant, self._state(theta, gram, constant)), pull

    def _fitted(self, machine: Machine[Any], gram: Array, constant: float, state: Any) -> Fitted:
        n_residuals = len(gram) * independent_outputs(self.targets)
        return Fitted(
            machine=machine,
            gram=gram,
            targets=self.targets,
            weights=self.weights,
            regularization=constant,
            state=state,
            n_residuals=n_residuals,
        )

    def _state(self, theta: Array, gram: Array, constant: float) -> Any:
        """Return the machine's solution at ``theta``, whose Gram matrix is ``gram``."""
        state = self.machine.fit(gram, self.targets, constant, self.weights, self.memory.state)
        self.memory.state = self.machine.start_of(state) if self.machine.warm_starts else None
        return state

    def _gradient(self, theta: Array, pull: Pullback, found: CriterionValue) -> Array:
        assert found.grad_gram is not None
        kernel_part = pull(found.grad_gram)
        if len(theta) == len(kernel_part):
            return kernel_part
        return np.append(kernel_part, found.grad_regularization * self._constant(theta))

    def _with_prior(self, theta: Array, *, gradient: bool) -> tuple[float, Array | None]:
        return self._penalized(*self._evaluated(theta, gradient=gradient))

    def _penalized(self, point: HyperPoint, known: KnownValue) -> tuple[float, Array | None]:
        if self.prior is None:
            return known.value, known.gradient
        misfit, slope = self._misfit(self.prior, known)
        penalty, by_theta = self.prior.penalty(point)
        return misfit + penalty, None if known.gradient is None else slope * known.gradient + by_theta

    @staticmethod
    def _misfit(prior: Prior, known: KnownValue) -> tuple[float, float]:
        return prior.misfit(known.value, known.nats, known.slope, known.n_residuals)


def independent_outputs(targets: Array) -> int:
    """Return the rank of the centred targets: one-against-rest columns sum to a constant."""
    if targets.shape[1] == 1:
        return 1
    centred = targets - targets.mean(axis=0)
    centred = centred / np.maximum(np.linalg.norm(centred, axis=0), np.finfo(float).tiny)
    # NumPy's own threshold for a rank is that of one rounding, and a sum over rows has many.
    return max(int(np.sum(np.linalg.eigvalsh(centred.T @ centred) > _INDEPENDENT)), 1)
