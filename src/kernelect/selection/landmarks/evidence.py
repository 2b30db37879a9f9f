"""The evidence of a latent function on landmarks, as a function of theta.

The covariance of the rows takes the place of their Gram matrix; machine and criterion are those of all rows.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from kernelect.exceptions import MissingCapability
from kernelect.kernels import Kernel
from kernelect.machines.ep.landmarks import LandmarkGram, LandmarkSlopes, with_epsilon
from kernelect.numerics import Deadline
from kernelect.results import Selection
from kernelect.selection.centres import drawn_at, rounded
from kernelect.selection.intervals import IntervalObjective
from kernelect.selection.landmarks.request import LandmarkRequest
from kernelect.selection.landmarks.stages import LastSteps
from kernelect.selection.lead import Lead
from kernelect.selection.objective import SelectionObjective
from kernelect.selection.parts import stages_of
from kernelect.selection.run import Run, SelectionOptions, carried_out
from kernelect.selection.stages import Stage
from kernelect.selection.start import sampled_part
from kernelect.typing import Array, Indices

#: Rows of the exact machine that goes the way, rows with landmarks at its end, iterations there, and rows among which
#: landmarks are chosen.
EXACT_PART, MORE_ROWS, _LAST_ITERATIONS, _CANDIDATES = 1000, 4000, 10, 20_000

#: Posteriors until the sites of all rows are found, about, and landmarks that there are in any time.
_POSTERIORS, _FEWEST = 15, 50

#: Rows whose k(x, x) is differentiated at a time.
_DIAGONAL = 128


@dataclass(frozen=True, kw_only=True)
class LandmarkEvidence(SelectionObjective):
    """The objective of a latent function on landmarks, which stay where they are while theta moves.

    :meth:`of` returns one of targets that are known up to an interval, if those of the exact objective are.

    Attributes
    ----------
    landmarks : ndarray of shape (m, d)
    numbers : ndarray of shape (m,)
        Which rows they are, -1 if they were given.
    """

    landmarks: Array = field(default_factory=lambda: np.zeros((0, 0)))
    numbers: Indices = field(default_factory=lambda: np.zeros(0, dtype=np.intp))

    def __post_init__(self) -> None:
        super().__post_init__()
        criterion = self.criterion
        if criterion.moves_sites or criterion.sampled:
            raise MissingCapability(
                f"criterion={criterion.name!r} needs the Gram matrix of all rows: use criterion='ep-evidence', or "
                "landmarks=None."
            )

    @staticmethod
    def of(exact: SelectionObjective, landmarks: Array, numbers: Indices | None = None) -> LandmarkEvidence:
        """Return an exact objective on landmarks; ``numbers`` are the rows they are, if they are rows."""
        numbers = np.full(len(landmarks), -1) if numbers is None else numbers
        kind = LandmarkIntervals if isinstance(exact, IntervalObjective) else LandmarkEvidence
        return kind.with_parts_of(exact, landmarks=landmarks, numbers=numbers)

    def design(self, theta: Array) -> tuple[Any, Any]:
        """Return the covariance of the rows, and its pullback."""
        kernel = self.kernel_at(theta)
        cross, by_cross = kernel.linearize_cross(self.landmarks, self.X)
        gram, by_gram = kernel.linearize(self.landmarks)
        found = LandmarkGram.of(gram, cross, kernel.diagonal(self.X))

        def pull(slopes: LandmarkSlopes) -> Array:
            among = by_gram(with_epsilon(slopes.landmarks))
            return by_cross(slopes.cross) + among + diagonal_pullback(kernel, self.X, slopes.diagonal)

        return found, pull

    def _gram_at(self, theta: Array) -> Any:
        return self.design(theta)[0]

    def _parts(self) -> tuple[object, ...]:
        return (*super()._parts(), self.landmarks)


class LandmarkIntervals(LandmarkEvidence, IntervalObjective):
    """The same for targets that are known up to an interval."""


def diagonal_pullback(kernel: Kernel, X: Array, weights: Array) -> Array:
    """Return the derivative of ``sum(weights * k(x, x))`` in the kernel's parameters."""
    total = np.zeros(len(kernel.theta))
    for first in range(0, len(X), _DIAGONAL):
        part = slice(first, first + _DIAGONAL)
        total += kernel.pullback(X[part], np.diag(weights[part]))
    return total


