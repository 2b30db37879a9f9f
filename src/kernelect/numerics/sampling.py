"""A part of many rows: the same rows whatever their order, read block by block, without sorting the table.

Notation: h (n,) hashes of rows, sums of 64-bit hashes of their values, which are exact in any order of the columns.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kernelect.numerics.blocks import row_blocks
from kernelect.numerics.ordering import mixed
from kernelect.typing import Array, Indices, Mask


def sampled_rows(X: Array, count: int, *, among: Mask | None = None, turn: float = 0.0) -> Indices:
    """Return the sorted numbers of ``count`` rows of ``X``, or of all where there are fewer.

    The rows stand evenly spaced in the order of their hashes: a random sample that depends on what the rows
    hold and not on where they are, and in which rows that are given several times have their share.
    ``canonical_order`` does the same for rows in other units, but it sorts every column.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    count : int
    among : ndarray of bool, optional
        Rows to choose from.
    turn : float in [0, 1)
        Where between two places the first row stands: another turn gives other rows, none of them in common
        where there are twice as many rows as are wanted.
    """
    rows = np.arange(len(X)) if among is None else np.flatnonzero(among)
    if len(rows) <= count:
        return rows
    hashes = row_hashes(X) if among is None else row_hashes(X)[rows]
    places = ((np.arange(count) + turn) * (len(rows) / count)).astype(np.intp)
    return np.sort(rows[np.argsort(hashes, kind="stable")[places]])


def row_hashes(X: Array) -> NDArray[np.uint64]:
    """Return a hash of every row; single precision is hashed as the double precision numbers it stands for."""
    hashes = np.empty(len(X), dtype=np.uint64)
    for part in row_blocks(len(X), X.shape[1]):
        values = np.asarray(X[part], dtype=np.float64) + 0.0  # -0.0 is 0.0
        hashes[part] = mixed(values.view(np.uint64)).sum(axis=1)
    return mixed(hashes)
