"""The selection objective of least-squares machines, with what their closed-form leave-one-out adds to a value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from kernelect.machines import LSSVMState, RidgePath, blocks_of
from kernelect.selection.objective import SelectionObjective
from kernelect.typing import Array


class ResidualPath(Protocol):
    """Leave-one-out, of rows or of groups, at one kernel for any ridge."""

    def residuals(self, mu: float) -> Array:
        """Return the exact leave-one-out residuals (n, k) at ridge ``mu``."""


@dataclass(frozen=True, kw_only=True)
class LeastSquaresObjective(SelectionObjective):
    """The objective of an LS-SVM; its last parameter is the ridge."""

    def ridge_path(self, theta: Array) -> ResidualPath:
        """Return leave-one-out along the ridge, with the kernel at ``theta``."""
        return RidgePath(self.kernel_at(theta).gram(self.X), self.targets, self.weights, self.criterion.groups)

    def left_out_residuals(self, theta: Array) -> Array:
        """Return the exact leave-one-out residuals (n, k) at ``theta``; criteria that leave rows out remember them."""
        if self.criterion.leaves_out:
            self.value(theta)
            remembered = self.pointwise(theta)
            if remembered is not None:
                return remembered
        state: LSSVMState = self.solved(theta).state
        groups = self.criterion.groups
        if groups is not None:
            return groups.solve(blocks_of(state.bordered_inverse()), state.dual_coef)
        return state.leave_one_out_residuals(state.bordered_diagonal())
