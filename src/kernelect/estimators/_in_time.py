"""The rows that a fit has time for, and when its search has to end so that the model is ready in time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Generic

import numpy as np

from kernelect.estimators._training import Data, LabelledTraining, Training
from kernelect.machines import Groups, Machine
from kernelect.numerics import Deadline, hashed_order, spaced
from kernelect.results import Selection, Status
from kernelect.selection import Pace, rows_in_time, with_remark
from kernelect.typing import Indices, Mask

#: Evaluations that the model takes after the search, about: its own solution, what is made of it, and a busy machine.
_AFTERWARDS = 2.0


@dataclass(frozen=True)
class InTime(Generic[Data]):
    """What a fit is made of.

    Attributes
    ----------
    data : Training
        All rows; those that there is no time for are no longer among the kept ones, so that they are treated as rows
        of weight 0 are.
    searching : Deadline
        When the search has to end.
    dropped : int
        Rows that there is no time for.
    """

    data: Data
    searching: Deadline
    dropped: int = 0

    def told(self, selection: Selection) -> Selection:
        """Return the selection; if rows were dropped it says so, and is not to be trusted without a look."""
        selection = with_remark(selection, self.data.remark)
        if not self.dropped:
            return selection
        kept = int(self.data.kept.sum())
        remark = f"there was time for {kept} of {kept + self.dropped} rows (time_limit)"
        return replace(selection, ending=f"{selection.ending}; {remark}", outcome=Status.TIME_LIMIT)


def in_time(
    data: Data,
    machine: Machine[Any],
    deadline: Deadline,
    *,
    pairwise: bool = False,
    whole: bool = False,
    spreads: bool = False,
) -> InTime[Data]:
    """Return the rows that there is time for; all of them without a limit.

    Parameters
    ----------
    data : Training
    machine : Machine
        What is trained on them.
    deadline : Deadline
    pairwise : bool
        Whether rows hold kernel values.
    whole : bool
        Whether no row may be dropped.
    spreads : bool
        Whether rows that are dropped are predicted with their variance.
    """
    if not np.isfinite(deadline.left()):
        return InTime(data, deadline)
    pace, total, n_outputs = Pace.measured(), int(data.kept.sum()), data.targets.shape[1]
    count = total if whole else rows_in_time(machine, total, n_outputs, deadline, pace, spreads=spreads)
    searching = deadline.earlier(_AFTERWARDS * pace.seconds(machine, count, n_outputs))
    if count == total:
        return InTime(data, searching)
    kept = np.zeros(len(data.X), dtype=bool)
    kept[_chosen(data, count, pairwise=pairwise)] = True
    return InTime(replace(data, kept=kept), searching, total - int(kept.sum()))


def _chosen(data: Training, count: int, *, pairwise: bool) -> Indices:
    """Return about ``count`` of the kept rows, of every class its share (of groups, whole ones) and two at least."""
    inputs = data.X.sum(axis=1, keepdims=True) if pairwise else data.X
    share = count / int(data.kept.sum())
    groups: list[Mask] = [data.kept]
    if isinstance(data, LabelledTraining):
        groups = [data.kept & (data.index == each) for each in range(len(data.classes))]
    if data.groups is None:
        return np.concatenate([spaced(hashed_order(inputs, group), _count(share, group)) for group in groups])
    whole = Groups(data.groups).part(hashed_order(inputs, data.kept), count)
    least = [spaced(hashed_order(inputs, group), 2) for group in groups]
    return np.concatenate([whole, *least, _of_two_groups(data.groups, data.kept)])


def _count(share: float, rows: Mask) -> int:
    return max(round(share * int(rows.sum())), 2)


def _of_two_groups(groups: Indices, kept: Mask) -> Indices:
    """Return a row of each of two groups, without which no group can be left out."""
    rows = np.flatnonzero(kept)
    return rows[np.unique(groups[rows], return_index=True)[1][:2]]
