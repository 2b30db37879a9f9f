"""From a start at the data's scale to the selected hyper-parameters, stage by stage."""

from __future__ import annotations

from collections.abc import Sequence

from kernelect.results import Selection
from kernelect.selection.objective import SelectionObjective
from kernelect.selection.parts import STAGES
from kernelect.selection.run import Run, SelectionOptions
from kernelect.selection.stages import Stage


def select(
    objective: SelectionObjective, options: SelectionOptions, stages: Sequence[Stage] = STAGES
) -> tuple[Selection, SelectionObjective]:
    """Return the selection and the objective as the prior left it.

    A search that needs a gradient which the criterion has not is refused, where anything is searched.
    """
    if objective.space.free.any():
        options.search.check(objective.criterion.has_gradient, objective.criterion.name)
    run = Run(objective, options)
    for stage in stages:
        if stage.applies(run):
            stage.carry_out(run)
    return run.selection(), run.objective
