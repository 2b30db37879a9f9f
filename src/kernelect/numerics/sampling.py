"""A part of many rows: the same rows whatever their order, read block by block, without sorting the table.

Notation: h (n,) hashes of rows, sums of 64-bit hashes of their values, which are exact in any order of the columns.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kernelect.numerics.blocks import row_blocks
from kernelect.numerics.ordering import mixed
from kernelect.typing import Array, Indices


def sampled_rows(X: Array, count: int) -> Indices:
    """Return the sorted indices of ``count`` rows of ``X``, or of all where there are fewer.

    The rows stand evenly spaced in the order of their hashes: a random sample that depends on what the rows
    hold and not on where they are, and in which rows that are given several times have their share.
    ``canonical_order`` does the same for rows in other units, but it sorts every column.
    """
    if len(X) <= count:
        return np.arange(len(X))
    places = np.linspace(0, len(X) - 1, count).astype(np.intp)
    return np.sort(np.argsort(row_hashes(X), kind="stable")[places])


def row_hashes(X: Array) -> NDArray[np.uint64]:
    """Return a hash of every row; single precision is hashed as the double precision numbers it stands for."""
    hashes = np.empty(len(X), dtype=np.uint64)
    for part in row_blocks(len(X), X.shape[1]):
        values = np.asarray(X[part], dtype=np.float64) + 0.0  # -0.0 is 0.0
        hashes[part] = mixed(values.view(np.uint64)).sum(axis=1)
    return mixed(hashes)
