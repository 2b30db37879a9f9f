"""Copies of rows: they are one row of the sum of their weights, and leave together."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from kernelect.mixture.base import Member
from kernelect.numerics import copied_rows
from kernelect.typing import Array, Indices


def origin_of(Z: Array, y: Any, groups: Indices | None, rows: Indices) -> Indices:
    """Return the first of the rows that each is a copy of, in coded inputs, targets and group."""
    columns = [np.reshape(each, (len(Z), -1)).astype(float) for each in (y, groups) if each is not None]
    return copied_rows(Z, *columns, among=rows)


def merged(weights: Array, origin: Indices) -> Array:
    """Return weights of mean 1 with those of all copies on one row.

    Some machines count rows, and weights may be in any unit; equal ones are then 1 to the last digit.
    """
    sums = np.bincount(origin, weights, minlength=len(weights))
    sums = sums / sums.max()
    return np.asarray(sums / sums[sums > 0].mean(), dtype=float)


def expanded(member: Member, origin: Indices) -> Member:
    """Return a member that answers for copies of rows, when they are left out, as for the rows themselves."""
    left_out = member.component.left_out
    assert left_out is not None
    return replace(member, component=replace(member.component, left_out=left_out[origin]))
