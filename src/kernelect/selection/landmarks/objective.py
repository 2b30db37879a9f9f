"""The criterion on landmarks as a function of theta: the second form of the seam.

Kernel values between landmarks and rows, and among landmarks, replace the Gram matrix. The kernel's
pullbacks take the derivatives in both. Rows are processed in blocks.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from kernelect.criteria import CRITERIA, Criterion
from kernelect.criteria.lssvm.landmarks import (
    LandmarkCriterion,
    landmark_value,
    landmark_value_and_gradient,
)
from kernelect.exceptions import MissingCapability
from kernelect.kernels import Kernel
from kernelect.kernels.base import Pullback
from kernelect.machines import Fitted, Groups
from kernelect.machines.lssvm.groups_left_out import left_out
from kernelect.machines.lssvm.landmark_path import LandmarkPath
from kernelect.machines.lssvm.landmarks import LandmarkState, MachineRows, WhitenedFrame, moments
from kernelect.numerics import over_blocks, sum_over_blocks
from kernelect.priors import HyperPoint, Prior
from kernelect.selection.centres import drawn_at, rounded
from kernelect.selection.landmarks.table import BLOCK_ROWS, Sample, whole_groups
from kernelect.selection.objective import KnownValue, SelectionObjective, independent_outputs
from kernelect.selection.problem import LeastSquaresObjective, ResidualPath
from kernelect.typing import Array, Indices

#: Kernel values that are kept from one pass to the next; beyond, they are computed anew.
_KEPT_VALUES = 1 << 24


@dataclass(kw_only=True)
class _RowBlock:
    """A block of rows; its kernel values are kept where they are needed again."""

    kernel: Kernel
    Z: Array
    X: Array
    targets: Array
    weights: Array
    keep: bool
    groups: Groups | None = None
    _linear: tuple[Array, Pullback] | None = None

    def rows(self) -> MachineRows:
        """Return the block; its ``cross`` belongs to the caller."""
        if not self.keep:
            return MachineRows(
                cross=self.kernel.cross(self.Z, self.X), targets=self.targets, weights=self.weights, groups=self.groups
            )
        if self._linear is None:
            self._linear = self.kernel.linearize_cross(self.Z, self.X)
        return MachineRows(cross=self._linear[0].copy(), targets=self.targets, weights=self.weights, groups=self.groups)

    def pullback(self, cotangent: Array) -> Array:
        """Return the derivative of ``sum(cotangent * cross)`` in the kernel's parameters."""
        pull = self._linear[1] if self._linear else self.kernel.linearize_cross(self.Z, self.X)[1]
        return pull(cotangent)


