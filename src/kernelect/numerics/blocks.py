"""Walks through n x n arrays in blocks that stay in the processor's cache."""

from __future__ import annotations

from collections.abc import Iterator

from kernelect.typing import Array

#: Elements of a block of rows: 1 MiB of doubles, about one core's second-level cache.
_BLOCK_ELEMENTS = 1 << 17
_TILE = 128


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
