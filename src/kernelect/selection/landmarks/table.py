"""Access to all rows of a fit, wherever they are: sums and values over blocks, and samples that fit into memory."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelect.machines import Groups
from kernelect.numerics import hashed_order, row_hashes, spaced, stratified, sum_over_blocks, taken
from kernelect.selection.start import Rows, sampled_part
from kernelect.typing import Array, Indices

#: Rows of a block: fewer make the products slower, more need memory and bring nothing.
BLOCK_ROWS = 2048

#: Rows among which samples are drawn by what they hold; beyond, the rows' numbers choose as many beforehand.
MOST_HASHED = 4_000_000

#: Rows that figures such as the scale of deviations and the temperature of probabilities are made of, at most: they
#: are known to a third of a percent from as many.
FIGURE_ROWS = 100_000


@dataclass(frozen=True, kw_only=True)
class Block(Rows):
    """Some rows next to each other, in double precision; from a row of weight 0 nothing learns, groups are whole."""

    first: int  # number of the first row


@dataclass(frozen=True, kw_only=True)
class Sample:
    """Some rows of positive weight, from anywhere in the table."""

    numbers: Indices
    X: Array
    targets: Array
    weights: Array
    groups: Indices | None = None  # the group of every row, if groups are left out

    @property
    def rows(self) -> Rows:
        """The rows as a machine is trained on them."""
        groups = None if self.groups is None else Groups(self.groups)
        return Rows(X=self.X, targets=self.targets, weights=self.weights, groups=groups)

    def part(self, count: int) -> Sample:
        """Return some of the rows."""
        chosen = sampled_part(self.X, self.rows.groups, count)
        return taken(self, chosen, "numbers", "X", "targets", "weights", "groups")

    def numbers_at(self, points: Array) -> Indices:
        """Return the numbers of the rows that points are, (m,), -1 where they are none or several."""
        numbers = {row.tobytes(): number for row, number in zip(self.X + 0.0, self.numbers_of_single(), strict=True)}
        return np.array([numbers.get(point.tobytes(), -1) for point in points + 0.0], dtype=np.intp)

    def numbers_of_single(self) -> Indices:
        """Return the number of every row, -1 if another one (of another group) has the same inputs.

        A landmark leaves with its row. It does not leave with one of several equal rows: the others would still offer
        it, and which of them was drawn is a matter of their order.
        """
        point = np.unique(self.X, axis=0, return_inverse=True)[1].reshape(-1)
        holders = np.arange(len(point)) if self.groups is None else self.groups
        several = np.bincount(np.unique(np.column_stack([point, holders]), axis=0)[:, 0]) > 1
        return np.where(several[point], -1, self.numbers)

    def blocks(self) -> list[Block]:
        """Return the rows in blocks; ``first`` counts within the sample."""
        if self.groups is not None:
            parts = whole_groups(self.groups, BLOCK_ROWS)
        else:
            parts = [slice(first, first + BLOCK_ROWS) for first in range(0, len(self.X), BLOCK_ROWS)]
        return [block_of(self.X, self.targets, self.weights, part, part.start, self.groups) for part in parts]


class RowTable(ABC):
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

    def judged(self, count: int) -> Sample:
        """Return about ``count`` rows to leave out, others than those of ``sample``."""
        return self.sample(count, turn=0.5)

    def figures(self) -> Indices:
        """Return places among the rows that are kept: those, of positive weight, that figures are made of.

        They depend on the numbers of rows alone, so that models of the same rows with other inputs have the same ones.
        """
        places = stratified(self.n_rows, FIGURE_ROWS) if self.kept is None else np.arange(len(self.kept))
        return np.asarray(places[self.kept_weights[places] > 0.0], dtype=np.intp)


class ArrayTable(RowTable):
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
        return Sample(numbers=numbers, X=X, targets=self.kept_targets[numbers], weights=self.kept_weights[numbers])

    def _hashed(self) -> Indices:
        if self.n_rows <= MOST_HASHED:
            return hashed_order(self.X, self.kept_weights > 0.0)
        numbers = stratified(self.n_rows, MOST_HASHED)
        numbers = numbers[self.kept_weights[numbers] > 0.0]
        parts = np.array_split(numbers, max(len(numbers) // 65536, 1))
        return in_order(numbers, np.concatenate([row_hashes(self.X[part]) for part in parts]))


class GroupedTable(ArrayTable):
    """Rows of an array in the order of their groups, which are left out as a whole.

    Parameters
    ----------
    X, targets, weights : ndarray
    groups : ndarray of int
        The group of every row; rows of one group follow each other.
    """

    def __init__(self, X: Array, targets: Array, weights: Array, groups: Indices) -> None:
        super().__init__(X, targets, weights)
        self.groups = groups
        self._parts = whole_groups(groups, BLOCK_ROWS)

    def sum(self, function: Callable[[Block], Any]) -> Any:
        return sum_over_blocks(lambda part: function(self._block(part)), self._parts)

    def rows(self, numbers: Indices) -> Sample:
        return replace(super().rows(numbers), groups=self.groups[numbers])

    def sample(self, count: int, turn: float = 0.0) -> Sample:
        """Return whole groups of about ``count`` rows, or shares of large ones; another ``turn`` gives others."""
        order = np.roll(self._order, -int(turn * len(self._order)))
        return self.rows(Groups(self.groups).part(order, count))

    def judged(self, count: int) -> Sample:
        """Return whole groups, at least two of them; those of rows of weight 0 as well."""
        return self.rows(self.whole(self.groups[np.roll(self._order, -(len(self._order) // 2))], count, 2))

    def whole(self, order: Indices, count: int, least: int) -> Indices:
        """Return the numbers of all rows of the first groups in an order: about ``count``, of ``least`` groups or more.

        ``order`` has groups, each any number of times.
        """
        chosen = order[np.sort(np.unique(order, return_index=True)[1])]
        sizes = np.bincount(self.groups)[chosen]
        many = max(int(np.searchsorted(np.cumsum(sizes), count, side="right")), least)
        return np.flatnonzero(np.isin(self.groups, chosen[:many]))

    def _block(self, part: slice) -> Block:
        return block_of(self.X, self.kept_targets, self.kept_weights, part, part.start, self.groups)


def block_of(X: Array, targets: Array, weights: Array, rows: slice, first: int, groups: Indices | None = None) -> Block:
    """Return some rows as a block whose first row has the number ``first``; the order in memory decides no rounding."""
    own = None if groups is None else Groups(groups[rows])
    return Block(
        first=first,
        X=np.ascontiguousarray(X[rows], dtype=np.float64),
        targets=targets[rows],
        weights=weights[rows],
        groups=own,
    )


def whole_groups(groups: Indices, most: int) -> list[slice]:
    """Return stretches of whole groups, of at most ``most`` rows each where no group has more.

    Rows of one group follow each other in ``groups``.
    """
    ends = np.append(np.flatnonzero(np.diff(groups)) + 1, len(groups))
    parts, first, last = [], 0, 0
    for end in ends.tolist():
        if end - first > most and last > first:
            parts.append(slice(first, last))
            first = last
        last = end
    return [*parts, slice(first, last)]


def in_order(numbers: Indices, hashes: NDArray[np.uint64]) -> Indices:
    """Return numbers of rows in the order of their hashes."""
    return numbers[np.argsort(hashes, kind="stable")]
