"""Selects hyper-parameters, starting at the data's scale or where another selection ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kernelect.exceptions import OutOfTime
from kernelect.results import Selection, Status
from kernelect.selection.lead import Lead
from kernelect.selection.objective import SelectionObjective
from kernelect.selection.parts import stages_of
from kernelect.selection.run import Run, SelectionOptions
from kernelect.selection.stages import Stage


def select(
    objective: SelectionObjective, options: SelectionOptions, lead: Lead | None = None
) -> tuple[Selection, SelectionObjective]:
    """Return the selection, and the objective with the prior at its final state.

    If anything is searched, it raises when the search needs a gradient and the criterion has none.

    Parameters
    ----------
    objective : SelectionObjective
    options : SelectionOptions
    lead : Lead, optional
        What another selection on the same rows found, which shortens the search.
    """
    stages = stages_of(objective.machine, lead)
    return carried_out(stages, objective if lead is None else lead.followed(objective), options, lead)


def carried_out(
    stages: Sequence[Stage], objective: SelectionObjective, options: SelectionOptions, lead: Lead | None = None
) -> tuple[Selection, SelectionObjective]:
    """Return what the stages select, and the objective as they left it; a lead is a limit of their iterations."""
    if objective.space.free.any():
        options.search.check(objective.criterion.has_gradient, objective.criterion.name)
    if lead is not None:
        fewer = min(options.max_iter, lead.max_iter)
        options = replace(options, max_iter=fewer, last_steps=lead.last_steps, leads=True)
    run = Run(objective, options)
    if lead is not None and lead.start is not None:
        run.ask_less(lead.start.inverse, lead.start.value, lead.start.rows)
    for stage in stages:
        if stage.applies(run):
            _carry_out(stage, run)
    if lead is not None and run.found.status is Status.MAX_ITER:
        run.result = replace(run.found, status=Status.FOLLOWED)
    return run.selection(), run.objective


def _carry_out(stage: Stage, run: Run) -> None:
    """Carry out a stage; if time is up in the middle of it, the result so far stays."""
    try:
        stage.carry_out(run)
    except OutOfTime:
        run.cut_short = True
