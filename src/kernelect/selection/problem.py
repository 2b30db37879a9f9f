"""The join: rows, kernel, machine, criterion and prior become one function of theta."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kernelect.criteria import Criterion
from kernelect.machines import LSSVM, RVM, Groups, Machine
from kernelect.parameters import ParameterSpace
from kernelect.priors import Prior
from kernelect.selection.least_squares import LeastSquaresObjective
from kernelect.selection.objective import SelectionObjective
from kernelect.selection.relevance import CentreObjective, RelevanceObjective
from kernelect.selection.start import StartedKernel
from kernelect.typing import Array


@dataclass(frozen=True, kw_only=True)
class Rows:
    """What a machine is trained on: inputs (or kernel values), targets, positive weights, and groups to leave out."""

    X: Array
    targets: Array  # (n, k)
    weights: Array  # (n,)
    groups: Groups | None = None


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
