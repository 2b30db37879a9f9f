"""The passes over all rows: what one block adds to the sums, and what its own rows bring back.

Each pass is a record that holds everything it needs, so it can be sent to where the rows are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kernelect.criteria.lssvm.landmarks import LandmarkCriterion
from kernelect.kernels import Kernel
from kernelect.machines.lssvm.groups_left_out import left_out, without_own_function
from kernelect.machines.lssvm.landmarks import LandmarkState, MachineRows, WhitenedFrame, whitened_moments
from kernelect.selection.landmarks.table import Block
from kernelect.typing import Array, Indices


@dataclass(frozen=True)
class PassResult:
    """Sums over rows, and results of single rows in their order; those of several blocks are joined with ``+``."""

    total: Any
    rows: tuple[tuple[Array, ...], ...]  # one entry per block

    def __add__(self, other: PassResult) -> PassResult:
        return PassResult(self.total + other.total, self.rows + other.rows)

    def joined(self) -> tuple[Array, ...]:
        """Return the results of single rows, each as one array."""
        return tuple(np.concatenate(each) for each in zip(*self.rows, strict=True))


def moments_pass(kernel: Kernel, points: Array, frame: WhitenedFrame, kept: Indices | None, block: Block) -> PassResult:
    """Return what a block adds in the first pass: moments, and what the landmarks leave of k(x, x)."""
    rows, own = rows_of(kernel, points, block), numbers_inside(kept, block)
    Phi = frame.whitened(rows.cross)
    unspanned = kernel.diagonal(block.X[own]) - frame.spanned(Phi[:, own])
    return PassResult(whitened_moments(frame, Phi, rows), ((np.maximum(unspanned, 0.0),),))


def left_out_pass(
    kernel: Kernel,
    points: Array,
    numbers: Indices,
    state: LandmarkState,
    criterion: LandmarkCriterion,
    kept: Indices | None,
    block: Block,
) -> PassResult:
    """Return what a block adds in the last pass: every row left out of the machine.

    The criterion holds the landmarks, as it does where hyper-parameters are selected; with the residuals a
    landmark leaves with its row. ``numbers`` are the rows that the landmarks are, -1 if they are none.
    """
    rows = left_out(state, rows_of(kernel, points, block))
    sums, own = criterion.slopes(rows.positive()).sums, numbers_inside(kept, block)
    alone = without_own_function(state, rows, owners(numbers, block.first, len(block.weights)))
    return PassResult(sums, ((alone.residuals[own], alone.room[own]),))


def rows_of(kernel: Kernel, points: Array, block: Block) -> MachineRows:
    """Return a block as the machine on these landmarks sees it."""
    return MachineRows(
        cross=kernel.cross(points, block.X), targets=block.targets, weights=block.weights, groups=block.groups
    )


def owners(numbers: Indices, first: int, count: int) -> Indices:
    """Return for ``count`` rows from ``first`` on which landmark each is, -1 if it is none."""
    found = np.full(count, -1, dtype=np.intp)
    inside = np.flatnonzero((numbers >= first) & (numbers < first + count))
    found[numbers[inside] - first] = inside
    return found


def numbers_inside(kept: Indices | None, block: Block) -> Indices | slice:
    """Return which rows of a block are kept; ``kept`` is sorted, None stands for all."""
    if kept is None:
        return slice(None)
    begin, end = np.searchsorted(kept, [block.first, block.first + len(block.weights)])
    return kept[begin:end] - block.first
