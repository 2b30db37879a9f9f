"""The machine on all rows at one kernel: how many landmarks, which ridge, and every row left out once.

All rows are read twice: once for the moments, which serve every ridge and every smaller number of
landmarks, and once to leave each row out. In between, ridges and numbers of landmarks are compared on a
sample of rows, each left out of the machine on all rows.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from kernelect.criteria.lssvm.landmarks import LandmarkCriterion
from kernelect.kernels import Kernel
from kernelect.machines.lssvm.groups_left_out import left_out, without_own_function
from kernelect.machines.lssvm.landmark_path import LandmarkPath
from kernelect.machines.lssvm.landmarks import LandmarkState, Moments, WhitenedFrame, moments, solve
from kernelect.machines.lssvm.left_out import LeftOut
from kernelect.numerics import over_blocks
from kernelect.selection.landmarks.passes import left_out_pass, moments_pass, rows_of
from kernelect.selection.landmarks.table import Block, RowTable, Sample
from kernelect.typing import Array, Indices

#: Rows among which landmarks are chosen, and rows on which numbers of landmarks are compared.
CANDIDATES, JUDGED = 20_000, 20_000

#: Rows on which ridges are compared: a loss hardly changes around its best ridge, so that few rows find it.
_RIDGED = 5000

#: Numbers that the comparison of ridges keeps, which limits its rows if there are many outputs.
_JUDGED_NUMBERS = 4_000_000

#: Logarithms of ridges tried around the selected one, and how often the window may move on.
_RIDGES = np.arange(-4.0, 4.01, 0.4)
_WINDOWS = 4

#: In units of the moments of one row: both passes over a row, the comparisons of numbers of landmarks and of ridges
#: on a row, and, for every landmark, an eigendecomposition.
_PASSES, _JUDGEMENTS, _RIDGINGS, _DECOMPOSITION = 1.6, 1.0, 2.0, 15.0

#: What a machine is worth by rows left out of it; smaller is better.
Score = Callable[[LeftOut, Sample], float]


@dataclass(frozen=True, kw_only=True)
class Landmarks:
    """Landmarks with what all rows say of them.

    Attributes
    ----------
    points : ndarray of shape (m, d)
    numbers : ndarray of shape (m,)
        Which rows of the table they are and leave with, -1 if they are none or several. Landmarks that were given
        stay where a row leaves: -1.
    equal : ndarray of shape (m,) or None
        Which rows they are equal to all the same, if that is not ``numbers``.
    """

    points: Array
    numbers: Indices
    frame: WhitenedFrame
    total: Moments
    unspanned: Array  # what they leave of k(x, x) at the rows that are kept
    equal: Indices | None = None

    def unspanned_without_own(self, kept: Indices | None) -> Array:
        """Return what is left of k(x, x) at the rows that are kept, if a landmark leaves with its row."""
        left, numbers = self.unspanned.copy(), self.numbers if self.equal is None else self.equal
        places = numbers if kept is None else np.searchsorted(kept, numbers)
        own = numbers >= 0
        if kept is not None:
            own &= np.append(kept, -1)[places] == numbers
        left[places[own]] = self.frame.unspanned_by_others()[own]
        return left

    def leading(self, count: int) -> Landmarks:
        """Return the first ``count`` of them."""
        return replace(
            self,
            points=self.points[:count],
            numbers=self.numbers[:count],
            frame=self.frame.leading(count),
            total=self.total.leading(count),
        )


@dataclass(frozen=True, kw_only=True)
class AllLeftOut:
    """The machine on all rows, and each of them left out."""

    state: LandmarkState
    value: float  # of the criterion, landmarks held
    residuals: Array  # (q, k) of the rows that are kept, landmarks leaving with their rows
    room: Array  # (q,) 1 - h, likewise


class WholeTable:
    """All rows at one kernel.

    Parameters
    ----------
    table : RowTable
    kernel : Kernel
    level : ndarray of shape (k,)
        A value near the targets.
    score : callable
        What ridges are compared by.
    judged : int
        Rows on which they are compared, at most.
    """

    def __init__(self, table: RowTable, kernel: Kernel, level: Array, score: Score, judged: int = JUDGED) -> None:
        self.table, self.kernel, self.level, self.score = table, kernel, level, score
        most = _JUDGED_NUMBERS // (len(_RIDGES) * (len(level) + 1))
        self.judged = table.judged(min(judged, max(most, 2000)))
        self.ridged = self.judged.part(_RIDGED)

    def landmarks(self, points: Array, numbers: Indices) -> Landmarks:
        """Return landmarks with the moments of all rows: the first pass."""
        frame = WhitenedFrame.of(self.kernel.gram(points), self.level)
        found = self.table.sum(partial(moments_pass, self.kernel, points, frame, self.table.kept))
        (unspanned,) = found.joined()
        return Landmarks(points=points, numbers=numbers, frame=frame, total=found.total, unspanned=unspanned)

    def best_ridge(self, landmarks: Landmarks, log_ridge: float, lower: float, upper: float) -> float:
        """Return the best logarithm of a ridge around one."""
        path, blocks = LandmarkPath(landmarks.frame, landmarks.total), self.ridged.blocks()
        # What costs most serves all windows.
        rotated = list(over_blocks(lambda block: path.rotated(self.kernel.cross(landmarks.points, block.X)), blocks))
        for _ in range(_WINDOWS):
            window = np.unique(np.clip(log_ridge + _RIDGES, lower, upper))
            scores = [self.score(found, self.ridged) for found in _along(path, rotated, blocks, np.exp(window))]
            at = int(np.argmin(scores))
            log_ridge = float(window[at])
            if 0 < at < len(window) - 1 or log_ridge in (lower, upper):
                break
        return log_ridge

    def losses(self, landmarks: Landmarks, log_ridge: float) -> Array:
        """Return the squared leave-one-out residuals of the sampled rows, landmarks leaving with their rows.

        If groups are left out, one sum for each group.
        """
        state = solve(landmarks.frame, landmarks.total, float(np.exp(log_ridge)))
        order = np.argsort(self.judged.numbers, kind="stable")
        places = np.searchsorted(self.judged.numbers[order], landmarks.numbers)
        found = np.append(self.judged.numbers[order], -2)[places] == landmarks.numbers
        owners = np.full(len(order), -1, dtype=np.intp)
        owners[order[places[found]]] = np.flatnonzero(found)

        def on(block: Block) -> Array:
            rows = left_out(state, rows_of(self.kernel, landmarks.points, block))
            own = owners[block.first : block.first + len(block.weights)]
            losses = rows.weights * np.sum(without_own_function(state, rows, own).residuals ** 2, axis=1)
            return losses if block.groups is None else np.bincount(block.groups.index, losses).astype(float)

        return np.concatenate(list(over_blocks(on, self.judged.blocks())))

    def left_out(self, landmarks: Landmarks, log_ridge: float, criterion: LandmarkCriterion) -> AllLeftOut:
        """Return all rows left out of the machine, and the criterion: the last pass.

        The criterion holds the landmarks, as it does if hyper-parameters are selected; with the residuals a
        landmark leaves with its row.
        """
        state = solve(landmarks.frame, landmarks.total, float(np.exp(log_ridge))).state()
        points, numbers, kept = landmarks.points, landmarks.numbers, self.table.kept
        work = partial(left_out_pass, self.kernel, points, numbers, state, criterion, kept)
        found = self.table.sum(work)
        residuals, room = found.joined()
        return AllLeftOut(state=state, value=criterion.value(found.total), residuals=residuals, room=room)

    def seconds(self, points: Array) -> float:
        """Return an estimate of how long a fit with these landmarks takes, from one block of rows."""
        frame, block, m = WhitenedFrame.of(self.kernel.gram(points), self.level), self.judged.blocks()[0], len(points)
        began = time.monotonic()
        moments(frame, rows_of(self.kernel, points, block))
        by_row = (time.monotonic() - began) / len(block.weights)
        judged = _JUDGEMENTS * len(self.judged.weights) + _RIDGINGS * len(self.ridged.weights)
        rows = _PASSES * self.table.n_rows + judged + _DECOMPOSITION * m
        return by_row * rows


def _along(path: LandmarkPath, rotated: Sequence[Array], blocks: Sequence[Block], ridges: Array) -> list[LeftOut]:
    """Return rows left out at every ridge."""

    def on(pair: tuple[Array, Block]) -> list[LeftOut]:
        D, block = pair
        return path.left_out(D, block.targets, block.weights, ridges, block.groups)

    found = over_blocks(on, list(zip(rotated, blocks, strict=True)))
    return [_joined(each) for each in zip(*found, strict=True)]


def _joined(blocks: tuple[LeftOut, ...]) -> LeftOut:
    return LeftOut(
        scores=np.hstack([block.scores for block in blocks]),
        errors=np.concatenate([block.errors for block in blocks]),
        leverage=np.concatenate([block.leverage for block in blocks]),
        weights=np.concatenate([block.weights for block in blocks]),
    )
