"""The rows that a machine on landmarks keeps: behind its intervals, and for its leave-one-out with fewer landmarks."""

from __future__ import annotations

import numpy as np

from kernelect.machines.lssvm.sampled import SampledRows
from kernelect.machines.lssvm.spread import GroupPulls
from kernelect.numerics import hashed_order, spaced
from kernelect.selection.landmarks.fit import LandmarkFit
from kernelect.selection.landmarks.table import GroupedTable, RowTable
from kernelect.typing import Indices

#: Groups that intervals are made of, at most: a vector as long as the landmarks is kept of each.
_MOST_GROUPS = 300

#: Rows that are kept, at most.
_KEPT_ROWS = 4000


def kept_rows(fit: LandmarkFit, table: RowTable) -> SampledRows:
    """Return the rows of a table that a machine keeps, whole groups if these are left out.

    Of groups it is as many as make up the rows that may be kept, and one at least. Without them the rows are those of
    :func:`interval_rows`.
    """
    if isinstance(table, GroupedTable):
        places = table.whole(_group_order(table), _KEPT_ROWS, 1)
        places = places[table.kept_weights[places] > 0.0]
        groups = table.groups[places]
    else:
        places, groups = spaced(_order(table), _KEPT_ROWS), None
    numbers = places if table.kept is None else table.kept[places]
    own = _which(fit.landmarks.numbers, numbers)
    return SampledRows(
        state=fit.left_out.state,
        places=np.arange(len(fit.landmarks.points)),
        numbers=numbers,
        inputs=table.rows(numbers).X,
        targets=table.kept_targets[places],
        weights=table.kept_weights[places],
        own=own,
        equal=own if fit.landmarks.equal is None else _which(fit.landmarks.equal, numbers),
        groups=groups,
    )


def _which(landmarks: Indices, numbers: Indices) -> Indices:
    """Return which of the landmarks, by their numbers, each row is; -1 for none."""
    same = landmarks[:, None] == numbers  # (m, q)
    return np.where(same.any(axis=0), same.argmax(axis=0), -1)


def _order(table: RowTable) -> Indices:
    """Return the places of rows that figures are made of, in the order of their targets' hashes.

    Models of the same rows with other inputs therefore keep the same ones.
    """
    places = table.figures()
    return places[hashed_order(table.kept_targets[places])]


def _group_order(table: GroupedTable) -> Indices:
    """Return all groups in an order that has nothing to do with what their rows are."""
    return hashed_order(np.arange(table.groups.max() + 1.0)[:, None])


def interval_rows(fit: LandmarkFit, table: RowTable) -> tuple[Indices, GroupPulls | None]:
    """Return the places in a table of the rows behind intervals, and what decisions are without their groups."""
    order, count = _order(table), _KEPT_ROWS
    if not isinstance(table, GroupedTable):
        return spaced(order, count), None
    chosen = np.sort(_group_order(table)[:_MOST_GROUPS])
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
