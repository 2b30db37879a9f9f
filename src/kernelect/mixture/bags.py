"""Rows of bags and folds: neither the order of rows, nor that of columns, nor a name of a class or group decides.

A ``table`` below has all that distinguishes rows: inputs, targets and weights.
"""

from __future__ import annotations

import numpy as np

from kernelect.numerics import canonical_order, hashed_order, row_hashes, spaced
from kernelect.typing import Array, Indices

#: Parts of the rows; every bag holds all but one of them.
FOLDS = 5


def even_rows(table: Array, weights: Array, most: int, groups: Indices | None) -> Indices:
    """Return the numbers of at most so many rows of positive weight, spread evenly, in an order of their own.

    Groups stay whole: what is learned from one row must not speak of another row of its group as if it were new.
    """
    kept = np.flatnonzero(weights > 0)
    if len(kept) > most:
        whole = groups is not None
        kept = _rows_of_groups(table, kept, groups, most) if whole else spaced(hashed_order(table, weights > 0), most)
    return kept[canonical_order(table[kept])]


def _rows_of_groups(table: Array, kept: Indices, groups: Indices | None, most: int) -> Indices:
    """Return the rows of groups in the order of their hashes, as long as there is room; of one group at least."""
    units = units_of(groups, kept, table)
    room = np.cumsum(np.bincount(units)) <= most
    room[0] = True
    return kept[room[units]]


def units_of(groups: Indices | None, rows: Indices, table: Array) -> Indices:
    """Return what stays together among ``rows``: each by itself, or groups numbered by a hash of all their rows."""
    if groups is None:
        return np.arange(len(rows))
    _, inverse = np.unique(groups[rows], return_inverse=True)
    hashes = np.zeros(inverse.max() + 1, dtype=np.uint64)
    np.add.at(hashes, inverse, row_hashes(table[rows]))
    return np.asarray(np.argsort(np.argsort(hashes, kind="stable"))[inverse], dtype=np.intp)


def numbered_classes(E: Array, y: Indices, n_classes: int) -> Indices:
    """Return numbers of the classes by how many rows they have and which, whatever the classes are called."""
    order = canonical_order(E)
    rank = np.concatenate([[0], np.cumsum((E[order][1:] != E[order][:-1]).any(axis=1))])
    keys = np.bincount(y[order], rank, minlength=n_classes), np.bincount(y, minlength=n_classes)
    return np.asarray(np.argsort(np.lexsort(keys)), dtype=np.intp)


def dealt(units: Indices, classes: Indices | None, seed: int) -> Indices:
    """Return the fold of every row: units stay together, and single rows are dealt class by class."""
    generator, n_units = np.random.default_rng(seed), int(units.max()) + 1
    shuffled = generator.permutation(n_units)
    if classes is not None and n_units == len(units):
        shuffled = shuffled[np.argsort(classes[shuffled], kind="stable")]
    fold = np.empty(n_units, dtype=np.intp)
    fold[shuffled] = np.arange(n_units) % FOLDS
    return fold[units]
