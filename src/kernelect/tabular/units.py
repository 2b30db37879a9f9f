"""Which rows of a table belong together: copies of one row, and the rows of one group.

A row whose copy is among the training rows is not a new row. Equal rows are copies where the columns tell rows apart
so well that chance would not have made a single pair of equal rows; where a few categories are all there is, equal rows
are different rows in the same cell.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from kernelect.typing import Indices

#: Pairs of equal rows that chance is expected to make, from which on equal rows are no copies.
_BY_CHANCE = 1.0

#: Share of the rows that are copies of others from which leave-one-out leaves them out together.
MANY = 0.05


@dataclass(frozen=True, kw_only=True)
class Copies:
    """Rows that are equal in all inputs.

    Attributes
    ----------
    index : ndarray of int, shape (n,)
        The same number for equal rows.
    surplus : int
        Rows that repeat an earlier one.
    contradictory : int
        Rows that have an equal one with another target.
    """

    index: Indices
    surplus: int
    contradictory: int

    @property
    def share(self) -> float:
        """Share of the rows that repeat an earlier one."""
        return self.surplus / len(self.index)


def find_copies(X: pd.DataFrame, y: Any) -> Copies:
    """Return which rows are copies; none where chance alone makes equal rows."""
    n = len(X)
    _, index = np.unique(pd.util.hash_pandas_object(X, index=False).to_numpy(), return_inverse=True)
    surplus = n - len(np.unique(index))
    if not surplus or _expected_pairs(X) >= _BY_CHANCE:
        return Copies(index=np.arange(n), surplus=0, contradictory=0)
    targets = pd.DataFrame({"row": index, "target": np.asarray(y)})
    different = targets.groupby("row")["target"].transform("nunique").to_numpy() > 1
    return Copies(index=index, surplus=surplus, contradictory=int(different.sum()))


def _expected_pairs(X: pd.DataFrame) -> float:
    """Return how many pairs of rows would be equal if columns were independent of each other."""
    pairs = 0.5 * len(X) * (len(X) - 1.0)
    expected = pairs
    for name in X.columns:
        counts = X[name].value_counts(dropna=False).to_numpy()
        expected *= 0.5 * float(np.sum(counts * (counts - 1.0))) / pairs
        if expected < 1e-3 * _BY_CHANCE:
            break
    return expected


def joined(*indices: Indices) -> Indices:
    """Return the units that result when rows with the same number in any of the arrays belong together."""
    n, offset = len(indices[0]), len(indices[0])
    ends = []
    for index in indices:
        ends.append(offset + index)
        offset += int(index.max()) + 1
    row, column = np.tile(np.arange(n), len(indices)), np.concatenate(ends)
    graph = coo_array((np.ones(len(row)), (row, column)), shape=(offset, offset))
    return np.asarray(connected_components(graph, directed=False)[1][:n], dtype=np.intp)
