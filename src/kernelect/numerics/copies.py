"""Copies of rows: rows that are equal in every column, and are so by no coincidence.

A copy comes from a bootstrap, from oversampling, from a join or from a file that was appended twice. Leave-one-out at a
row whose copy stays behind tells nothing of new rows. Rows of a few categories are equal by chance; new rows repeat
them too, and each is an observation of its own.

Notation: D distinct rows, m (D,) how often each occurs, o the pairs of equal rows, e the pairs that chance makes.
Among the pairs that are equal in all columns but the j-th, chance makes that one equal too with odds p_j / (1 - p_j),
where p_j is the share of pairs of distinct rows that are equal in it. Each column gives an estimate of e by the pairs
that differ there alone; the largest counts. A column of measurements has p_j near 0: one of them makes every equal row
a copy. A row is isolated if none differs from it in one column alone: chance hardly makes it twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from kernelect.numerics.ordering import scrambled
from kernelect.numerics.products import row_blocks
from kernelect.typing import Array, Indices, Mask

_Hashes = NDArray[np.uint64]

#: Pairs of equal rows for each one expected by chance, from which on equal rows are copies. Of 92 development tables,
#: those whose rows are made of categories had 0.07 to 4 of them, the others with equal rows 25 or more.
_BEYOND_CHANCE = 5.0

#: Rows are copies, too, if so large a share of the isolated ones occurs several times, and isolated ones are so large a
#: share of all: on the same tables as they are at most a sixth does, if they are given twice all, of a bootstrap sample
#: two fifths.
_REPEATED, _SHARE, _LEAST_ISOLATED = 0.2, 0.1, 5

#: Rows whose columns have so few levels each are no copies if they occur more often each than the finest has levels:
#: a single category that tells the target leaves no near miss to estimate chance by.
_FEW_LEVELS = 30

#: Share of the rows of a group that are copies of another group's, from which on both are one group.
_MOST_SHARED = 0.5

#: What rounding of sums of weights leaves, relative to a weight.
_NOTHING = 1e-9

#: Squared distance of two points, in units of their squared lengths, that rounding of kernel values leaves.
_ROUNDING = 1e-14


def copied_rows(*tables: Array, among: Indices | None = None) -> Indices:
    """Return for every row the number of the first row that it is a copy of; its own number if it is none.

    Parameters
    ----------
    *tables : ndarray of shape (n, d_t)
        All that distinguishes rows: inputs, targets and, if rows belong to groups, the group.
    among : ndarray of int, optional
        The rows that are looked at, in ascending order; the others are copies of none. All unless given.
    """
    origin = np.arange(len(tables[0]))
    rows = origin if among is None else among
    firsts = _first_equal(tables, rows)
    distinct, times = np.unique(firsts, return_counts=True)
    if not 1 < len(distinct) < len(rows) or not beyond_chance(*tables, rows=distinct, times=times.astype(float)):
        return origin
    origin = origin.copy()
    origin[rows] = firsts
    return origin


def linked_groups(groups: Indices, origin: Indices) -> Indices:
    """Return groups of which those that hold the same rows are one: copies leave together, whatever their groups.

    Two groups are one if half of the rows of the smaller one, at least, are copies of rows of the other, as in a table
    that was appended to itself with new numbers. A single row that a design repeats in every group links none.

    Parameters
    ----------
    groups : ndarray of int, shape (n,)
    origin : ndarray of int, shape (n,)
        The first of the rows that each is a copy of, groups aside.
    """
    copies = np.flatnonzero(groups != groups[origin])
    if not len(copies):
        return groups
    pairs, shared = np.unique(np.stack([groups[copies], groups[origin[copies]]]), axis=1, return_counts=True)
    sizes = np.bincount(groups)
    first, second = pairs[:, shared >= _MOST_SHARED * sizes[pairs].min(axis=0)]
    graph = coo_array((np.ones(len(first)), (first, second)), shape=(len(sizes), len(sizes)))
    return np.asarray(connected_components(graph, directed=False)[1][groups], dtype=np.intp)


def equal_points(gram: Array) -> Indices:
    """Return for every row of a kernel matrix the number of the first one that is the same point, up to rounding.

    Kernel values of equal rows differ in their last digits, so squared distances k_ii + k_jj - 2 k_ij are compared.
    """
    diagonal, first = np.diagonal(gram), np.arange(len(gram))
    for part in row_blocks(len(gram), len(gram)):
        sizes = np.abs(diagonal[part, None]) + np.abs(diagonal)
        distances = diagonal[part, None] + diagonal - 2.0 * gram[part]
        first[part] = np.argmax(distances <= _ROUNDING * sizes, axis=1)
    return first[first]


def beyond_chance(*tables: Array, rows: Indices, times: Array) -> bool:
    """Return whether distinct rows occur several times each more often than chance explains.

    Parameters
    ----------
    *tables : ndarray of shape (n, d_t)
    rows : ndarray of int
        Numbers of rows of which no two are equal.
    times : ndarray of shape (D,)
        How often each of them occurs, or its weight.
    """
    observed = 0.5 * float(np.maximum(times * (times - 1.0), 0.0).sum())
    if observed == 0.0:
        return False
    whole, expected, isolated, finest = _hashes(tables)[rows], 0.0, np.ones(len(rows), dtype=bool), 1
    for number, table in enumerate(tables):
        for column in _factors(table, rows, number):
            _, others = np.unique(whole - column, return_inverse=True)
            near = np.bincount(others, times)[others] - times  # what differs from each row in this column alone
            expected = max(expected, 0.5 * float(times @ near) * _odds_of_equal(column))
            isolated &= near <= _NOTHING * times
            finest = max(finest, len(np.unique(column)))
    if finest <= _FEW_LEVELS and len(rows) * finest < times.sum():
        return False
    repeated = int(np.sum(times[isolated] > 1.0))
    alone = repeated >= max(_LEAST_ISOLATED, _REPEATED * isolated.sum()) and isolated.sum() >= _SHARE * len(rows)
    return bool(alone or observed > _BEYOND_CHANCE * expected)


def _odds_of_equal(column: _Hashes) -> float:
    """Return the odds that two of the rows are equal in this column."""
    counts = np.unique(column, return_counts=True)[1].astype(float)
    equal, pairs = float((counts * (counts - 1.0)).sum()), len(column) * (len(column) - 1.0)
    return equal / (pairs - equal) if equal < pairs else 0.0


def _first_equal(tables: Sequence[Array], rows: Indices) -> Indices:
    """Return for every one of ``rows`` the number of the first of them that is equal to it."""
    _, first, which = np.unique(_hashes(tables)[rows], return_index=True, return_inverse=True)
    found = rows[first[which]]
    later = np.flatnonzero(found != rows)
    for table in tables:  # two rows may have one hash by chance
        other = later[np.any(table[rows[later]] != table[found[later]], axis=1)]
        found[other] = rows[other]
    return np.asarray(found, dtype=np.intp)


def _hashes(tables: Sequence[Array]) -> _Hashes:
    """Return a hash of every row: the sum of those of its cells, which know their place."""
    hashes = np.zeros(len(tables[0]), dtype=np.uint64)
    for number, table in enumerate(tables):
        for part in row_blocks(len(table), table.shape[1]):
            hashes[part] += _cells(table[part], 0, number).sum(axis=1)
    return hashes


def _cells(values: Array, first: int, number: int) -> _Hashes:
    """Return hashes of cells whose columns begin with the ``first`` one of a table of this number."""
    places = scrambled(np.arange(first, first + values.shape[1], dtype=np.uint64) + np.uint64(number << 32))
    bits = np.ascontiguousarray(values, dtype=np.float64) + 0.0  # -0.0 is 0.0
    return scrambled(bits.view(np.uint64) ^ places)


def _factors(table: Array, rows: Indices, number: int) -> Iterator[_Hashes]:
    """Yield the hashes of every column; neighbours of which one at most is 1, as indicators of a category, are one."""
    first, width = 0, table.shape[1]
    while first < width:
        last = first + 1
        ones = _ones(table[rows, first])
        while ones is not None and last < width:
            more = _ones(table[rows, last])
            if more is None or np.any(ones & more):
                break
            ones, last = ones | more, last + 1
        yield _cells(table[rows, first:last], first, number).sum(axis=1)
        first = last


def _ones(column: Array) -> Mask | None:
    """Return where a column of zeros and ones has a one; None of any other column."""
    ones = column == 1.0
    return np.asarray(ones, dtype=bool) if np.all(ones | (column == 0.0)) else None
