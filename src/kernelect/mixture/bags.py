"""Rows of bags and folds: neither the order of rows, nor that of columns, nor a name of a class or group decides.

A ``table`` below has all that distinguishes rows: inputs, targets and weights. Only ranks in its columns count, so
that units do not decide either, nor the last digit of a weight that was divided by a sum.
"""

from __future__ import annotations

import numpy as np

from kernelect.numerics import canonical_order, rank_hashes, spaced
from kernelect.typing import Array, Indices

#: Binary digits of the weights of rows.
_BITS = 24

#: Parts of the rows; every bag holds all but one of them.
FOLDS = 5


def even_rows(table: Array, weights: Array, most: int, groups: Indices | None) -> Indices:
    """Return the numbers of at most so many rows of positive weight, spread evenly, in an order of their own.

    Groups stay whole: what is learned from one row must not speak of another row of its group as if it were new.
    """
    kept = np.flatnonzero(weights > 0)
    if len(kept) > most:
        kept = kept[_some(table[kept], most, None if groups is None else units_of(groups, kept, table))]
    return kept[canonical_order(table[kept])]


def _some(table: Array, most: int, units: Indices | None) -> Indices:
    """Return the numbers of rows spread evenly, or of units in their order as long as there is room, one at least."""
    if units is None:
        return spaced(np.argsort(rank_hashes(table), kind="stable"), most)
    room = np.cumsum(np.bincount(units)) <= most
    room[0] = True
    return np.flatnonzero(room[units])


def seven_digits(weights: Array) -> Array:
    """Return weights rounded to 24 binary digits.

    Those behind depend on the unit, on the order of sums and on where the rows are, and would decide between equal
    cuts of a tree.
    """
    digits, powers = np.frexp(weights)
    return np.asarray(np.ldexp(np.round(np.ldexp(digits, _BITS)), powers - _BITS), dtype=float)


def units_of(groups: Indices | None, rows: Indices, table: Array) -> Indices:
    """Return what stays together among ``rows``: each by itself, or groups numbered by a hash of all their rows."""
    if groups is None:
        return np.arange(len(rows))
    _, inverse = np.unique(groups[rows], return_inverse=True)
    hashes = np.zeros(inverse.max() + 1, dtype=np.uint64)
    np.add.at(hashes, inverse, rank_hashes(table[rows]))
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
