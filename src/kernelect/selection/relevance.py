"""The selection objective of relevance vector machines.

A solution takes a search but is small once found, so every solution is remembered. The model at the
selected point is therefore the one whose value was reported, and it is not fitted twice.

A new set of functions at every step would make the criterion jump, which disturbs a search by
gradient. Close to a point already visited, the machine therefore starts from the functions and
precisions it had there. After a small step it starts from those of the step before. It changes them
if that gains. After a large step, as in a scan, it starts with none.

With many rows, candidate functions are centred on landmarks. These are drawn where a search starts and stay fixed while
theta moves.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np

from kernelect.criteria import CriterionValue, RVMCentreEvidence
from kernelect.exceptions import OutOfTime
from kernelect.kernels.base import Pullback
from kernelect.kernels.centres import GaussianCentres
from kernelect.machines.rvm import RVM, CentreState, RVMState, SparseFit, at_rows, merit, settled
from kernelect.numerics import Deadline
from kernelect.priors import HyperPoint
from kernelect.selection.centres import Centres, Drawing, rounded
from kernelect.selection.objective import KnownValue, Memory, SelectionObjective
from kernelect.typing import Array, Indices, Mask

#: Largest step of a log-parameter after which the last solution is a start for the next.
_NEAR = 0.4

#: Distance below which any solution of the search is: a line search that comes back from a step that was too
#: long would otherwise find another set of functions than the one it set out from, and no way down.
_CLOSE = 0.2

#: Nats per row below the best of a search where a width is not worth the last improvements: by the
#: criterion itself if it is an evidence, or by the evidence if it is not.
_HOPELESS, _HOPELESS_EVIDENCE = 0.05, 0.15


@dataclass(frozen=True, kw_only=True)
class RelevanceObjective(SelectionObjective):
    """Remembers the sparse fits by theta.

    Attributes
    ----------
    centres : Centres or None
        Where candidate functions are centred; on every row if this is None.
    drawing : Drawing or None
        How centres are drawn, if they are not given.
    """

    centres: Centres | None = None
    drawing: Drawing | None = None
    solutions: dict[bytes, RVMState] = field(default_factory=dict)

    @property
    def points(self) -> Array:
        """Where candidate functions are centred, one row each."""
        return self.X if self.centres is None else self.centres.points

    def centred_on(self, centres: Centres | None) -> Self:
        """Return the objective with other candidate functions."""
        criterion = self.criterion.centred_on(None if centres is None else centres.rows)
        return replace(self, centres=centres, criterion=criterion, memory=Memory(), solutions={})

    def begun_at(self, theta: Array) -> Self:
        if self.drawing is None:
            return self
        return self.centred_on(self.drawing.centres(rounded(self.kernel_at(theta), self.space), self.X, self.weights))

    def design(self, theta: Array) -> tuple[Array, Pullback]:
        if self.centres is None:
            return super().design(theta)
        values, pull = self.kernel_at(theta).linearize_cross(self.centres.points, self.X)
        return values.T, lambda weights: pull(weights.T)

    def _parts(self) -> tuple[object, ...]:
        return (*super()._parts(), self.centres)

    def fits(self, theta: Array) -> tuple[SparseFit, ...]:
        """Return the sparse fits at ``theta``; remembered fits need no new Gram matrix."""
        known = self.solutions.get(theta.tobytes())
        return (self._remembered(theta, self.design(theta)[0]) if known is None else known).fits

    def on_rows(self, rows: Indices | Mask) -> Self:
        rows = np.arange(len(self.X))[rows]
        given = self.centres if self.drawing is None else None
        return super().on_rows(rows).centred_on(None if given is None else given.on_rows(rows, len(self.X)))

    def _state(self, theta: Array, gram: Array, constant: float) -> Any:
        return self._remembered(theta, gram) if self.criterion.needs_solution else None

    def _remembered(self, theta: Array, gram: Array) -> RVMState:
        key = theta.tobytes()
        if key not in self.solutions:
            self.solutions[key] = self._solution(theta, gram)
        self._revisit(theta)
        return self.solutions[key]

    def _revisit(self, theta: Array) -> None:
        state = self.solutions.get(theta.tobytes())
        if state is None:
            return
        if self.memory.state is None:
            self.memory.state = _Visited()
        self.memory.state.add(theta, state, sum(merit(fit, self._price) for fit in state.fits))

    def _solution(self, theta: Array, gram: Array) -> RVMState:
        machine = self._rvm
        if self.targets.shape[1] == 1:  # the evidence of several outputs is a sum, of which none alone is hopeless
            machine = machine.giving_up_below(self._hopeless(), self._price)
        return machine.fit(gram, self.targets, 1.0, self.weights, self._near(theta))

    def _hopeless(self) -> float:
        """Return the merit below which a kernel is not worth the last improvements of its fit."""
        slack = _HOPELESS if self.criterion.is_evidence else _HOPELESS_EVIDENCE
        best = -np.inf if self.memory.state is None else float(self.memory.state.best)
        return best - slack * float(self.weights.sum())

    @property
    def _price(self) -> float:
        return self.criterion.price

    @property
    def _rvm(self) -> RVM:
        assert isinstance(self.machine, RVM)
        return self.machine

    def before(self, deadline: Deadline) -> Self:
        """Return the objective with another deadline; it keeps its solutions."""
        return replace(self, machine=self._rvm.before(deadline))

    def _evaluated(self, theta: Array, *, gradient: bool) -> tuple[HyperPoint, KnownValue]:
        """Return the criterion at ``theta``; a value that was cut short counts only if there is no other."""
        known = self.known.values.get(theta.tobytes())
        if self._rvm.deadline.passed and known is not None:
            still = replace(known, gradient=np.zeros(len(theta))) if gradient and known.gradient is None else known
            point = HyperPoint(
                theta=theta,
                space=self.space.moved(theta),
                kernel=self.kernel_at(theta),
                X=self.X,
                solve=lambda: self.solved(theta),
            )
            return point, still
        first = not self.known.values
        point, found = super()._evaluated(theta, gradient=gradient)
        if self._rvm.deadline.passed and not first:
            del self.known.values[theta.tobytes()]
            raise OutOfTime
        return point, found

    def _near(self, theta: Array) -> RVMState | None:
        """Return a solution of this search that was found near by."""
        return None if self.memory.state is None else self.memory.state.near(theta)


@dataclass
class _Visited:
    """Where a search has been, and the best it has seen."""

    thetas: list[Array] = field(default_factory=list)
    states: list[RVMState] = field(default_factory=list)
    best: float = -np.inf

    def add(self, theta: Array, state: RVMState, merit: float) -> None:
        """Take note of a solution."""
        self.thetas.append(theta)
        self.states.append(state)
        self.best = max(self.best, merit)

    def near(self, theta: Array) -> RVMState | None:
        """Return the solution that a machine at ``theta`` should begin with."""
        distances = [_distance(theta, each) for each in self.thetas]
        closest = int(np.argmin(distances))
        if distances[closest] < _CLOSE:
            return self.states[closest]
        return self.states[-1] if distances[-1] < _NEAR else None


def _distance(theta: Array, other: Array) -> float:
    """Return the largest difference of a parameter, infinite if one is at 0 (its logarithm is not finite)."""
    on = np.isfinite(theta)
    if not np.array_equal(on, np.isfinite(other)):
        return np.inf
    return float(np.abs(theta[on] - other[on]).max(initial=0.0))


@dataclass(frozen=True)
class CentreObjective(RelevanceObjective):
    """Solves the machine at fixed centres, then moves weights and centres to their joint mode."""

    moves_centres: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        GaussianCentres.of(self.kernel, self.X)  # raises if the kernel is not Gaussian

    def _solution(self, theta: Array, gram: Array) -> RVMState:
        assert isinstance(self.criterion, RVMCentreEvidence)
        fits = super()._solution(theta, gram).fits
        geometry, tau = GaussianCentres.of(self.kernel_at(theta), self.X), self.criterion.tau
        begun = (at_rows(fit, self.points, geometry, tau) for fit in fits)
        return CentreState(fits, tuple(settled(fit, self.criterion.rounds) for fit in begun))

    def _gradient(self, theta: Array, pull: Pullback, found: CriterionValue) -> Array:
        assert found.grad_widths is not None
        geometry = GaussianCentres.of(self.kernel_at(theta), self.X)
        return super()._gradient(theta, pull, found) + geometry.in_theta(found.grad_widths)
