"""Copies of rows: they are one row of the sum of their weights, and leave together."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from kernelect.estimators import joined_groups
from kernelect.mixture.bags import seven_digits
from kernelect.mixture.base import Member
from kernelect.numerics import copied_rows
from kernelect.typing import Array, Indices, Mask


def origin_of(Z: Array, y: Any, groups: Indices | None, given: Mask) -> tuple[Indices, Indices | None]:
    """Return the first of the rows that each is a copy of, and the groups, of which copies of each other are one."""
    tables = [Z, np.reshape(y, (len(Z), -1)).astype(float)]
    groups = joined_groups(groups, given, *tables)
    tables += [] if groups is None else [groups[:, None]]
    return copied_rows(*tables, among=np.flatnonzero(given)), groups


def merged(weights: Array, origin: Indices) -> Array:
    """Return weights of mean 1 with those of all copies on one row.

    Some machines count rows, and weights may be in any unit; equal ones are then 1 to the last digit.
    """
    sums = np.bincount(origin, weights, minlength=len(weights))
    sums = sums / sums.max()
    return seven_digits(sums / sums[sums > 0].mean())


def expanded(member: Member, origin: Indices) -> Member:
    """Return a member that answers for copies of rows, when they are left out, as for the rows themselves."""
    component = member.component
    assert component.left_out is not None
    claimed = None if component.claimed is None else component.claimed[origin]
    return replace(member, component=replace(component, left_out=component.left_out[origin], claimed=claimed))
