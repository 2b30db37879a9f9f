"""The join: rows, kernel, machine, criterion and prior become one function of theta."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from kernelect.criteria import Criterion
from kernelect.machines import LSSVM, RVM, Groups, LSSVMState, Machine, RidgePath, blocks_of
from kernelect.parameters import ParameterSpace
from kernelect.priors import Prior
from kernelect.selection.objective import SelectionObjective
from kernelect.selection.relevance import CentreObjective, RelevanceObjective
from kernelect.selection.start import Rows, StartedKernel
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
        remembered = self.remembered_residuals(theta)
        return rows_left_out(self.solved(theta).state, self.criterion.groups)[1] if remembered is None else remembered

    def remembered_residuals(self, theta: Array) -> Array | None:
        """Return the leave-one-out residuals at ``theta`` if a criterion that leaves rows out has been there."""
        return self.pointwise(theta) if self.criterion.leaves_out else None


def rows_left_out(state: LSSVMState, groups: Groups | None) -> tuple[Array, Array]:
    """Return the inverse variances (n,) and the residuals (n, k) of rows left out, each alone or with its group."""
    if groups is None:
        c = state.bordered_diagonal()
        return c, state.leave_one_out_residuals(c)
    blocks = blocks_of(state.bordered_inverse())
    return 1.0 / groups.inverse_diagonal(blocks), groups.solve(blocks, state.dual_coef)


def join(
    rows: Rows,
    started: StartedKernel,
    machine: Machine[Any],
    criterion: Criterion,
    prior: Prior | None,
    constant: ParameterSpace | None = None,
) -> SelectionObjective:
    """Return the objective of a selection; if parts do not go together, the error names them.

    Parameters
    ----------
    rows : Rows
    started : StartedKernel
    machine : Machine
    criterion : Criterion
    prior : Prior or None
    constant : ParameterSpace, optional
        The space of the machine's constant, if it has one.
    """
    space = started.space if constant is None else ParameterSpace.joined([started.space, constant])
    kind = _KINDS.get(type(machine), SelectionObjective)
    if criterion.needs_centres:
        kind = CentreObjective
    return kind(
        X=rows.X,
        targets=rows.targets,
        weights=rows.weights,
        kernel=started.kernel,
        space=space,
        machine=machine,
        criterion=criterion,
        prior=prior,
        pairwise=started.pairwise,
    )


#: Machines whose solutions have an objective of their own.
_KINDS: dict[type[Machine[Any]], type[SelectionObjective]] = {RVM: RelevanceObjective, LSSVM: LeastSquaresObjective}
