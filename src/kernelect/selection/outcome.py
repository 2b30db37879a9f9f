"""The units, remarks and doubts of a selection, added once machines have been solved."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from kernelect.parameters import ParameterSpace
from kernelect.results import Evaluation, Selection, Status, Trace
from kernelect.selection.objective import SelectionObjective
from kernelect.typing import Observer


def per_row(selection: Selection, n_rows: float) -> Selection:
    """Return a selection made in nats with its values in nats per row."""
    trace = selection.trace
    trace = replace(trace, value=trace.value / n_rows, gradient_norm=trace.gradient_norm / n_rows)
    return replace(selection, value=selection.value / n_rows, trace=trace)


def with_remark(selection: Selection, remark: str) -> Selection:
    """Return the selection with a remark on how it came about, if there is one."""
    return replace(selection, ending=f"{selection.ending}; {remark}") if remark else selection


def with_doubts(selection: Selection, doubts: Iterable[str]) -> Selection:
    """Return the selection with the doubts that solver and criterion raise."""
    said = [doubt for doubt in doubts if doubt]
    if not said:
        return selection
    if selection.outcome is Status.TIME_LIMIT:  # which explains the doubts
        return replace(selection, ending="; ".join([selection.ending, *said]))
    return replace(selection, ending="; ".join([f"ended, but {said[0]}", *said[1:]]), outcome=Status.DOUBTED)


def in_units(selection: Selection, objective: SelectionObjective, unit: float) -> Selection:
    """Return a selection made on targets divided by ``unit``, with its values for the original targets."""
    if unit == 1.0:
        return selection
    criterion, prior, trace = objective.criterion, objective.prior, selection.trace
    if prior is None:
        n_rows = float(objective.weights.sum())
        value = float(criterion.rescaled(np.array([selection.value]), unit, n_rows)[0])
        return replace(
            selection, value=value, trace=replace(trace, value=criterion.rescaled(trace.value, unit, n_rows))
        )
    fitted = objective.solved(selection.theta)
    shift = prior.share(fitted.n_residuals) * criterion.nats_shift(unit, fitted)
    return replace(selection, value=selection.value + shift, trace=replace(trace, value=trace.value + shift))


def moved_to(
    selection: Selection,
    row: Evaluation,
    space: ParameterSpace,
    *,
    label: str,
    remark: str,
    observe: Observer | None = None,
) -> Selection:
    """Return the selection at a point that was chosen after its searches, with a last row in its trace that says so.

    Parameters
    ----------
    selection : Selection
    row : Evaluation
        The criterion there.
    space : ParameterSpace
    label : str
        What the last run of the trace is called.
    remark : str
        What the status reports of it.
    observe : callable, optional
        Called with the row.
    """
    run = int(selection.trace.run.max(initial=-1.0)) + 1
    if observe is not None:
        observe(replace(row, run=run))
    return replace(
        with_remark(selection, remark),
        theta=row.theta,
        value=row.value,
        at_bound=space.moved(row.theta).at_bound(row.theta),
        runs=(*selection.runs, label),
        trace=Trace.joined([selection.trace, Trace.of([row], len(row.theta))]),
    )
