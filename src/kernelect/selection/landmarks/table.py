"""All rows of a fit, wherever they are: sums and values over blocks, and samples that fit into memory."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from kernelect.numerics import hashed_order, over_blocks, sampled_rows, spaced
from kernelect.selection.problem import Rows
from kernelect.typing import Array, Indices

#: Rows of a block: fewer make the products slower, more need memory and bring nothing.
BLOCK_ROWS = 2048

Result = TypeVar("Result")


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
    """Rows with targets and weights that are read block by block."""

    #: Rows, those of weight 0 among them, and those of positive weight.
    n_rows: int
    n_weighted: int

    @abstractmethod
    def over_blocks(self, function: Callable[[Block], Result]) -> Iterator[Result]:
        """Yield ``function(block)`` for all blocks, in the order of the rows."""

    @abstractmethod
    def sample(self, count: int, turn: float = 0.0) -> Sample:
        """Return at most ``count`` rows, the same whatever their order; another ``turn`` (below 1) gives others."""

    def sum(self, function: Callable[[Block], Any]) -> Any:
        """Return the sum of ``function(block)`` over all blocks."""
        results = self.over_blocks(function)
        total = next(results)
        for part in results:
            total = total + part
        return total


class ArrayTable(Table):
    """Rows of an array in memory or of a memory-mapped file, in single or double precision."""

    def __init__(self, X: Array, targets: Array, weights: Array) -> None:
        self.X, self.targets, self.weights = X, targets, weights
        self.n_rows, self.n_weighted = len(X), int(np.count_nonzero(weights))

    def over_blocks(self, function: Callable[[Block], Result]) -> Iterator[Result]:
        firsts = range(0, self.n_rows, BLOCK_ROWS)
        return over_blocks(lambda first: function(self.block(first)), firsts)

    def block(self, first: int) -> Block:
        """Return the block that begins with a row."""
        rows = slice(first, first + BLOCK_ROWS)
        return Block(first, np.asarray(self.X[rows], dtype=np.float64), self.targets[rows], self.weights[rows])

    @cached_property
    def _order(self) -> Indices:
        """The rows of positive weight in the order of their hashes."""
        return hashed_order(self.X, self.weights > 0.0)

    def sample(self, count: int, turn: float = 0.0) -> Sample:
        numbers = spaced(self._order, count, turn)
        X = np.asarray(self.X[numbers], dtype=np.float64)
        return Sample(numbers, X, self.targets[numbers], self.weights[numbers])
