"""How many rows a search uses: all of them, or growing parts of many, and the stages it then goes through.

A step on all n rows costs n^3, and a search takes some fifty of them. On a quarter of the rows a
step costs a sixty-fourth, and the optimum there is close to that of all rows: the main change with
more rows is how much of the data's detail the widths and the ridge may follow. Twice as many rows
correct that, then twice as many again, until a few steps on all rows are left.

A scan without gradient tries about twenty widths, and each means training a machine, or five. The width that suits a
part of the rows is within a step or two of the one that suits all, unless the part is too small to tell anything.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from kernelect.machines import Machine
from kernelect.results import Selection
from kernelect.search import Directions
from kernelect.selection.lead import Lead
from kernelect.selection.objective import SelectionObjective
from kernelect.selection.run import Run, SelectionOptions, carried_out
from kernelect.selection.shape import AskedShape, LeastSquaresShape
from kernelect.selection.stages import (
    AllParameters,
    Begun,
    CriterionAlone,
    NarrowStart,
    OtherStarts,
    PriorRevised,
    SecondBasin,
    Spherical,
    Stage,
    StillGaining,
    TiedParameters,
)

#: Rows from which a machine that scans widths begins on a part of them.
MANY_ROWS = 900

#: Share of the rows that the part is, the fewest and the most.
_SHARE, _LEAST, _MOST = 0.25, 600, 1000

#: Evaluations on all rows for which there has to be time.
_FEW = 3.0


#: Log units from the data's own scale beyond which a width says that a part of the rows has found no shape in them: an
#: almost linear function, or none. All rows may tell more.
_FAR = 4.0


class ScannedPart(Stage):
    """Scans on a part of the rows, then steps around their end on all rows.

    Parameters
    ----------
    whole_way : tuple of Stage
        What is done on the part.
    """

    def __init__(self, whole_way: tuple[Stage, ...]) -> None:
        self.whole_way = whole_way

    def applies(self, run: Run) -> bool:
        """Return whether many rows are to be scanned, and from one start: restarts compare optima of all rows."""
        if run.options.n_restarts or len(run.objective.X) < MANY_ROWS:
            return False
        return run.options.search.scans(len(Directions.each_free(run.space)))

    def carry_out(self, run: Run) -> None:
        n = len(run.objective.X)
        size = run.rows_in_time(min(max(_SHARE * n, _LEAST), _MOST))
        part = run.on_part(int(size))
        for stage in self.whole_way:
            if stage.applies(part):
                stage.carry_out(part)
        if run.has_time() and self._is_far(run, part):
            return
        left = run.deadline.left()
        part.cut_short |= bool(np.isfinite(left) and _FEW * run.seconds(n) > left)
        run.go_on_from(part)
        run.search_nearby()
        tied = Directions.tied_widths(run.space)
        if tied is not None and run.has_time():
            run.space = run.space.moved(run.search("widths together", tied).theta)

    @staticmethod
    def _is_far(run: Run, part: Run) -> bool:
        """Return whether the part has led every width far away from the data's scale."""
        widths = run.space.all_widths[run.space.free[run.space.all_widths]]
        moves = np.abs(part.found.theta[widths] - run.space.start[widths])
        return len(widths) > 0 and bool(moves.min() > _FAR)


#: Rows from which a search begins on a part of them, and the smallest part.
FROM, LEAST = 900, 400

#: The same if a prior draws the widths together, so that few rows lead to the same place, or another selection leads
#: the way. Without either, a criterion on few rows over-fits and ends elsewhere.
GUIDED_FROM, GUIDED_LEAST = 290, 200

#: Rows of a part for each parameter that has to be found. With 60 inputs 400 rows led to widths that were all alike,
#: and an error of 5.7 % became 9.
_PER_PARAMETER = 12

#: Share of the rows that the first part is, and how much larger the next one is.
_FIRST, _GROWTH = 0.25, 2.0

#: Largest share of all rows that a part of them is worth a search.
_LARGEST = 0.7


#: Stages on the first part, and on those after it.
_WHOLE_WAY: tuple[Stage, ...] = (Spherical(), CriterionAlone(), AllParameters(), OtherStarts(), SecondBasin())
_ONWARDS: tuple[Stage, ...] = (AllParameters(),)


