"""What a selection says of itself: its units, remarks and doubts, once machines have been solved."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from kernelect.results import Selection


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
