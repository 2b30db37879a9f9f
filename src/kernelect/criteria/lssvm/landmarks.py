"""PRESS and generalised cross-validation of the LS-SVM on landmarks: value and gradient in three passes.

Notation as in machines/lssvm/left_out.py; n rows, hbar = tr H / n the mean leverage.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from kernelect.machines.lssvm.groups_left_out import GroupSlopes, GroupsOut, left_out
from kernelect.machines.lssvm.landmarks import LandmarkSolution, MachineRows, WhitenedFrame, moments, solve
from kernelect.machines.lssvm.left_out import SMALLEST_ROOM, Adjoint, BlockSlopes, Influence, LeftOut
from kernelect.numerics import sum_over_blocks
from kernelect.typing import Array


class LandmarkCriterion(ABC):
    """A criterion that is known from sums over rows of functions of error and leverage."""

    @abstractmethod
    def slopes(self, block: LeftOut) -> BlockSlopes:
        """Return a block's sums, and its slopes up to the two factors of ``factors``."""

    @abstractmethod
    def value(self, sums: Array) -> float:
        """Return the criterion for the sums over all rows."""

    def value_of(self, block: LeftOut) -> float:
        """Return the criterion of rows that stand for all."""
        return self.value(self.slopes(block).sums)

    def factors(self, sums: Array) -> tuple[float, float]:
        """Return what the slopes in errors and in leverages still lack, known after all rows."""
        return 1.0, 1.0


class LandmarkPRESS(LandmarkCriterion):
    """Q = 1/2 sum s r^2."""

    def slopes(self, block: LeftOut) -> BlockSlopes:
        r = block.residuals
        u = (block.weights / block.room)[:, None] * r
        v = np.sum(u * r, axis=1)
        return BlockSlopes(sums=np.array([0.5 * float(v @ block.room)]), by_error=u, by_leverage=v)

    def value(self, sums: Array) -> float:
        return float(sums[0])


class LandmarkGroupPRESS(LandmarkPRESS):
    """Q = 1/2 sum s r^2, rows left out with their groups."""

    def slopes(self, block: LeftOut) -> BlockSlopes:
        assert isinstance(block, GroupsOut)
        r = block.residuals
        weighted = block.weights[:, None] * r
        u = block.solve_transposed(weighted)
        sums = np.array([0.5 * float(np.sum(weighted * r))])
        return GroupSlopes(
            sums=sums, by_error=u, by_leverage=np.zeros(len(r)), left=u, right=weighted, groups=block.groups
        )

    def value_of(self, block: LeftOut) -> float:
        return 0.5 * float(np.sum(block.weights[:, None] * block.residuals**2))


class LandmarkGCV(LandmarkCriterion):
    """Q = 1/n sum s e^2 / (1 - hbar)^2."""

    def slopes(self, block: LeftOut) -> BlockSlopes:
        u = block.weights[:, None] * block.errors
        sums = np.array([float(np.sum(u * block.errors)), float(block.leverage.sum()), float(len(u))])
        return BlockSlopes(sums=sums, by_error=u, by_leverage=np.ones(len(u)))

    def value(self, sums: Array) -> float:
        return float(sums[0] / sums[2]) / self._room(sums) ** 2

    def factors(self, sums: Array) -> tuple[float, float]:
        room, n = self._room(sums), float(sums[2])
        return 2.0 / n * room**-2, 2.0 * float(sums[0]) / n**2 * room**-3

    @staticmethod
    def _room(sums: Array) -> float:
        return max(1.0 - float(sums[1] / sums[2]), SMALLEST_ROOM)


class RowBlock(Protocol):
    """A block of rows whose kernel values are computed, or copied from where they are kept, on demand."""

    def rows(self) -> MachineRows:
        """Return the block; its ``cross`` belongs to the caller."""

    def pullback(self, cotangent: Array) -> Array:
        """Return the derivative of ``sum(cotangent * cross)`` in the kernel's parameters."""


@dataclass(frozen=True, kw_only=True)
class LandmarkValue:
    """A criterion on landmarks at one point.

    Attributes
    ----------
    value : float
    state : LandmarkSolution
    by_kernel : ndarray of shape (n_parameters,)
        Through k(X, Z) alone.
    by_landmarks : ndarray of shape (m, m)
        Derivative in k(Z, Z), for the kernel's pullback on the landmarks.
    by_regularization : float
    """

    value: float
    state: LandmarkSolution
    by_kernel: Array
    by_landmarks: Array
    by_regularization: float


def landmark_value(
    criterion: LandmarkCriterion, frame: WhitenedFrame, blocks: Sequence[RowBlock], regularization: float
) -> tuple[float, LandmarkSolution]:
    """Return the criterion and the machine. Two passes, 3 n m^2."""
    state = _solved(frame, blocks, regularization)
    sums = sum_over_blocks(lambda block: criterion.slopes(left_out(state, block.rows())).sums, blocks)
    return criterion.value(sums), state


def landmark_value_and_gradient(
    criterion: LandmarkCriterion,
    frame: WhitenedFrame,
    blocks: Sequence[RowBlock],
    regularization: float,
    keep: bool = True,
) -> LandmarkValue:
    """Return the criterion with its gradient. Three passes, 7 n m^2.

    Parameters
    ----------
    keep : bool
        Whether the scores of all rows, n m doubles, stay from the second to the third pass; else they are
        computed anew, n m^2 more and the kernel once more.
    """
    state = _solved(frame, blocks, regularization)
    kept: dict[int, _Judged] = {}

    def judged(number: int) -> _Judged:
        rows = left_out(state, blocks[number].rows())
        return rows, criterion.slopes(rows)

    def second(number: int) -> Influence:
        pair = judged(number)
        if keep:
            kept[number] = pair
        return pair[1].influence(pair[0])

    total = sum_over_blocks(second, range(len(blocks)))
    factors = criterion.factors(total.sums)
    adjoint = Adjoint.of(state, total.scaled(*factors))

    def third(number: int) -> Array:
        rows, slopes = kept.pop(number) if keep else judged(number)
        return blocks[number].pullback(adjoint.by_cross(rows, slopes.scaled(*factors)))

    return LandmarkValue(
        value=criterion.value(total.sums),
        state=state,
        by_kernel=sum_over_blocks(third, range(len(blocks))),
        by_landmarks=adjoint.by_landmarks(),
        by_regularization=adjoint.by_regularization(),
    )


#: A block at the solution, and what a criterion makes of it.
_Judged = tuple[LeftOut, BlockSlopes]


def _solved(frame: WhitenedFrame, blocks: Sequence[RowBlock], regularization: float) -> LandmarkSolution:
    return solve(frame, sum_over_blocks(lambda block: moments(frame, block.rows()), blocks), regularization)