class Parts(Stage):
    """Searches on growing parts of the rows, which move the start of the search on all rows.

    Parameters
    ----------
    whole_way : tuple of Stage
        What is done on the first part.
    onwards : tuple of Stage
        What is done on those after it.
    led : bool
        Whether another selection leads the way, so that parts may be smaller.
    """

    #: Whether criteria jump, so that few tries tell whether a step finds anything.
    jumps: ClassVar[bool] = False

    def __init__(
        self,
        whole_way: tuple[Stage, ...] = _WHOLE_WAY,
        onwards: tuple[Stage, ...] = _ONWARDS,
        *,
        led: bool = False,
    ) -> None:
        self.whole_way, self.onwards, self.led = whole_way, onwards, led

    def applies(self, run: Run) -> bool:
        """Return whether there are many rows and a gradient to go on by.

        Restarts compare optima of one and the same objective, and a scan without gradient would
        have to be made again on all rows.
        """
        if run.near or run.options.n_restarts or self._first_size(run) >= len(run.objective.X):
            return False
        return run.options.search.uses_gradient(len(Directions.each_free(run.space)))

    def carry_out(self, run: Run) -> None:
        n, stages, size = len(run.objective.X), self.whole_way, self._first_size(run)
        while size < _LARGEST * n and run.has_time():
            part = run.on_part(int(size))
            for stage in stages:
                if stage.applies(part):
                    stage.carry_out(part)
            stages, size = self.onwards, _GROWTH * size
            left = run.deadline.left()
            part.cut_short |= bool(np.isfinite(left) and _FEW * run.seconds(min(size, n)) > left)
            run.go_on_from(part)
            run.ask_less_after(part, jumps=self.jumps)

    def _first_size(self, run: Run) -> float:
        """Return how many rows the first part has, all of them if none is needed."""
        n = len(run.objective.X)
        prior = run.objective.prior
        groups = run.objective.criterion.groups
        few = groups is not None and len(groups) < GUIDED_FROM  # a part of them is another problem
        guided = self.led or (prior is not None and prior.two_basins and not few)
        begins, least = (GUIDED_FROM, GUIDED_LEAST) if guided else (FROM, LEAST)
        if n >= begins and not self.led:
            least = max(least, _PER_PARAMETER * len(Directions.each_free(run.space)))
        usual = float(max(_FIRST * n, least)) if n >= begins else float(n)
        return min(run.rows_in_time(usual), n)


class AskedParts(Parts):
    """The same for a machine that scans widths: a least-squares machine tells which inputs matter.

    Its criterion jumps when functions come and go, and a search for one width per input takes hundreds of
    evaluations from widths that are all alike, few from there.
    """

    jumps = True

    def applies(self, run: Run) -> bool:
        if not run.objective.kernel.compares_rows or run.objective.pairwise or len(run.objective.X) < MANY_ROWS:
            return False
        return Directions.tied_widths(run.space) is not None and super().applies(run)


#: In the order in which they are carried out.
STAGES: tuple[Stage, ...] = (
    Parts(),
    Begun(),
    Spherical(),
    CriterionAlone(),
    AllParameters(),
    OtherStarts(),
    NarrowStart(),
    SecondBasin(),
    PriorRevised(),
)

#: The same for a machine that scans widths.
_SHAPE = LeastSquaresShape(STAGES)
SCANNING_STAGES: tuple[Stage, ...] = (
    ScannedPart((Spherical(), AllParameters(), _SHAPE)),
    AskedParts((AskedShape(STAGES), Spherical(), AllParameters())),
    *STAGES[:-1],
    _SHAPE,
    PriorRevised(),
)

#: The same if another selection leads the way.
LED_STAGES: tuple[Stage, ...] = (
    Parts((Spherical(), AllParameters()), led=True),
    Spherical(),
    AllParameters(),
    PriorRevised(),
)

#: The same if widths keep their proportions.
_TIED: tuple[Stage, ...] = (TiedParameters(),)
TIED_STAGES: tuple[Stage, ...] = (Parts(_TIED, _TIED, led=True), *_TIED)


def stages_of(machine: Machine[Any], lead: Lead | None) -> tuple[Stage, ...]:
    """Return the stages of a selection; those that are left if another selection leads."""
    if lead is None or lead.whole_way:
        return SCANNING_STAGES if machine.scans_widths else STAGES
    if lead.start is not None:
        return _TIED if lead.tied else (AllParameters(), StillGaining(), PriorRevised())
    return TIED_STAGES if lead.tied else LED_STAGES


def select(
    objective: SelectionObjective, options: SelectionOptions, lead: Lead | None = None
) -> tuple[Selection, SelectionObjective]:
    """Return the selection, and the objective with the prior at its final state.

    If anything is searched, it raises when the search needs a gradient and the criterion has none.

    Parameters
    ----------
    objective : SelectionObjective
    options : SelectionOptions
    lead : Lead, optional
        What another selection on the same rows found, which shortens the search.
    """
    stages = stages_of(objective.machine, lead)
    return carried_out(stages, objective if lead is None else lead.followed(objective), options, lead)