@dataclass(frozen=True)
class ExactPart(Stage):
    """The way to the optimum, by the exact machine on a part of the rows."""

    stages: tuple[Stage, ...]

    def applies(self, run: Run) -> bool:
        return True

    def carry_out(self, run: Run) -> None:
        part = run.on_rows(sampled_part(run.objective.X, None, int(run.rows_in_time(EXACT_PART))))
        for stage in self.stages:
            if stage.applies(part):
                stage.carry_out(part)
        run.go_on_from(part)
        run.result, run.objective = part.result, replace(run.objective, prior=part.objective.prior)


@dataclass(frozen=True, kw_only=True)
class MoreRows(Stage):
    """More rows, on landmarks that are chosen where the search is now."""

    request: LandmarkRequest
    seed: int

    def applies(self, run: Run) -> bool:
        return run.has_time()

    def carry_out(self, run: Run) -> None:
        more = run.objective.on_rows(sampled_part(run.objective.X, None, MORE_ROWS))
        run.objective = LandmarkEvidence.of(more, *_points(more, self.request, run.space.start, self.seed))


def select_on_landmarks(
    exact: SelectionObjective, request: LandmarkRequest, options: SelectionOptions, lead: Lead | None, seed: int
) -> tuple[Selection, LandmarkEvidence]:
    """Return what the evidence selects, and the objective of all rows on landmarks.

    The exact machine of a part of the rows goes the way. At its end are a few steps by the evidence of more rows on
    landmarks. They are chosen anew for all rows, with the kernel that was found.
    """
    way, start = stages_of(exact.machine, lead), exact if lead is None else lead.followed(exact)
    steps = (ExactPart(way), MoreRows(request=request, seed=seed), LastSteps(iterations=_LAST_ITERATIONS))
    selection, found = carried_out(steps, start, options, lead)
    request = _in_time(exact, request, selection.theta, options.deadline)
    points, numbers = _points(exact, request, selection.theta, seed)
    whole = LandmarkEvidence.of(replace(exact, prior=found.prior), points, numbers)
    value, _ = whole.as_function(gradient=False)(selection.theta)
    theta, remark = selection.theta, f"{len(points)} landmarks"
    at_bound = exact.at_bound(theta)
    selection = selection.moved_to(theta, value, at_bound, label="all rows", remark=remark, observe=options.observe)
    return selection, whole


def _in_time(exact: SelectionObjective, request: LandmarkRequest, theta: Array, deadline: Deadline) -> LandmarkRequest:
    """Return fewer landmarks if the posterior of all rows would take longer than what is left of the time."""
    if request.points is not None or not np.isfinite(deadline.left()):
        return request
    part = exact.on_rows(sampled_part(exact.X, None, request.first))
    began = time.monotonic()
    found, _ = LandmarkEvidence.of(part, part.X).design(theta)
    found.marginals(np.ones(len(found)), np.ones(len(found)), np.ones(len(found)))
    needed = _POSTERIORS * (time.monotonic() - began) * len(exact.X) / len(found)
    share = max(deadline.left(), 0.0) / needed
    count = max(int(request.first * np.sqrt(min(share, 1.0))), min(_FEWEST, request.first))
    return replace(request, first=count, most=count)


def _points(
    objective: SelectionObjective, request: LandmarkRequest, theta: Array, seed: int
) -> tuple[Array, Indices | None]:
    """Return the landmarks that were given, or rows that span the others at a kernel, with their numbers."""
    if request.points is not None:
        return request.points, None
    among = sampled_part(objective.X, None, _CANDIDATES)
    kernel, X = rounded(objective.kernel_at(theta), objective.space), objective.X[among]
    chosen = drawn_at(kernel, X, objective.weights[among], seed).first(min(request.first, len(X)))
    return X[chosen], among[chosen]
