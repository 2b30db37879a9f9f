"""Parts of the rows that stand for all of them: single rows or, if rows are left out together, whole groups.

Which rows they are depends neither on the order of rows nor on that of columns.
"""

from __future__ import annotations

from kernelect.kernels.scale import spread_rows
from kernelect.machines import Groups
from kernelect.numerics import canonical_order, hashed_order, sampled_rows
from kernelect.typing import Array, Indices


def spread_part(X: Array, groups: Groups | None, count: int) -> Indices:
    """Return at most ``count`` rows, or whole groups of about as many; the same in any unit of the columns."""
    if groups is None or len(X) <= count:
        return spread_rows(X, count)
    return groups.part(canonical_order(X), count)


def sampled_part(X: Array, groups: Groups | None, count: int) -> Indices:
    """Return the same of many rows, without sorting the columns."""
    if groups is None or len(X) <= count:
        return sampled_rows(X, count)
    return groups.part(hashed_order(X), count)
