"""The stages after the widths, in a selection on a part of the rows with few landmarks."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kernelect.results import Status
from kernelect.search import Directions
from kernelect.selection.landmarks.objective import LandmarkObjective
from kernelect.selection.lead import Lead
from kernelect.selection.run import Run
from kernelect.selection.stages import (
    AllParameters,
    CriterionAlone,
    PriorRevised,
    SecondBasin,
    Spherical,
    Stage,
    TiedParameters,
)
from kernelect.selection.start import sampled_part

#: Rows on which the way to the optimum is gone, and landmarks with which it is; then rows and landmarks for its end.
PART_ROWS, PART_LANDMARKS = 3000, 250
MORE_ROWS, MORE_LANDMARKS = 6000, 500

#: Ridges that are tried between the bounds, two log units apart.
_RIDGES = 16

#: Iterations of the search at the end of the way.
_LAST_ITERATIONS = 15


@dataclass(frozen=True, kw_only=True)
class Choose(Stage):
    """Landmarks chosen where the search is now: what spans the rows depends on the widths."""

    count: int
    seed: int

    def applies(self, run: Run) -> bool:
        return run.has_time()

    def carry_out(self, run: Run) -> None:
        assert isinstance(run.objective, LandmarkObjective)
        chosen = run.objective.chosen(run.space.start, self.count, self.seed)
        run.objective = run.objective.with_landmarks(run.objective.X[chosen])


class RidgeFirst(Stage):
    """The best ridge where the search is now, before any step.

    A search on few rows may end at a ridge so small that it makes no difference there. On many rows it does, and no
    gradient tells how far off the best one is.
    """

    def applies(self, run: Run) -> bool:
        return bool(run.space.free[-1]) and run.has_time()

    def carry_out(self, run: Run) -> None:
        assert isinstance(run.objective, LandmarkObjective)
        theta, lower, upper = run.space.start, run.space.lower[-1], run.space.upper[-1]
        path, weights = run.objective.ridge_path(theta), run.objective.weights[:, None]
        grid = np.append(theta[-1], np.linspace(lower, upper, _RIDGES))
        losses = [float(np.sum(weights * path.residuals(float(np.exp(ridge))) ** 2)) for ridge in grid]
        run.space = run.space.moved(np.append(theta[:-1], grid[int(np.argmin(losses))]))


@dataclass(frozen=True)
class FewFirst(Stage):
    """The way to the optimum, on a part of the rows with few landmarks."""

    stages: tuple[Stage, ...]

    def applies(self, run: Run) -> bool:
        return bool(run.space.free.any())

    def carry_out(self, run: Run) -> None:
        part = run.on_rows(sampled_part(run.objective.X, run.objective.criterion.groups, PART_ROWS))
        for stage in self.stages:
            if stage.applies(part):
                stage.carry_out(part)
        run.go_on_from(part)
        run.result = part.result
        assert isinstance(run.objective, LandmarkObjective)
        assert isinstance(part.objective, LandmarkObjective)
        run.objective = run.objective.with_landmarks(part.objective.landmarks)


@dataclass(frozen=True, kw_only=True)
class LastSteps(Stage):
    """A few steps from there, with more rows and more landmarks."""

    iterations: int = _LAST_ITERATIONS
    tied: bool = False  # whether the widths of each kernel keep their proportions

    def applies(self, run: Run) -> bool:
        return run.result is None or run.has_time()

    def carry_out(self, run: Run) -> None:
        way, label = run.result, "all parameters" if run.space.free.any() else "as given"
        tied = Directions.tied_widths(run.space) if self.tied else None
        run.result = run.search(label, tied or Directions.each_free(run.space), max_iter=self.iterations)
        if run.result.status is Status.MAX_ITER and way is not None:
            run.result = replace(run.result, status=way.status)  # whether the way reached its end is what counts


def landmark_stages(few: int, more: int, seed: int, lead: Lead | None) -> tuple[Stage, ...]:
    """Return the stages for landmarks that are chosen, ``few`` of them on the way and ``more`` at its end."""
    if lead is not None and lead.start is not None:
        return (Choose(count=more, seed=seed), RidgeFirst(), LastSteps(iterations=lead.last_steps, tied=lead.tied))
    if lead is not None and lead.tied:
        return (Choose(count=few, seed=seed), TiedParameters())
    middle = (Choose(count=few, seed=seed), CriterionAlone(), AllParameters(), SecondBasin())
    way = (
        Choose(count=few, seed=seed),
        Spherical(),
        *(middle if lead is None or lead.whole_way else (Choose(count=few, seed=seed), AllParameters())),
    )
    return (FewFirst(way), Choose(count=more, seed=seed), LastSteps(), PriorRevised())


#: Stages for landmarks that are given.
GIVEN_STAGES: tuple[Stage, ...] = (
    FewFirst((Spherical(), CriterionAlone(), AllParameters(), SecondBasin())),
    LastSteps(),
    PriorRevised(),
)
