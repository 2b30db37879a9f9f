"""The stages of a selection, in order; each declares when it applies and what it does."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace

import numpy as np

from kernelect.parameters import ParameterSpace
from kernelect.results import Status
from kernelect.search import Directions
from kernelect.selection.run import Run
from kernelect.typing import Array

#: Iterations by which a start in the criterion's own basin is found.
_SCOUT_ITERATIONS = 12

#: Share of a time limit for tied widths: on a plateau they may take many steps that gain nothing if widths one by
#: one gain much.
_SPHERICAL_SHARE = 0.25

#: Change of a log-width by the spherical stage beyond which the data's own scale is scouted too.
_FAR = 1.0

#: How much narrower than the data's scale widths begin, in log units, and iterations that show whether it is worth it.
_NARROW, _NARROW_ITERATIONS = 1.5, 8

#: Nats per further width by which another minimum has to be lower: what fitting that many
#: parameters to noise gains on average.
_MARGIN = 0.5

#: Nats per row that the last few steps have to gain for as many more: a hundredth of the error.
_MUCH = 0.01

#: Scattered starts if rows leave in groups.
_OTHER_STARTS = 8

_MAX_REVISIONS = 10


class Stage(ABC):
    """One step of a selection."""

    @abstractmethod
    def applies(self, run: Run) -> bool:
        """Return whether there is anything to do."""

    @abstractmethod
    def carry_out(self, run: Run) -> None:
        """Do it: move the start of the next search, or the result."""


class Begun(Stage):
    """What a search on all rows begins with, if no part of them has led the way."""

    def applies(self, run: Run) -> bool:
        return not run.near

    def carry_out(self, run: Run) -> None:
        run.objective = run.objective.begun_at(run.space.start)


class Spherical(Stage):
    """Elliptical kernels are first searched with their widths tied, that is as the spherical kernel."""

    def applies(self, run: Run) -> bool:
        return not run.near and Directions.tied_widths(run.space) is not None

    def carry_out(self, run: Run) -> None:
        tied = Directions.tied_widths(run.space)
        assert tied is not None
        objective = run.alone() if _is_local(run) else run.objective
        found = run.search("spherical", tied, objective=objective, rough=True, share=_SPHERICAL_SHARE)
        run.space = run.space.moved(found.theta)


class CriterionAlone(Stage):
    """For a prior whose only minimum is local: some steps by the criterion alone, into its own basin."""

    def applies(self, run: Run) -> bool:
        return _is_local(run) and not run.near and bool(run.space.free.any()) and run.has_time()

    def carry_out(self, run: Run) -> None:
        run.space = run.space.moved(_scouted(run, run.space))


class AllParameters(Stage):
    """Every free parameter by itself, from the start and from scattered ones."""

    def applies(self, run: Run) -> bool:
        return run.result is None or run.has_time()

    def carry_out(self, run: Run) -> None:
        anything = bool(run.space.free.any())
        restarts, label = (run.options.n_restarts, "all parameters") if anything else (0, "as given")
        run.result, run.rows = run.search(label, Directions.each_free(run.space), restarts=restarts), None
        run.optima = run.result.trace.best_points()


class StillGaining(Stage):
    """After few steps on all rows: as many more, for as long as they gain much.

    A part of the rows may be too small to tell that narrow widths explain much.
    """

    def applies(self, run: Run) -> bool:
        return bool(run.space.free.any()) and run.has_time()

    def carry_out(self, run: Run) -> None:
        while run.found.status is Status.MAX_ITER and run.has_time() and self._gained(run) > _MUCH:
            run.hand_on(run.found)
            run.result = run.search("still gaining", Directions.each_free(run.space))

    @staticmethod
    def _gained(run: Run) -> float:
        """Return what the last search gained, in nats per row."""
        begun = float(run.found.trace.value[0])
        rows = abs(begun) if run.objective.prior is None else float(run.objective.weights.sum())
        return (begun - run.found.value) / max(rows, 1e-300)


class TiedParameters(Stage):
    """The widths of each kernel together, every other free parameter by itself: nothing is selected after it."""

    def applies(self, run: Run) -> bool:
        return True

    def carry_out(self, run: Run) -> None:
        tied = Directions.tied_widths(run.space) or Directions.each_free(run.space)
        run.result = run.search("spherical", tied)


class NarrowStart(Stage):
    """Evidences with several optima: a few steps from narrow widths, and on from there if they are already lower.

    From the spherical optimum no step leads to one narrow width among wide ones. From narrow widths
    those that do not matter grow wide by themselves.
    """

    def applies(self, run: Run) -> bool:
        if not run.options.thorough or run.options.n_restarts or run.near:
            return False
        return Directions.tied_widths(run.space) is not None and run.has_time()

    def carry_out(self, run: Run) -> None:
        space, result = run.objective.space, run.found
        start = space.start.copy()
        widths = space.all_widths[space.free[space.all_widths]]
        start[widths] = np.minimum(start[widths] + _NARROW, space.upper[widths])
        scouted = run.search("narrow start", Directions.each_free(space.moved(start)), max_iter=_NARROW_ITERATIONS)
        if scouted.value >= result.value or not run.has_time():
            return
        run.result = run.search("on from there", Directions.each_free(space.moved(scouted.theta)))


class OtherStarts(Stage):
    """If rows leave in groups: a few steps from scattered starts, and on from the lowest of their ends.

    There are fewer groups than rows, so that the criterion has more minima, and the widths at which rows resemble
    those of their own group are far from those that tell one group from another.
    """

    def applies(self, run: Run) -> bool:
        grouped = run.objective.criterion.groups is not None and bool(run.space.free.any())
        return grouped and not run.options.n_restarts and not run.near and run.has_time()

    def carry_out(self, run: Run) -> None:
        space, result = run.space, run.found
        directions = Directions.each_free(space)
        scouted = run.search("other starts", directions, restarts=_OTHER_STARTS, max_iter=_SCOUT_ITERATIONS)
        if not run.has_time():
            return
        other = run.search("on from there", Directions.each_free(space.moved(scouted.theta)))
        run.result = min(result, other, key=lambda found: found.value)


class SecondBasin(Stage):
    """For a prior with two basins: a lower minimum on the way to the criterion's own optimum.

    A few steps by the criterion alone lead there; searched is only where the way has a point
    that is already lower, by the margin, than the minimum found from the start.
    """

    def applies(self, run: Run) -> bool:
        prior = run.objective.prior
        two = prior is not None and prior.two_basins and Directions.tied_widths(run.space) is not None
        return two and not run.near and run.has_time()

    def carry_out(self, run: Run) -> None:
        space, result = run.space, run.found
        enough = result.value - _MARGIN * _further_widths(space)
        best = self._lowest(run, space)
        if best is None or best[0] >= enough or not run.has_time():
            return
        other = run.search("second basin", Directions.each_free(space.moved(best[1])))
        run.result = other if other.value < enough else result

    def _lowest(self, run: Run, space: ParameterSpace) -> tuple[float, Array] | None:
        """Return value and place of the lowest point on the ways, as far as time allows."""
        points = [point for start in self._starts(run, space) if run.has_time() for point in self._way(run, start)]
        valued = [(run.objective.value(point), point) for point in points if run.has_time()]
        return min(valued, key=lambda pair: pair[0]) if valued else None

    @staticmethod
    def _starts(run: Run, space: ParameterSpace) -> list[ParameterSpace]:
        """Return the spherical optimum, and the data's scale if that is far from it.

        A spherical kernel with many irrelevant inputs may be best when almost linear; from there no
        step tells that two inputs with narrow widths explain everything.
        """
        begun = run.objective.space
        widths = space.all_widths[space.free[space.all_widths]]
        far = np.abs(space.start[widths] - begun.start[widths]).max() > _FAR
        return [space, begun] if far else [space]

    @staticmethod
    def _way(run: Run, space: ParameterSpace) -> tuple[Array, Array]:
        """Return the middle of the way that some steps by the criterion alone go, and its end."""
        far = _scouted(run, space)
        halfway = space.start.copy()  # entries at -inf stay there
        halfway[space.free] = 0.5 * (space.start + far)[space.free]
        return halfway, far


class PriorRevised(Stage):
    """As long as the prior revises itself (pruned inputs, well-determined widths), once more."""

    def applies(self, run: Run) -> bool:
        return run.objective.prior is not None and run.objective.prior.revises

    def carry_out(self, run: Run) -> None:
        for _ in range(_MAX_REVISIONS):
            if not run.found.status.trustworthy or not run.has_time() or not self._revised(run):
                return
        run.result = replace(run.found, status=Status.MAX_ITER)  # the prior did not settle

    @staticmethod
    def _revised(run: Run) -> bool:
        """Search again under the revised prior; return whether there was one."""
        objective, theta = run.objective, run.found.theta
        assert objective.prior is not None
        slope = objective.misfit_slope(theta)
        revision = objective.prior.revise(objective.criterion_alone, slope, theta, objective.space.moved(theta))
        if revision is None:
            return False
        run.objective = replace(objective, prior=revision.prior)
        # A width that comes back is free again: freedom follows from the original space.
        space = objective.space.moved(revision.theta)
        run.result = run.search("prior revised", Directions.each_free(space))
        return True


def _is_local(run: Run) -> bool:
    return run.objective.prior is not None and run.objective.prior.local


def _scouted(run: Run, space: ParameterSpace) -> Array:
    """Return where some steps by the criterion alone lead: into its own basin, if it has one."""
    directions = Directions.each_free(space)
    return run.search("criterion alone", directions, objective=run.alone(), max_iter=_SCOUT_ITERATIONS).theta


def _further_widths(space: ParameterSpace) -> int:
    """Return the free widths beyond one of each kernel."""
    return sum(max(int(space.free[group].sum()) - 1, 0) for group in space.widths)
