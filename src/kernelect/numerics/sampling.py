"""Samples of many rows, the same for any order of the rows; read block by block, without sorting the table.

Notation: h (n,) hashes of rows, sums of 64-bit hashes of their values, which are exact in any order of the columns.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kernelect.numerics.blocks import row_blocks
from kernelect.numerics.ordering import scrambled
from kernelect.typing import Array, Indices, Mask


def sampled_rows(X: Array, count: int) -> Indices:
    """Return the sorted numbers of ``count`` rows of ``X``, or of all rows if there are fewer.

    The rows are evenly spaced in the order of their hashes. This is a random sample that depends on the
    contents of the rows and not on their positions, and repeated rows have their share. ``canonical_order``
    does the same for rows in other units, but it sorts every column.
    """
    return np.arange(len(X)) if len(X) <= count else spaced(hashed_order(X), count)


def hashed_order(X: Array, among: Mask | None = None) -> Indices:
    """Return the numbers of all rows, or of those in ``among``, in the order of their hashes."""
    hashes = row_hashes(X)
    rows = np.arange(len(X)) if among is None else np.flatnonzero(among)
    return rows[np.argsort(hashes[rows], kind="stable")]


def spaced(order: Indices, count: int, turn: float = 0.0) -> Indices:
    """Return the sorted numbers of ``count`` rows that are evenly spaced in an order, or of all.

    Another ``turn`` (in [0, 1)) gives other rows, with none in common if there are twice as many as wanted.
    """
    if len(order) <= count:
        return np.sort(order)
    return np.sort(order[((np.arange(count) + turn) * (len(order) / count)).astype(np.intp)])


def stratified(n_rows: int, count: int) -> Indices:
    """Return the sorted numbers of ``count`` of ``n_rows`` rows, one from each of ``count`` stretches, or of all.

    They depend on the two numbers alone, so a worker that holds some of the rows knows which of them are chosen. A
    hash chooses the row within each stretch, so tables with periodic rows are sampled at every phase.
    """
    if n_rows <= count:
        return np.arange(n_rows)
    ends = np.arange(count + 1) * n_rows // count
    place = scrambled(np.arange(count, dtype=np.uint64)) / 2.0**64
    return np.asarray(ends[:-1] + (place * np.diff(ends)).astype(np.intp), dtype=np.intp)


def row_hashes(X: Array) -> NDArray[np.uint64]:
    """Return a hash of every row; single-precision numbers are hashed as their double-precision values."""
    hashes = np.empty(len(X), dtype=np.uint64)
    for part in row_blocks(len(X), X.shape[1]):
        values = np.asarray(X[part], dtype=np.float64) + 0.0  # -0.0 is 0.0
        hashes[part] = scrambled(values.view(np.uint64)).sum(axis=1)
    return scrambled(hashes)
