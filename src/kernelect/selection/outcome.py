"""What a selection says of itself: its units, remarks and doubts, once machines have been solved."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from kernelect.results import Selection
from kernelect.selection.objective import SelectionObjective


def per_row(selection: Selection, n_rows: float) -> Selection:
    """Return a selection that was made in nats in nats per row."""
    trace = selection.trace
    trace = replace(trace, value=trace.value / n_rows, gradient_norm=trace.gradient_norm / n_rows)
    return replace(selection, value=selection.value / n_rows, trace=trace)


def with_remark(selection: Selection, remark: str) -> Selection:
    """Return the selection with a remark on how it came about, if there is one."""
    return replace(selection, ending=f"{selection.ending}; {remark}") if remark else selection


def with_doubts(selection: Selection, doubts: Iterable[str]) -> Selection:
    """Return the selection with what solver and criterion have to say against it."""
    said = [doubt for doubt in doubts if doubt]
    if not said:
        return selection
    return replace(selection, ending="; ".join([f"ended, but {said[0]}", *said[1:]]), converged=False)


def in_units(selection: Selection, objective: SelectionObjective, unit: float) -> Selection:
    """Return the record of a selection on targets divided by ``unit`` with the values of the targets themselves."""
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
