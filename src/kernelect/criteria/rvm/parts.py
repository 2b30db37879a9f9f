"""Which rows are held out together."""

from __future__ import annotations

import numpy as np

from kernelect.numerics import canonical_order
from kernelect.typing import Array, Indices


def dealt_out(X: Array, targets: Array, weights: Array, n_parts: int) -> Indices:
    """Return a part for every row: distinct inputs are dealt out in the order of their targets.

    Rows with the same inputs share a part, as one row of their joint weight would. The parts depend
    neither on the order of the rows nor on that of the columns.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    targets : ndarray of shape (n, k)
    weights : ndarray of shape (n,)
    n_parts : int
    """
    distinct, which = np.unique(X, axis=0, return_inverse=True)
    n, which = len(distinct), which.reshape(-1)
    means, totals = _joined(which, targets, weights)
    rank = np.empty(n, dtype=np.intp)
    rank[canonical_order(np.column_stack([distinct, means, totals]))] = np.arange(n)
    parts = np.empty(n, dtype=np.intp)
    parts[np.lexsort([rank, *means.T])] = np.arange(n) % min(n_parts, n)
    return parts[which]


def _joined(which: Indices, targets: Array, weights: Array) -> tuple[Array, Array]:
    """Return mean targets and weights of equal rows, added up in an order of their own."""
    order = np.lexsort([weights, *targets.T, which])
    which, targets, weights = which[order], targets[order], weights[order]
    totals: Array = np.bincount(which, weights).astype(float)
    return np.column_stack([np.bincount(which, weights * column) / totals for column in targets.T]), totals
