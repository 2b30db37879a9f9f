"""All rows of a fit, wherever they are: sums and values over blocks, and samples that fit into memory."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelect.numerics import hashed_order, row_hashes, sampled_rows, spaced, stratified, sum_over_blocks
from kernelect.selection.problem import Rows
from kernelect.typing import Array, Indices

#: Rows of a block: fewer make the products slower, more need memory and bring nothing.
BLOCK_ROWS = 2048

#: Rows among which samples are drawn by what they hold; beyond, the rows' numbers choose as many beforehand.
MOST_HASHED = 4_000_000

#: Rows that figures such as the scale of deviations and the temperature of probabilities are made of, at most: they
#: are known to a third of a percent from as many.
FIGURE_ROWS = 100_000


@dataclass(frozen=True)
class Block:
    """Some rows next to each other, in double precision."""

    first: int  # number of the first row
    X: Array
    targets: Array  # (b, k)
    weights: Array  # (b,); a row of weight 0 is there, but nothing learns from it


@dataclass(frozen=True)
class Sample:
    """Some rows of positive weight, from anywhere in the table."""

    numbers: Indices
    X: Array
    targets: Array
    weights: Array

    @property
    def rows(self) -> Rows:
        """The rows as a machine is trained on them."""
        return Rows(X=self.X, targets=self.targets, weights=self.weights)

    def part(self, count: int) -> Sample:
        """Return some of the rows."""
        chosen = sampled_rows(self.X, count)
        return Sample(self.numbers[chosen], self.X[chosen], self.targets[chosen], self.weights[chosen])

    def blocks(self) -> list[Block]:
        """Return the rows in blocks; ``first`` counts within the sample."""
        parts = [slice(first, first + BLOCK_ROWS) for first in range(0, len(self.X), BLOCK_ROWS)]
        return [Block(part.start, self.X[part], self.targets[part], self.weights[part]) for part in parts]


class Table(ABC):
    """Rows with targets and weights that are read block by block.

    Attributes
    ----------
    n_rows, n_weighted : int
        Rows, those of weight 0 among them, and those of positive weight.
    kept : ndarray of int or None
        Numbers, sorted, of the rows whose own results a pass brings back; None for all.
    kept_targets, kept_weights : ndarray
        Of these rows.
    """

    n_rows: int
    n_weighted: int
    kept: Indices | None
    kept_targets: Array
    kept_weights: Array

    @abstractmethod
    def sum(self, function: Callable[[Block], Any]) -> Any:
        """Return the sum of ``function(block)`` over all blocks, added in the order of the rows.

        The function may be sent to another process: it holds what it needs and no more.
        """

    @abstractmethod
    def rows(self, numbers: Indices) -> Sample:
        """Return the rows with these numbers, which are sorted."""

    @abstractmethod
    def _hashed(self) -> Indices:
        """Return the numbers of all rows of positive weight in the order of their hashes.

        Beyond ``MOST_HASHED`` rows, of a part of them that their numbers alone decide upon.
        """

    @cached_property
    def _order(self) -> Indices:
        return self._hashed()

    def sample(self, count: int, turn: float = 0.0) -> Sample:
        """Return at most ``count`` rows, the same whatever their order; another ``turn`` (below 1) gives others."""
        return self.rows(spaced(self._order, count, turn))

    def figures(self) -> Indices:
        """Return places among the rows that are kept: those, of positive weight, that figures are made of.

        They depend on the numbers of rows alone, so that models of the same rows with other inputs have the same ones.
        """
        places = stratified(self.n_rows, FIGURE_ROWS) if self.kept is None else np.arange(len(self.kept))
        return np.asarray(places[self.kept_weights[places] > 0.0], dtype=np.intp)


class ArrayTable(Table):
    """Rows of an array in memory or of a memory-mapped file, in single or double precision."""

    kept = None

    def __init__(self, X: Array, targets: Array, weights: Array) -> None:
        self.X, self.kept_targets, self.kept_weights = X, targets, weights
        self.n_rows, self.n_weighted = len(X), int(np.count_nonzero(weights))

    def sum(self, function: Callable[[Block], Any]) -> Any:
        return sum_over_blocks(lambda first: function(self.block(first)), range(0, self.n_rows, BLOCK_ROWS))

    def block(self, first: int) -> Block:
        """Return the block that begins with a row."""
        return block_of(self.X, self.kept_targets, self.kept_weights, slice(first, first + BLOCK_ROWS), first)

    def rows(self, numbers: Indices) -> Sample:
        X = np.ascontiguousarray(self.X[numbers], dtype=np.float64)
        return Sample(numbers, X, self.kept_targets[numbers], self.kept_weights[numbers])

    def _hashed(self) -> Indices:
        if self.n_rows <= MOST_HASHED:
            return hashed_order(self.X, self.kept_weights > 0.0)
        numbers = stratified(self.n_rows, MOST_HASHED)
        numbers = numbers[self.kept_weights[numbers] > 0.0]
        parts = np.array_split(numbers, max(len(numbers) // 65536, 1))
        return in_order(numbers, np.concatenate([row_hashes(self.X[part]) for part in parts]))


def block_of(X: Array, targets: Array, weights: Array, rows: slice, first: int) -> Block:
    """Return some rows as a block whose first row has the number ``first``; the order in memory decides no rounding."""
    return Block(first, np.ascontiguousarray(X[rows], dtype=np.float64), targets[rows], weights[rows])


def in_order(numbers: Indices, hashes: NDArray[np.uint64]) -> Indices:
    """Return numbers of rows in the order of their hashes."""
    return numbers[np.argsort(hashes, kind="stable")]
