"""What estimators with a latent function share."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernelect.criteria import Criterion, EPEvidence
from kernelect.kernels import Kernel
from kernelect.machines import EP, EPState, Fitted, Machine
from kernelect.model import Component, KernelPart, Link, PosteriorSpread, Predictive
from kernelect.results import Selection
from kernelect.selection import SelectionObjective
from kernelect.typing import Array, Indices, Mask

#: Rows up to which a fit takes a fraction of a second, so that the evidence is looked for from a second start.
FEW_ROWS = 500

#: Mismatch of moments in the model that is kept: the search itself needs less.
FINAL_TOL = 1e-9

#: Rows from which a search needs no closer moments than this: the evidence is stationary in the sites, so that its
#: error is the square, and some hundredths of a nat are less than a search can tell. The same for one that is led.
_MANY_ROWS, _SEARCH_TOL, _LED_TOL = 900, 5e-3, 1e-3

#: The same for a criterion that is not stationary in the sites.
_CLOSE_TOL = 1e-7
#: Peak of a fit in n x n arrays beside the kernel's: some per evaluation, and factors now and
#: before per output; and further ones of a sampled evidence (factors to draw with, blocks of the
#: gradient) and of one that follows the sites, measured at n = 500.
_SQUARES, _SQUARES_PER_OUTPUT, _SAMPLED_SQUARES, _SITE_SQUARES = 4.0, 2.0, 34.0, 20.0


def latent_squares(n_outputs: int, criterion: Criterion) -> float:
    """Return the peak of a fit in n x n arrays beside the kernel's."""
    further = _SAMPLED_SQUARES if criterion.sampled else _SITE_SQUARES if criterion.moves_sites else 0.0
    return _SQUARES + _SQUARES_PER_OUTPUT * n_outputs + further


def search_tolerance(n_rows: int, criterion: Criterion, *, led: bool = False) -> float:
    """Return how close moments have to be while hyper-parameters are searched; a search that is led takes few steps."""
    if criterion.moves_sites:
        return _CLOSE_TOL
    if n_rows >= _MANY_ROWS and not led:
        return _SEARCH_TOL
    return _LED_TOL if led else EP().tol


def solver_doubt(machine: Machine[Any], state: Any) -> str:
    """Return what to doubt about a solution.

    A posterior that is kept was asked for more than a search needs; missing that is no cause for doubt.
    """
    good = isinstance(state, EPState) and state.mismatch < EP().tol
    return "" if good else machine.doubt(state)


def in_own_units(selection: Selection, objective: SelectionObjective) -> Selection:
    """Return the selection in the criterion's own units: evidences with a prior were maximised in nats."""
    if objective.prior is None or not isinstance(objective.machine, EP):
        return selection
    return selection.per_row(float(objective.weights.sum()))


def log_evidence_of(criterion: Criterion, fitted: Fitted) -> float:
    """Return the logarithm of a posterior's evidence, which criteria have per row and with another sign."""
    evidence = EPEvidence() if criterion.moves_sites else criterion
    return -float(fitted.weights.sum()) * float(evidence.value(fitted).value)


def posterior_component(
    kernel: Kernel, vectors: Array, state: EPState, link: Link | None, places: Indices | None = None
) -> Component:
    """Return the posterior of latent functions as a component of a model."""
    part = KernelPart(kernel=kernel, vectors=vectors, coefficients=state.dual_coef, places=places, representative=True)
    spread = PosteriorSpread(
        roots=tuple(column.explained_root() for column in state.columns),
        usual=np.array([column.variance.mean() for column in state.columns]),
    )
    constant = np.zeros(len(state.columns))
    return Component(parts=(part,), constant=constant, link=link, spread=spread if places is None else None)


def left_out_decisions(component: Component, state: EPState, X: Array, kept: Mask) -> Array:
    """Return leave-one-out decision values (n, k): of the posterior without one row's factors."""
    link = component.link
    assert isinstance(link, Predictive)
    mean, variance = zip(*(column.without_row() for column in state.columns), strict=True)
    decisions = np.empty((len(X), len(mean)))
    decisions[kept] = link.decision(np.column_stack(mean), np.column_stack(variance))
    if not kept.all():  # a row of weight 0 was left out all along
        decisions[~kept] = component.decision(X[~kept])
    return decisions
