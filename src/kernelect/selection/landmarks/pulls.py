"""What decisions of a machine on landmarks are without whole groups of rows, for intervals."""

from __future__ import annotations

import numpy as np

from kernelect.machines.lssvm.spread import GroupPulls
from kernelect.numerics import hashed_order, spaced
from kernelect.selection.landmarks.fit import LandmarkFit
from kernelect.selection.landmarks.table import GroupedTable
from kernelect.typing import Indices

#: Groups that intervals are made of, at most: a vector as long as the landmarks is kept of each.
_MOST_GROUPS = 300


def group_pulls(fit: LandmarkFit, table: GroupedTable, places: Indices, count: int) -> tuple[Indices, GroupPulls]:
    """Return at most ``count`` of some rows that intervals are made of, and what decisions are without their groups.

    Which rows these are follows from their targets, so that models of the same rows with other inputs have the same
    ones.
    """
    order = places[hashed_order(table.kept_targets[places])]
    first = np.sort(np.unique(table.groups[order], return_index=True)[1])[:_MOST_GROUPS]
    chosen = np.sort(table.groups[order[first]])
    rows = spaced(order[np.isin(table.groups[order], chosen)], count)
    state = fit.left_out.state
    found = GroupPulls.none(len(chosen), state, np.searchsorted(chosen, table.groups[rows]))
    sample = table.rows(np.flatnonzero(np.isin(table.groups, chosen)))
    for block in sample.blocks():
        numbers = sample.numbers[block.first : block.first + len(block.weights)]
        cross = fit.kernel.cross(fit.landmarks.points, block.X)
        groups = np.searchsorted(chosen, table.groups[numbers])
        found.add(state, cross, block.weights, fit.left_out.residuals[numbers], groups)
    return rows, found
