"""Rows of a sparse matrix, which become dense when they are read."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse

from kernelect.exceptions import NotEnoughMemory
from kernelect.numerics.memory import available_bytes
from kernelect.typing import Array, Indices


class SparseRows:
    """A sparse matrix that is indexed like an array, and gives dense rows.

    What reads rows in blocks never holds all of them as an array. What needs all of them makes an array of it, if there
    is memory for one.

    Parameters
    ----------
    matrix : sparse matrix or array of shape (n, d)
    """

    ndim = 2
    dtype = np.dtype(np.float64)

    def __init__(self, matrix: Any) -> None:
        self.matrix = csr_array(matrix, dtype=np.float64)

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns."""
        return self.matrix.shape[0], self.matrix.shape[1]

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, index: Any) -> Array:
        if not isinstance(index, tuple):
            return self._dense(self.matrix[index])
        rows, columns = index
        if isinstance(columns, int | np.integer):
            return self[rows, [columns]][:, 0]
        return self._dense(self._by_column[:, columns].tocsr()[rows])

    def ordered(self, order: Indices) -> SparseRows:
        """Return the rows in another order."""
        return SparseRows(self.matrix[order])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        require_dense(*self.shape)
        return np.asarray(self.matrix.toarray(), dtype=dtype)

    @cached_property
    def _by_column(self) -> Any:
        return self.matrix.tocsc()

    @staticmethod
    def _dense(matrix: Any) -> Array:
        return np.asarray(matrix.toarray(), dtype=float)


def dense_rows(X: Any) -> Any:
    """Return a sparse matrix as an array, if there is memory for it; anything else as it is."""
    return np.asarray(SparseRows(X)) if issparse(X) else X


def require_dense(n_rows: int, n_columns: int) -> None:
    """Raise if so many rows of a sparse matrix do not fit into memory as an array and a copy of it."""
    needed, free = 2 * 8.0 * n_rows * n_columns, available_bytes()
    if needed > free:
        raise NotEnoughMemory(
            f"X is sparse, and {n_rows} rows of {n_columns} columns are needed as an array here, which takes about "
            f"{needed / 2**30:.1f} GiB, and {free / 2**30:.1f} GiB are free: use LSSVC or LSSVR with landmarks, which "
            "read rows in blocks, or fewer columns, such as those of sklearn.decomposition.TruncatedSVD."
        )