@dataclass(frozen=True, kw_only=True)
class LandmarkObjective(LeastSquaresObjective):
    """The objective of an LS-SVM on landmarks, which stay where they are while theta moves.

    Attributes
    ----------
    landmarks : ndarray of shape (m, d)
    """

    landmarks: Array = field(default_factory=lambda: np.zeros((0, 0)))

    def __post_init__(self) -> None:
        super().__post_init__()
        check_on_landmarks(self)

    @classmethod
    def of(cls, exact: SelectionObjective, landmarks: Array) -> LandmarkObjective:
        """Return an exact objective on landmarks."""
        return cls.with_parts_of(exact, landmarks=landmarks)

    def with_landmarks(self, landmarks: Array) -> Self:
        """Return the objective on other landmarks."""
        return replace(self, landmarks=landmarks)

    def chosen(self, theta: Array, count: int, seed: int) -> Indices:
        """Return which rows should be landmarks at the kernel of ``theta``."""
        return drawn_at(rounded(self.kernel_at(theta), self.space), self.X, self.weights, seed).first(count)

    def solved(self, theta: Array) -> Fitted:
        return self._judged(theta, gradient=False)[0]

    def ridge_path(self, theta: Array) -> ResidualPath:
        frame, blocks = self._frame(theta), self._blocks(theta)
        total = sum_over_blocks(lambda block: moments(frame, block.rows()), blocks)
        return _Path.of(LandmarkPath(frame, total), blocks, self._row_blocks)

    def left_out_residuals(self, theta: Array) -> Array:
        state = self.solved(theta).state
        parts = over_blocks(lambda block: left_out(state, block.rows()).residuals, self._blocks(theta))
        return _in_place(self._row_blocks, list(parts))

    def value_with(self, theta: Array, value: float, sample: Sample, n_weighted: int, unit: float = 1.0) -> float:
        """Return what is minimised if the criterion has a value that was found on ``n_weighted`` rows.

        ``sample`` stands for them. Targets have been divided by ``unit``; the value returned speaks of the targets
        themselves.
        """
        n_residuals, weights = n_weighted * independent_outputs(self.targets), sample.weights
        fitted = self._solution(theta, None, sample.targets, weights, n_residuals)
        if self.prior is None:
            return float(self.criterion.rescaled(np.array([value]), unit, float(weights.sum()))[0])
        point = HyperPoint(
            theta=theta, space=self.space.moved(theta), kernel=self.kernel_at(theta), X=self.X, solve=lambda: fitted
        )
        shift = self.prior.share(n_residuals) * self.criterion.nats_shift(unit, fitted)
        return self._penalized(point, self._in_nats(value, None, fitted))[0] + shift

    def _parts(self) -> tuple[object, ...]:
        return (*super()._parts(), self.landmarks)

    def _judged(self, theta: Array, *, gradient: bool) -> tuple[Fitted, KnownValue]:
        kernel, mu = self.kernel_at(theta), self._constant(theta)
        gram, pull = kernel.linearize(self.landmarks)
        frame, blocks = WhitenedFrame.of(gram, self._level()), self._blocks(theta)
        n_residuals = len(self.X) * independent_outputs(self.targets)
        if not gradient:
            value, state = landmark_value(row_form(self), frame, blocks, mu)
            fitted = self._solution(theta, state, self.targets, self.weights, n_residuals)
            return fitted, self._in_nats(value, None, fitted)
        found = landmark_value_and_gradient(row_form(self), frame, blocks, mu, keep=self._keeps)
        fitted = self._solution(theta, found.state, self.targets, self.weights, n_residuals)
        by_theta = np.append(found.by_kernel + pull(found.by_landmarks), found.by_regularization * mu)
        return fitted, self._in_nats(found.value, by_theta, fitted)

    def _solution(
        self, theta: Array, state: LandmarkState | None, targets: Array, weights: Array, n_residuals: int
    ) -> Fitted:
        """Return a solved machine; the landmarks stand in the place of the Gram matrix, which nobody looks at."""
        return Fitted(
            machine=self.machine,
            gram=self.landmarks,
            targets=targets,
            weights=weights,
            regularization=self._constant(theta),
            state=state,
            n_residuals=n_residuals,
        )

    @property
    def _keeps(self) -> bool:
        return len(self.X) * len(self.landmarks) <= _KEPT_VALUES

    def _level(self) -> Array:
        return np.average(self.targets, axis=0, weights=self.weights)

    def _frame(self, theta: Array) -> WhitenedFrame:
        return WhitenedFrame.of(self.kernel_at(theta).gram(self.landmarks), self._level())

    def _blocks(self, theta: Array) -> list[_RowBlock]:
        kernel, groups = self.kernel_at(theta), self.criterion.groups
        return [
            _RowBlock(
                kernel=kernel,
                Z=self.landmarks,
                X=self.X[part],
                targets=self.targets[part],
                weights=self.weights[part],
                keep=self._keeps,
                groups=None if groups is None else groups.of(part),
            )
            for part in self._row_blocks
        ]

    @property
    def _row_blocks(self) -> list[Indices]:
        """The rows of every block: next to each other, or whole groups."""
        n, step, groups = len(self.X), BLOCK_ROWS // 2, self.criterion.groups
        if groups is None:
            return [np.arange(first, min(first + step, n)) for first in range(0, n, step)]
        order = np.argsort(groups.index, kind="stable")
        return [order[part] for part in whole_groups(groups.index[order], step)]


@dataclass(frozen=True)
class _Path:
    """Leave-one-out of all rows along the ridge; the rotated rows are kept, n m numbers."""

    path: LandmarkPath
    rotated: list[Array]
    blocks: list[_RowBlock]
    rows: list[Indices]

    @classmethod
    def of(cls, path: LandmarkPath, blocks: list[_RowBlock], rows: list[Indices]) -> _Path:
        """Rotate the rows once for all ridges."""
        return cls(path, list(over_blocks(lambda block: path.rotated(block.rows().cross), blocks)), blocks, rows)

    def residuals(self, mu: float) -> Array:
        """Return the exact leave-one-out residuals (n, k) at ridge ``mu``."""
        ridge = np.array([mu])
        parts = [
            self.path.left_out(D, block.targets, block.weights, ridge, block.groups)[0].residuals
            for D, block in zip(self.rotated, self.blocks, strict=True)
        ]
        return _in_place(self.rows, parts)


def _in_place(rows: list[Indices], parts: list[Array]) -> Array:
    """Return values of blocks in the order of the rows."""
    values = np.concatenate(parts)
    out = np.empty_like(values)
    out[np.concatenate(rows)] = values
    return out


def row_form(objective: SelectionObjective) -> LandmarkCriterion:
    """Return the criterion as a sum over rows."""
    form = objective.criterion.on_landmarks
    assert form is not None  # checked where the objective was made
    return form


def check_on_landmarks(objective: SelectionObjective) -> None:
    """Raise :class:`MissingCapability` if criterion or prior need what a machine on landmarks does not have."""
    lacking = lacking_on_landmarks(objective.criterion, objective.prior)
    if lacking:
        raise MissingCapability(f"{lacking}, or landmarks=None.")


def lacking_on_landmarks(criterion: Criterion, prior: Prior | None) -> str:
    """Return what criterion or prior need and landmarks do not have, with what to use instead; else nothing."""
    if criterion.on_landmarks is None:
        able = [repr(entry.name) for entry in CRITERIA if entry.cls.on_landmarks is not None]
        return (
            f"criterion={criterion.name!r} does not declare its form on landmarks (on_landmarks): "
            f"use criterion={' or '.join(able)}"
        )
    if prior is not None and prior.needs_coefficients:
        return (
            f"prior={prior.name!r} needs the derivative of the coefficients of all rows, which a machine on landmarks "
            "does not have: use another prior"
        )
    return ""
