"""Doubles the number of landmarks until leave-one-out gains less than a standard error, or memory or time runs out."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kernelect.exceptions import NotEnoughMemory
from kernelect.kernels import Kernel
from kernelect.machines.lssvm.pivots import Pivots
from kernelect.numerics import Deadline, available_bytes
from kernelect.parameters import ParameterSpace
from kernelect.selection.centres import drawn_at
from kernelect.selection.landmarks.request import LandmarkRequest
from kernelect.selection.landmarks.table import BLOCK_ROWS, Sample
from kernelect.selection.landmarks.whole import Landmarks, WholeTable
from kernelect.typing import Array

#: Fewest landmarks that a time limit leaves.
_LEAST = 25

#: Rows per second that is left which are looked at more closely, if there is a time limit, and fewest of them.
_ROWS_PER_SECOND, _FEWEST_ROWS = 2000, 500

#: Share of the time that is left which a fit may take by its estimate: other work may come in between.
_SHARE_OF_TIME = 0.6

#: Arrays of m x candidates, m x m and m x block at the peak of a fit, and the share of the free memory it may take.
_BY_CANDIDATES, _SQUARES, _BY_BLOCK, _SHARE_OF_MEMORY = 1.2, 12.0, 12.0, 0.6


@dataclass(frozen=True, kw_only=True)
class Ridge:
    """The logarithm of the ridge: where it is, and how far it may go."""

    log: float
    lower: float
    upper: float
    free: bool

    @classmethod
    def of(cls, space: ParameterSpace, theta: Array) -> Ridge:
        """Return the ridge, the last entry of theta."""
        return cls(
            log=float(theta[-1]), lower=float(space.lower[-1]), upper=float(space.upper[-1]), free=bool(space.free[-1])
        )


class HowMany:
    """The search for a number of landmarks.

    Parameters
    ----------
    whole : WholeTable
    request : LandmarkRequest
    sample : Sample
        The candidates.
    kernel : Kernel
        At which landmarks are drawn.
    ridge : Ridge
    deadline : Deadline
    """

    def __init__(
        self,
        whole: WholeTable,
        request: LandmarkRequest,
        sample: Sample,
        kernel: Kernel,
        ridge: Ridge,
        deadline: Deadline,
    ) -> None:
        self.whole, self.request, self.kernel = whole, request, kernel
        self.ridge, self.deadline = ridge, deadline
        self.candidates = sample.part(rows_within(deadline, len(sample.X)))
        self._errors: dict[int, Array] = {}  # squared leave-one-out residuals by number of landmarks

    def found(self, seed: int) -> tuple[Landmarks, float, str]:
        """Return the landmarks, the logarithm of the ridge, and how their number came about, in words."""
        points = self.request.points
        if points is not None:
            landmarks = self.whole.landmarks(points, np.full(len(points), -1))
            # The row that a landmark is would else be claimed to be as sure as if nothing were left out with it.
            landmarks = replace(landmarks, equal=self.candidates.numbers_at(points))
            return landmarks, self._best_ridge(landmarks), f"{_count(points)} as given"
        pivots = drawn_at(self.kernel, self.candidates.X, self.candidates.weights, seed)
        self._require_memory()
        count, reason = self._within_time(pivots, self.request.first)
        numbers = self.candidates.numbers_of_single()
        while True:
            rows = pivots.first(count)
            landmarks = self.whole.landmarks(self.candidates.X[rows], numbers[rows])
            log_ridge = self._best_ridge(landmarks)
            reason = reason or self._reason_to_stop(pivots, landmarks, log_ridge)
            if reason:
                return landmarks, log_ridge, f"{_count(landmarks.points)} {reason}"
            count = 2 * count

    def _reason_to_stop(self, pivots: Pivots, landmarks: Landmarks, log_ridge: float) -> str:
        """Return why there are no more landmarks, nothing if twice as many are to be tried."""
        count = len(landmarks.points)
        if pivots.exhausted and count == len(pivots.drawn):
            return "that span all rows"
        if not self.request.automatic:
            return "as asked for"
        if not self._pays(landmarks, log_ridge):
            return "are enough: half of them have the same leave-one-out error within a standard error"
        if 2 * count > self.request.most:
            return f"of at most {self.request.most} that landmarks='auto' takes here; more may have a smaller error"
        if _bytes(2 * count, len(self.candidates.X)) > _SHARE_OF_MEMORY * available_bytes():
            return "as many as memory allows"
        return self._within_time(pivots, 2 * count)[1]

    def _pays(self, landmarks: Landmarks, log_ridge: float) -> bool:
        """Return whether all landmarks have a smaller error than their first half by a standard error."""
        count = len(landmarks.points)
        all_of_them = self._errors[count] = self.whole.losses(landmarks, log_ridge)
        fewer = self._errors.get(count // 2)
        if fewer is None:
            half = landmarks.leading(max(count // 2, 1))
            fewer = self.whole.losses(half, self._best_ridge(half))
        error = float(np.std(all_of_them)) / np.sqrt(len(all_of_them))
        return float(np.mean(fewer) - np.mean(all_of_them)) > error

    def _best_ridge(self, landmarks: Landmarks) -> float:
        ridge = self.ridge
        return self.whole.best_ridge(landmarks, ridge.log, ridge.lower, ridge.upper) if ridge.free else ridge.log

    def _within_time(self, pivots: Pivots, count: int) -> tuple[int, str]:
        """Return as many landmarks as time allows, and what to report if these are fewer than ``count``."""
        if not np.isfinite(self.deadline.left()):
            return count, ""
        allowed = count
        while allowed > _LEAST:
            points = self.candidates.X[pivots.first(allowed)]
            if self.whole.seconds(points) <= _SHARE_OF_TIME * self.deadline.left():
                break
            allowed //= 2
        return allowed, "as many as time_limit allows" if allowed < count else ""

    def _require_memory(self) -> None:
        needed, free = _bytes(self.request.first, len(self.candidates.X)), available_bytes()
        if needed > free:
            raise NotEnoughMemory(
                f"landmarks={self.request.first} needs about {needed / 2**30:.1f} GiB, {free / 2**30:.1f} GiB are "
                "free: give fewer landmarks, or use a machine with more memory."
            )


def rows_within(deadline: Deadline, most: int) -> int:
    """Return how many rows there is time to look at more closely: all of them without a deadline."""
    left = deadline.left()
    return most if not np.isfinite(left) else min(most, max(int(_ROWS_PER_SECOND * left), _FEWEST_ROWS))


def _bytes(count: int, candidates: int) -> float:
    """Return the peak of a fit with ``count`` landmarks, beside the table."""
    return 8.0 * count * (_BY_CANDIDATES * candidates + _SQUARES * count + _BY_BLOCK * BLOCK_ROWS)


def _count(points: Array) -> str:
    return f"{len(points)} landmark{'s' if len(points) != 1 else ''}"
