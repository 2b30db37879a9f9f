"""The rows behind the intervals of a machine on landmarks, and what the machine predicts without their groups."""

from __future__ import annotations

import numpy as np

from kernelect.machines.lssvm.spread import GroupPulls
from kernelect.numerics import hashed_order, spaced
from kernelect.selection.landmarks.fit import LandmarkFit
from kernelect.selection.landmarks.table import GroupedTable, Table
from kernelect.typing import Indices

#: Groups that intervals are made of, at most: a vector as long as the landmarks is kept of each.
_MOST_GROUPS = 300


def interval_rows(fit: LandmarkFit, table: Table, places: Indices, count: int) -> tuple[Indices, GroupPulls | None]:
    """Return at most ``count`` of some places in a table, and what decisions are without the groups of these rows.

    Which rows these are follows from their targets, so that models of the same rows with other inputs have the same
    ones.
    """
    order = places[hashed_order(table.kept_targets[places])]
    if not isinstance(table, GroupedTable):
        return spaced(order, count), None
    first = np.sort(np.unique(table.groups[order], return_index=True)[1])[:_MOST_GROUPS]
    chosen = np.sort(table.groups[order[first]])
    rows = spaced(order[np.isin(table.groups[order], chosen)], count)
    return rows, _group_pulls(fit, table, chosen, rows)


def _group_pulls(fit: LandmarkFit, table: GroupedTable, chosen: Indices, rows: Indices) -> GroupPulls:
    state = fit.left_out.state
    found = GroupPulls.none(len(chosen), state, np.searchsorted(chosen, table.groups[rows]))
    sample = table.rows(np.flatnonzero(np.isin(table.groups, chosen)))
    for block in sample.blocks():
        numbers = sample.numbers[block.first : block.first + len(block.weights)]
        cross = fit.kernel.cross(fit.landmarks.points, block.X)
        groups = np.searchsorted(chosen, table.groups[numbers])
        found.add(state, cross, block.weights, fit.left_out.residuals[numbers], groups)
    return found
