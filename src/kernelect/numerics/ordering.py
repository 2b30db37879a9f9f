"""Orders and samples of rows that depend neither on the given order of rows nor on that of columns.

Subsets of rows and folds follow this order, so a table whose rows or columns are shuffled, or measured in other units,
gives the same model. Samples of many rows are read block by block, without sorting the table.

Notation: R (n, d) ranks of the values within their column, h (n,) hashes of rows, c (d,) hashes of
columns. All sums are of integers modulo 2^64, which are exact in any order.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from kernelect.numerics.products import row_blocks
from kernelect.typing import Array, Indices, Mask

_Hashes = NDArray[np.uint64]

Record = TypeVar("Record", bound=Any)


def canonical_order(X: Array) -> Indices:
    """Return the indices that sort the rows of ``X``: by the sum of their ranks, then by a hash.

    Equal rows are next to each other. Unequal rows tie only if exchanging whole columns turns one
    into the other and the table into itself.
    """
    R = _ranks(X)
    return np.asarray(np.lexsort((_hashes_of_ranks(R), R.sum(axis=1))), dtype=np.intp)


def canonical_classes(X: Array, index: Indices, weights: Array) -> Indices:
    """Return a number for every class, by how many rows it has and which, whatever the classes are called.

    A row given twice counts once, as one row of the joint weight. Classes tie only if exchanging them, and perhaps
    whole columns, turns the table into itself.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    index : ndarray of int of shape (n,)
        The class of every row, from 0 on; every class has a row.
    weights : ndarray of shape (n,)
    """
    rows, which = np.unique(np.column_stack([X, index]), axis=0, return_inverse=True)
    by_size = np.argsort(weights, kind="stable")  # sums are then the same for any order of the rows
    totals = np.bincount(which.reshape(-1)[by_size], weights[by_size])
    classes = rows[:, -1].astype(np.intp)
    sums = np.zeros(classes.max() + 1, dtype=np.uint64)
    np.add.at(sums, classes, scrambled(_hashes_of_ranks(_ranks(np.column_stack([rows[:, :-1], totals])))))
    return np.asarray(np.argsort(np.lexsort((sums, np.bincount(classes)))), dtype=np.intp)


def canonical_columns(X: Array) -> Indices:
    """Return the indices that sort the columns of ``X`` by a hash of their ranks; equal columns are neighbours.

    Among columns with the same ranks, such as x and x^3, the distances between values decide, in units of their range.
    Among columns that differ only in their unit, the size of the unit decides.
    """
    R = _ranks(X)
    rows = _row_hashes(R, _column_hashes(R, np.zeros(len(R), dtype=np.uint64)))
    by_ranks, by_places = _column_hashes(R, rows), _column_hashes(_places(X), rows)
    return np.asarray(np.lexsort((np.abs(X).max(axis=0, initial=0.0), by_places, by_ranks)), dtype=np.intp)


def canonical_signs(X: Array, marks: Array) -> Array:
    """Return +1 or -1 for every column of ``X``, such that a column and its negative give the same ``signs * X``.

    The ranks of a column, counted from the middle, are multiplied by hashes of what does not change with signs: the
    distances of all ranks from their middles, and ``marks``. A sum of 0 has no sign and leaves the column as it is.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    marks : ndarray of shape (n, k)
        What else distinguishes rows, such as targets.
    """
    table = np.unique(np.column_stack([X, marks]), axis=0)  # a row given twice counts once
    R = _ranks(table[:, : X.shape[1]]).astype(np.int64)
    C = 2 * R - R.max(axis=0, initial=0)
    hashes = _hashes_of_ranks(np.column_stack([np.abs(C).astype(np.uint64), _ranks(table[:, X.shape[1] :])]))
    sums = (hashes >> np.uint64(44)).astype(np.int64) @ C  # 20 bits each, so that sums are exact
    return np.where(sums < 0, -1.0, 1.0)


def rank_hashes(X: Array) -> NDArray[np.uint64]:
    """Return a hash of the ranks of every row within its columns, which units and last digits do not change."""
    return _hashes_of_ranks(_ranks(X))


def _places(X: Array) -> _Hashes:
    """Return where each value is between the least and the largest of its column, in millionths."""
    halves = X / 2.0  # whose differences do not overflow
    least = halves.min(axis=0, initial=np.inf)
    span = halves.max(axis=0, initial=-np.inf) - least
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        places = np.where(span > 0.0, (halves - least) / span, 0.0)
    return np.asarray(np.round(1e6 * places), dtype=np.uint64)


def _ranks(X: Array) -> _Hashes:
    """Return dense ranks within every column: ties share one, and no units are left."""
    R = np.empty(X.shape, dtype=np.uint64)
    for j, column in enumerate(X.T):
        R[:, j] = np.unique(column, return_inverse=True)[1].reshape(-1)
    return R


def _hashes_of_ranks(R: _Hashes) -> _Hashes:
    """Return a hash of every row of ranks, in which columns count by what they hold and not by their places."""
    rows = _row_hashes(R, _column_hashes(R, np.zeros(len(R), dtype=np.uint64)))
    # Columns with the same set of values, such as quantiles, differ in the rows in which they take them.
    return _row_hashes(R, _column_hashes(R, rows))


def _column_hashes(R: _Hashes, rows: _Hashes) -> _Hashes:
    return np.asarray(scrambled(R + rows[:, None]).sum(axis=0), dtype=np.uint64)


def _row_hashes(R: _Hashes, columns: _Hashes) -> _Hashes:
    return np.asarray(scrambled(R + columns).sum(axis=1), dtype=np.uint64)


def scrambled(values: _Hashes) -> _Hashes:
    """Return a bijection of 64-bit numbers that looks random (the finaliser of SplitMix64)."""
    found = values + np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        found ^= found >> np.uint64(shift)
        found *= np.uint64(factor)
    return np.asarray(found ^ (found >> np.uint64(31)), dtype=np.uint64)


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


def taken(record: Record, places: Indices, *names: str) -> Record:
    """Return a record with only these rows, in this order, of the arrays of these names; None stays None."""
    arrays = {name: getattr(record, name) for name in names}
    return replace(record, **{name: each[places] for name, each in arrays.items() if each is not None})


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
