"""Finds which inputs matter by a least-squares machine, for criteria that have no gradient.

The error on held-out rows is too rough and too costly to search one width per input. The
leave-one-out error of a least-squares machine has a gradient, and which inputs matter is much the
same for both machines. Its relative widths are therefore tried. They are kept if the losses on
held-out rows are clearly better than with widths tied to the inputs' spread.
"""

from __future__ import annotations

import numpy as np

from kernelect.criteria import PRESS
from kernelect.kernels.scale import spread_rows
from kernelect.machines import LSSVM
from kernelect.parameters import ParameterSpace
from kernelect.priors import as_prior
from kernelect.search import LBFGS, Directions
from kernelect.selection.lead import Lead, relative_widths
from kernelect.selection.objective import SelectionObjective
from kernelect.selection.problem import join
from kernelect.selection.run import Run, SelectionOptions
from kernelect.selection.stages import Stage
from kernelect.selection.start import Rows, StartedKernel, ridge_space, settle_widths
from kernelect.typing import Array, Indices

#: Standard errors of the mean difference of losses by which the other shape has to be better.
_CLEARLY = 2.0

#: Log units between the widest and the narrowest width, beyond the inputs' spread, from which a shape is worth trying.
_UNEVEN = 1.0

#: Log units to which a shape is known: finer digits are those of another search's end, which rounding decides.
_GRAIN = 0.125

#: Rows that the least-squares machine is fitted to, at most.
_MOST_ASKED = 1500

#: Share of the time left that the least-squares machine may take.
_ASKING = 0.4

#: Log units that every width stays away from its bounds, so that all of them can move together.
_ROOM = 3.0


class LeastSquaresShape(Stage):
    """Relative widths of a least-squares machine, if rows held out ask for them.

    Parameters
    ----------
    asking : tuple of Stage
        How the least-squares machine selects its widths.
    """

    def __init__(self, asking: tuple[Stage, ...]) -> None:
        self.asking = asking

    def applies(self, run: Run) -> bool:
        """Return whether the criterion compares rows, and the widths are still tied to the inputs' spread."""
        criterion, tied = run.objective.criterion, Directions.tied_widths(run.objective.space)
        if tied is None or not criterion.compares_shapes:
            return False
        theta = run.found.theta
        return bool(np.allclose(tied.theta(tied.phi(theta)), theta)) and run.has_time()

    def carry_out(self, run: Run) -> None:
        asked = asked_shape(run, self.asking)
        if np.ptp(asked) < _UNEVEN or not run.has_time():
            return
        led = _moved_to(run.objective, asked)
        directions = Directions.tied_widths(led)
        assert directions is not None
        other = run.search("widths of a least-squares machine", directions)
        if _clearly_better(run, other.theta):
            run.result = other


class AskedShape(Stage):
    """The start moved to the relative widths of a least-squares machine, for a search by gradient to go on from.

    Parameters
    ----------
    asking : tuple of Stage
        How the least-squares machine selects its widths.
    """

    def __init__(self, asking: tuple[Stage, ...]) -> None:
        self.asking = asking

    def applies(self, run: Run) -> bool:
        return run.has_time()

    def carry_out(self, run: Run) -> None:
        run.space = _moved_to(run.objective, asked_shape(run, self.asking))


def asked_shape(run: Run, stages: tuple[Stage, ...]) -> Array:
    """Return the relative widths that a least-squares machine selects on the same rows, or on a part of many."""
    here, options = run.objective.on_rows(spread_rows(run.objective.X, _MOST_ASKED)), run.options
    first, copies = _merged(here)
    weights = np.asarray(np.bincount(copies, here.weights), dtype=float)
    rows = Rows(X=here.X[first], targets=here.targets[first], weights=weights)
    started = StartedKernel(kernel=here.kernel, space=here.space)
    ridge = ridge_space("auto", started, rows)
    objective = join(rows, started, LSSVM(), PRESS(), as_prior("auto", here.space), ridge)
    deadline = run.deadline.part(_ASKING)
    asking = Run(
        objective, SelectionOptions(search=LBFGS(), max_iter=options.max_iter, tol=options.tol, deadline=deadline)
    )
    for stage in stages:
        if stage.applies(asking):
            stage.carry_out(asking)
    shape = relative_widths(here.space, asking.found.theta[:-1])
    return np.asarray(np.round(shape / _GRAIN) * _GRAIN, dtype=float)


def _moved_to(objective: SelectionObjective, shape: Array) -> ParameterSpace:
    """Return the space with its start at a kernel of this shape, of a size at which it is neither flat nor spiky."""
    space = Lead(shape=shape, max_iter=1).followed(objective).space
    start, widths = settle_widths(objective.X, space, space.start), space.all_widths
    low, high = space.lower[widths] + _ROOM, space.upper[widths] - _ROOM
    free = space.free[widths]
    start[widths] = np.where(free, np.clip(start[widths], low, np.maximum(low, high)), start[widths])
    return space.moved(start)


def _clearly_better(run: Run, theta: Array) -> bool:
    """Return whether rows held out lose clearly less at ``theta`` than at the result so far."""
    now, there = run.objective.pointwise(run.found.theta), run.objective.pointwise(theta)
    if now is None or there is None:
        return False
    gain, weights = now - there, run.objective.weights / run.objective.weights.sum()
    mean = float(weights @ gain)
    _, copies = _merged(run.objective)
    error = float(np.linalg.norm(np.bincount(copies, weights * (gain - mean))))
    return mean > _CLEARLY * error


def _merged(objective: SelectionObjective) -> tuple[Indices, Indices]:
    """Return one row of every set of equal ones, and the set of every row.

    Copies are one row that weighs more: one of them left out is no row left out, and two of them tell no more
    than one of weight two.
    """
    table = np.column_stack([objective.X, objective.targets])
    _, first, copies = np.unique(table, axis=0, return_index=True, return_inverse=True)
    kept = np.sort(first)  # the rows stay in their order
    place = np.empty(len(first), dtype=np.intp)
    place[np.argsort(first)] = np.arange(len(first))
    return kept, place[copies.reshape(-1)]
