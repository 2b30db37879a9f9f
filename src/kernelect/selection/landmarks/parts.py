"""Rows that stay where they are: partitions of a cluster, or stretches of a file, visited in passes.

A pass sends a function to the rows. It brings back sums, which are no larger than landmarks times landmarks, and
results of a bounded number of rows. Rows are numbered across all parts, so samples and landmarks do not depend on
how the rows are distributed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import numpy as np

from kernelect.numerics import row_hashes, single_blas_thread, stratified, tree_sum
from kernelect.selection.landmarks import table
from kernelect.selection.landmarks.table import Block, RowTable, Sample, block_of, in_order
from kernelect.typing import Array, Indices

Result = TypeVar("Result")


@dataclass(frozen=True, kw_only=True)
class RowPart:
    """Some rows next to each other, as their source has them."""

    number: int
    X: Any
    y: Any
    weights: Any = None  # None if all are 1


class RowParts(ABC):
    """Where the rows are, and how to get a function to them."""

    #: What the source calls a part, in messages.
    word = "partition"

    #: An empty array or DataFrame with the columns of the inputs.
    template: Any

    @abstractmethod
    def each(self, function: Callable[[RowPart], Result]) -> list[Result]:
        """Return ``function(part)`` of every part, in their order."""

    @abstractmethod
    def sum(self, function: Callable[[RowPart], Any]) -> Any:
        """Return the sum of ``function(part)`` over all parts; None is nothing."""

    def coded(self, code: Callable[[RowPart], RowPart], template: Any, *, hold: bool = True) -> RowParts:
        """Return the rows as ``code`` makes them of each part; ``template`` has their columns and no row.

        ``hold``: they are worth being held where they are, if there is a place for it.
        """
        return RecodedParts(self, code, template)

    def name(self, number: int) -> str:
        """Return what a message calls a part."""
        return f"{self.word} {number}"


class RecodedParts(RowParts):
    """Parts that are coded anew in every pass."""

    def __init__(self, parts: RowParts, code: Callable[[RowPart], RowPart], template: Any) -> None:
        self.parts, self.code, self.template, self.word = parts, code, template, parts.word

    def each(self, function: Callable[[RowPart], Result]) -> list[Result]:
        return self.parts.each(partial(_of_coded, self.code, function))

    def sum(self, function: Callable[[RowPart], Any]) -> Any:
        return self.parts.sum(partial(_of_coded, self.code, function))

    def name(self, number: int) -> str:
        return self.parts.name(number)


def _of_coded(code: Callable[[RowPart], RowPart], function: Callable[[RowPart], Result], part: RowPart) -> Result:
    return function(code(part))


#: Inputs (b, d), targets (b, k) and weights (b,) of a part.
Encode = Callable[[RowPart], tuple[Array, Array, Array]]


def added_terms(left: Any, right: Any) -> Any:
    """Return a sum of which both terms may be nothing."""
    return right if left is None else left if right is None else left + right


class PartTable(RowTable):
    """Rows in parts.

    Parameters
    ----------
    parts : RowParts
    encode : callable
        From a part to inputs, targets and weights.
    counts : sequence of int
        Rows of every part.
    n_weighted : int
        Rows of positive weight.
    """

    kept: Indices

    def __init__(self, parts: RowParts, encode: Encode, counts: Sequence[int], n_weighted: int) -> None:
        self.parts, self.encode = parts, encode
        self.firsts = firsts_of(counts)
        self.n_rows, self.n_weighted = int(self.firsts[-1]), n_weighted
        self.kept = stratified(self.n_rows, table.FIGURE_ROWS)
        found = parts.each(partial(_hashed, encode, self.firsts, self.kept, table.MOST_HASHED))
        self.kept_targets = np.concatenate([each.targets for each in found])
        self.kept_weights = np.concatenate([each.weights for each in found])
        numbers = np.concatenate([each.numbers for each in found])
        self._by_hash = in_order(numbers, np.concatenate([each.hashes for each in found]))

    def sum(self, function: Callable[[Block], Any]) -> Any:
        return self.parts.sum(partial(_on_blocks, self.encode, self.firsts, function))

    def rows(self, numbers: Indices) -> Sample:
        X, targets, weights = taken_rows(self.parts, self.encode, self.firsts, numbers)
        return Sample(numbers=numbers, X=np.ascontiguousarray(X), targets=targets, weights=weights)

    def _hashed(self) -> Indices:
        return self._by_hash


def firsts_of(counts: Sequence[int]) -> Indices:
    """Return the number of the first row of every part, and that of all rows behind them."""
    return np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])


def taken_rows(parts: RowParts, encode: Encode, firsts: Indices, numbers: Indices) -> tuple[Array, Array, Array]:
    """Return inputs, targets and weights of the rows with these sorted numbers."""
    found = parts.each(partial(_taken, encode, firsts, numbers))
    X, targets, weights = (np.concatenate(each) for each in zip(*found, strict=True))
    return X, targets, weights


def _inside(firsts: Indices, part: RowPart, numbers: Indices) -> Indices:
    """Return which rows of a part have one of these sorted numbers."""
    first, last = firsts[part.number], firsts[part.number + 1]
    begin, end = np.searchsorted(numbers, [first, last])
    return np.asarray(numbers[begin:end] - first, dtype=np.intp)


def _on_blocks(encode: Encode, firsts: Indices, function: Callable[[Block], Any], part: RowPart) -> Any:
    """Return the sum of a function over the blocks of a part."""
    with single_blas_thread():
        X, targets, weights = encode(part)
        first, step = int(firsts[part.number]), table.BLOCK_ROWS
        blocks = (
            block_of(X, targets, weights, slice(start, start + step), first + start) for start in range(0, len(X), step)
        )
        return tree_sum(map(function, blocks))


@dataclass(frozen=True, kw_only=True)
class _Numbered:
    """Hashes with the numbers of rows of positive weight, and targets and weights of rows that are kept."""

    numbers: Indices
    hashes: Any
    targets: Array
    weights: Array


def _hashed(encode: Encode, firsts: Indices, kept: Indices, most: int, part: RowPart) -> _Numbered:
    """Return what samples are drawn by, and the targets of rows that are kept."""
    X, targets, weights = encode(part)
    chosen = _inside(firsts, part, stratified(int(firsts[-1]), most))
    chosen = chosen[weights[chosen] > 0.0]
    hashes = row_hashes(X if len(chosen) == len(X) else X[chosen])
    own = _inside(firsts, part, kept)
    return _Numbered(numbers=chosen + firsts[part.number], hashes=hashes, targets=targets[own], weights=weights[own])


def _taken(encode: Encode, firsts: Indices, numbers: Indices, part: RowPart) -> tuple[Array, Array, Array]:
    """Return the rows of a part with given numbers."""
    X, targets, weights = encode(part)
    own = _inside(firsts, part, numbers)
    return np.asarray(X[own], dtype=np.float64), targets[own], weights[own]
