"""Many rows and a scan without gradient: the scan runs on a part of the rows, and only its last steps on all.

A scan tries about twenty widths, and each means training a machine, or five. The width that suits a part of the rows
is within a step or two of the one that suits all, unless the part is too small to tell anything.
"""

from __future__ import annotations

import numpy as np

from kernelect.search import Directions
from kernelect.selection.run import Run
from kernelect.selection.stages import Stage

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
        search, free = run.options.search, Directions.each_free(run.space)
        scanned = run.objective.machine.scans_widths and search.scans(len(free))
        return scanned and not run.options.n_restarts and len(run.objective.X) >= MANY_ROWS

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
