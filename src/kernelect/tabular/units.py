"""Which rows of a table belong together: copies of one row, replicates, and the rows of one group.

A copy is equal to another row in inputs and target, more often than chance explains: the rule is that of the fit
(:func:`kernelect.numerics.copied_rows`), which counts copies as one row. Replicates have equal inputs and different
targets, as several measurements of one object. They are rows of their own. Both are kept together in folds: a row whose
inputs are among the training rows tells nothing of new inputs. Replicates are known by columns that tell rows apart so
well that chance would not have made a single pair of equal inputs. Where a few categories are all there is, new rows
have the inputs of old ones too, and each row stands by itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from kernelect.numerics import copied_rows
from kernelect.typing import Array, Indices

#: Pairs of rows with equal inputs that chance is expected to make, from which on they are no replicates.
_BY_CHANCE = 1.0

#: Share of the rows that repeat the inputs of others from which leave-one-out leaves them out together.
MANY = 0.05


@dataclass(frozen=True, kw_only=True)
class Copies:
    """Rows that are equal to others.

    Attributes
    ----------
    index : ndarray of int, shape (n,)
        The same number for copies of one row, and for rows with equal inputs.
    surplus : int
        Rows that are copies of an earlier one, in inputs and target.
    replicates : int
        Rows that have the inputs of another row and a different target.
    """

    index: Indices
    surplus: int
    replicates: int

    @property
    def repeated(self) -> float:
        """Share of the rows that belong to an earlier one."""
        return 1.0 - len(np.unique(self.index)) / len(self.index)

    @property
    def share(self) -> float:
        """Share of the rows that are copies of an earlier one."""
        return self.surplus / len(self.index)

    def remarks(self) -> list[str]:
        """Return sentences on copies too few for a doubt, and on replicates."""
        found = []
        if 0.0 < self.share < MANY:
            what = "row is a copy of another" if self.surplus == 1 else "rows are copies of others"
            counts = "counts with it" if self.surplus == 1 else "count with them"
            found.append(f"{self.surplus} {what} (equal inputs and equal target) and {counts}.")
        if self.replicates:
            found.append(
                f"{self.replicates} rows have the inputs of another row and a different target (replicates), which is "
                "no fault. Rows with equal inputs are in the same fold, so that the scores are those of new inputs."
            )
        return found


def find_copies(X: pd.DataFrame, y: Any, groups: Indices | None = None) -> Copies:
    """Return which rows are copies or replicates; none if chance alone makes equal rows."""
    inputs, target = _numbered(X), _numbered(pd.DataFrame({"target": np.asarray(y)}))
    marks = [target] if groups is None else [target, groups[:, None].astype(float)]
    copied, alike = copied_rows(inputs, *marks), np.arange(len(X))
    if _expected_pairs(inputs) < _BY_CHANCE:
        alike = np.unique(pd.util.hash_pandas_object(X, index=False).to_numpy(), return_inverse=True)[1]
    different = pd.Series(target[:, 0]).groupby(alike).transform("nunique").to_numpy() > 1
    return Copies(
        index=joined(copied, alike), surplus=int(np.sum(copied != np.arange(len(X)))), replicates=int(different.sum())
    )


def _numbered(frame: pd.DataFrame) -> Array:
    """Return the columns with a number for every value; missing cells are equal to each other.

    Numbers begin with 2, a missing cell: zeros and ones side by side would be taken for indicators of one category.
    """
    return np.column_stack([3.0 + pd.factorize(frame[name].to_numpy())[0] for name in frame.columns])


def _expected_pairs(columns: Array) -> float:
    """Return how many pairs of rows would be equal if columns were independent of each other."""
    expected = pairs = 0.5 * len(columns) * (len(columns) - 1.0)
    for column in columns.T:
        counts = np.unique(column, return_counts=True)[1]
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
