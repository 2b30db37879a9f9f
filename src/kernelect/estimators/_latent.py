"""What estimators with a latent function share: how they search, and what they say of it."""

from __future__ import annotations

from dataclasses import replace

from kernelect.machines import EP, EPState
from kernelect.results import Selection
from kernelect.search import LBFGS, Search
from kernelect.selection import SelectionObjective

#: Length of a search's first step: the evidence has several maxima in the amplitude.
_FIRST_STEP = 1.0

#: Mismatch of moments in the model that is kept: the search itself needs less.
FINAL_TOL = 1e-9

#: Peak of a fit in n x n arrays beside the kernel's: some per evaluation, and factors now and
#: before per output.
SQUARES, SQUARES_PER_OUTPUT = 4.0, 2.0


def with_first_step(search: Search) -> Search:
    """Return the search, L-BFGS with a first step that does not depend on the criterion's units."""
    if isinstance(search, LBFGS) and search.first_step is None:
        return LBFGS(first_step=_FIRST_STEP)
    return search


def per_row(selection: Selection, objective: SelectionObjective) -> Selection:
    """Return the selection in the criterion's own units: with a prior it was made in nats."""
    if objective.prior is None:
        return selection
    n, trace = float(objective.weights.sum()), selection.trace
    trace = replace(trace, value=trace.value / n, gradient_norm=trace.gradient_norm / n)
    return replace(selection, value=selection.value / n, trace=trace)


def ep_doubt(state: EPState) -> str:
    """Return the machine's own doubt, else nothing.

    The model that is kept was asked for more than a search needs; missing that is no cause for doubt.
    """
    return "" if state.mismatch < EP().tol else state.doubt()


def with_doubts(selection: Selection, doubts: list[str]) -> Selection:
    """Return the selection with what solver and criterion have to say against it."""
    doubts = [doubt for doubt in doubts if doubt]
    if not doubts:
        return selection
    return replace(selection, ending="; ".join([f"ended, but {doubts[0]}", *doubts[1:]]), converged=False)
