"""The shape of the criterion around a point: which parameters change it, and its values on a grid.

Everything is in nats (minus a log-likelihood, plus the prior's penalty if there is one), so a rise
of 1 means the same for every criterion.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kernelect.numerics import best_blas_threads
from kernelect.priors import Flat
from kernelect.selection.objective import Memory, SelectionObjective
from kernelect.typing import Array, Indices

#: How far a parameter is moved to see what it does: a factor of 10.
STEP = float(np.log(10.0))

#: Parameters that are looked at; of more widths than that, the largest on the data's scale.
_MOST = 12


@dataclass(frozen=True, kw_only=True)
class ParameterInfluence:
    """How many nats the criterion rises when a parameter is divided or multiplied by 10."""

    index: Indices
    names: tuple[str, ...]
    below: Array
    above: Array

    @property
    def strength(self) -> Array:
        """The larger of the two rises in absolute value."""
        return np.maximum(np.abs(self.below), np.abs(self.above))

    def strongest(self, count: int) -> Indices:
        """Return the indices of the ``count`` most influential parameters, in increasing order."""
        order = np.argsort(-self.strength, kind="stable")[:count]
        return np.sort(self.index[order])


def in_nats(objective: SelectionObjective) -> SelectionObjective:
    """Return the objective with its value in nats and a memory of its own."""
    return replace(objective, prior=objective.prior or Flat(), memory=Memory())


def influence(objective: SelectionObjective, theta: Array) -> ParameterInfluence:
    """Return the influence of each free parameter at ``theta``, with two evaluations per parameter."""
    objective = in_nats(objective)
    index = _candidates(objective, theta)
    with best_blas_threads():
        here = objective.value(theta)
        rises = np.array([[_shifted(objective, theta, i, step) - here for step in (-STEP, STEP)] for i in index])
    rises = rises.reshape(len(index), 2)
    return ParameterInfluence(
        index=index, names=tuple(objective.space.names[i] for i in index), below=rises[:, 0], above=rises[:, 1]
    )


def surface(objective: SelectionObjective, theta: Array, axes: Indices, shifts: Array) -> Array:
    """Return the criterion with the parameters ``axes`` shifted and all others held fixed.

    Parameters
    ----------
    axes : ndarray of shape (1,) or (2,)
        Indices into theta.
    shifts : ndarray of shape (size,)
        Shifts of the logarithms.

    Returns
    -------
    ndarray of shape (size,) or (size, size)
        The first parameter runs along the last axis; values are infinite if no machine can be
        solved.
    """
    objective = in_nats(objective)
    moves = np.stack(np.meshgrid(*[shifts] * len(axes)), axis=-1).reshape(-1, len(axes))
    with best_blas_threads():
        values = np.array([_shifted(objective, theta, axes, move) for move in moves])
    return values.reshape([len(shifts)] * len(axes))


def _candidates(objective: SelectionObjective, theta: Array) -> Indices:
    space = objective.space.moved(theta)
    free = np.flatnonzero(space.free)
    if len(free) <= _MOST:
        return free
    widths = np.intersect1d(free, space.all_widths)
    others = np.setdiff1d(free, widths)
    order = np.argsort(-(theta - space.reference)[widths], kind="stable")
    return np.sort(np.concatenate([others, widths[order]])[:_MOST])


def _shifted(objective: SelectionObjective, theta: Array, index: Indices, step: float | Array) -> float:
    moved = theta.copy()
    moved[index] += step
    return objective.value(moved)
