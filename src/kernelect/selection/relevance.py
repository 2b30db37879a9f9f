"""The selection objective of relevance vector machines.

A solution is a search of its own and small once found, so every one is remembered: the model
at the selected point is the one whose value was reported, and it is not fitted twice.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from kernelect.kernels.centres import GaussianCentres
from kernelect.machines import CentreState, RVMState
from kernelect.machines.rvm_centres import at_rows, joint_mode
from kernelect.selection.objective import SelectionObjective
from kernelect.typing import Array


@dataclass(frozen=True)
class RelevanceObjective(SelectionObjective):
    """Remembers the sparse fits by theta."""

    solutions: dict[bytes, RVMState] = field(default_factory=dict)

    def _state(self, theta: Array, gram: Array, constant: float) -> Any:
        key = theta.tobytes()
        if key not in self.solutions:
            self.solutions[key] = self._solution(theta, gram, constant)
        return self.solutions[key]

    def _solution(self, theta: Array, gram: Array, constant: float) -> RVMState:
        return super()._state(theta, gram, constant)


@dataclass(frozen=True)
class CentreObjective(RelevanceObjective):
    """Solves the machine at fixed centres, then moves weights and centres to their joint mode."""

    tau: float = 1.0

    def _solution(self, theta: Array, gram: Array, constant: float) -> RVMState:
        fits = super()._solution(theta, gram, constant).fits
        geometry = GaussianCentres.of(self.kernel_at(theta), self.X)
        return CentreState(fits, tuple(joint_mode(at_rows(fit, self.X, geometry, self.tau)) for fit in fits))
