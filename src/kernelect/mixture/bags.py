"""Rows of bags and folds, chosen so that neither the order of rows nor that of columns decides anything."""

from __future__ import annotations

import numpy as np

from kernelect.numerics import canonical_order, hashed_order, spaced
from kernelect.typing import Array, Indices

#: Parts of the rows; every bag holds all but one of them.
FOLDS = 5


def even_rows(table: Array, weights: Array, most: int) -> Indices:
    """Return the numbers of at most so many rows of positive weight, spread evenly, in an order of their own.

    ``table`` has all that tells rows apart: inputs, targets and weights.
    """
    kept = np.flatnonzero(weights > 0)
    rows = kept if len(kept) <= most else spaced(hashed_order(table, weights > 0), most)
    return rows[canonical_order(table[rows])]


def units_of(groups: Indices | None, rows: Indices) -> Indices:
    """Return what stays together among ``rows``: each by itself, or groups numbered by their first row."""
    if groups is None:
        return np.arange(len(rows))
    _, first, inverse = np.unique(groups[rows], return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first))[inverse.reshape(-1)], dtype=np.intp)


def dealt(units: Indices, classes: Indices | None, seed: int) -> Indices:
    """Return the fold of every row: units stay together, and single rows are dealt class by class."""
    generator, n_units = np.random.default_rng(seed), int(units.max()) + 1
    shuffled = generator.permutation(n_units)
    if classes is not None and n_units == len(units):
        shuffled = shuffled[np.argsort(classes[shuffled], kind="stable")]
    fold = np.empty(n_units, dtype=np.intp)
    fold[shuffled] = np.arange(n_units) % FOLDS
    return fold[units]
