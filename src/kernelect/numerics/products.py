"""Matrix products through SciPy's BLAS, and walks through n x n arrays in blocks that stay in the processor's cache.

The wheels of NumPy and SciPy each carry a BLAS with its own pool of threads. After a call the
threads of a pool spin for a while, so code that alternates between the two pools (``@`` and LAPACK)
makes them fight for the same cores: a product that takes 0.5 ms was measured at 8 ms. Large
products next to factorisations therefore go through the pool that factorises.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.linalg import blas

from kernelect.typing import Array

#: Elements of a block of rows: 1 MiB of doubles, about one core's second-level cache.
_BLOCK_ELEMENTS = 1 << 17
_TILE = 128

#: Columns from which it pays to look whether a matrix is a triangle.
_MANY_COLUMNS = 16


def row_blocks(n_rows: int, n_columns: int, elements: int = _BLOCK_ELEMENTS) -> Iterator[slice]:
    """Yield slices that cover ``n_rows`` in blocks of about a cache's size."""
    step = max(8, elements // max(n_columns, 1))
    for first in range(0, n_rows, step):
        yield slice(first, min(first + step, n_rows))


def symmetrize_from_lower(matrix: Array) -> Array:
    """Copy the lower triangle onto the upper one, in place, tile by tile.

    The whole-array form ``m + m.T`` walks one operand across cache lines and costs as much as a
    tenth of the factorisation.
    """
    n = len(matrix)
    for first in range(0, n, _TILE):
        last = min(first + _TILE, n)
        tile = matrix[first:last, first:last]
        for column in range(1, last - first):
            tile[:column, column] = tile[column, :column]
        for second in range(last, n, _TILE):
            end = min(second + _TILE, n)
            matrix[first:last, second:end] = matrix[second:end, first:last].T
    return matrix


def product(left: Array, right: Array, out: Array | None = None) -> Array:
    """Return ``left @ right`` in C order, written into ``out`` (C-contiguous) if given."""
    if right.shape[1] == 1 and out is None and left.size:
        return matrix_vector(left, right[:, 0])[:, None]
    # (left right)^T = right^T left^T: computed in Fortran order, the result is a C-ordered view.
    b, trans_b = _operand(right.T)
    a, trans_a = _operand(left.T)
    if out is None:
        return np.asarray(blas.dgemm(1.0, b, a, trans_a=trans_b, trans_b=trans_a).T, dtype=float)
    blas.dgemm(1.0, b, a, beta=0.0, c=out.T, overwrite_c=1, trans_a=trans_b, trans_b=trans_a)
    return out


def matrix_vector(matrix: Array, vector: Array) -> Array:
    """Return ``matrix @ vector``; a product with one column takes two to three times as long."""
    a, trans = _operand(matrix)
    return np.asarray(blas.dgemv(1.0, a, vector, trans=trans), dtype=float)


def outer_gram(matrix: Array) -> Array:
    """Return ``matrix @ matrix.T``, at half the cost of a product."""
    a, trans = _operand(matrix)
    return symmetrize_from_lower(np.asarray(blas.dsyrk(1.0, a, trans=trans, lower=1), dtype=float))


def root_product(root: Array, right: Array) -> Array:
    """Return ``root @ right``, at half the cost if ``root`` is a lower triangle and ``right`` has many columns."""
    square = root.shape[0] == root.shape[1]
    if not square or right.shape[1] < _MANY_COLUMNS or np.triu(root, 1).any():
        return product(root, right)
    return np.asarray(blas.dtrmm(1.0, root.T, right.T, side=1).T, dtype=float)


def _operand(matrix: Array) -> tuple[Array, int]:
    """Return a Fortran-contiguous array and whether it stands for its transpose."""
    if matrix.flags.f_contiguous:
        return matrix, 0
    return (matrix.T, 1) if matrix.flags.c_contiguous else (np.asfortranarray(matrix), 0)
