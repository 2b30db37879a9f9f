"""A selection that starts where another one on the same rows ended.

Which inputs matter is much the same for every kernel and machine. Given the relative widths that
one selection found, another need not explore: it sets their common size, then takes a few steps.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kernelect.parameters import ParameterSpace
from kernelect.results import Reached
from kernelect.selection.objective import SelectionObjective
from kernelect.typing import Array


@dataclass(frozen=True, kw_only=True)
class Lead:
    """What an earlier selection found.

    Attributes
    ----------
    shape : ndarray of shape (n_widths,)
        Logarithms of the widths in units of the data's own scale, with mean 0; empty if nothing is known of them, so
        that the selection goes the whole way.
    max_iter : int
        Iterations of the searches that continue from there.
    tied : bool
        Whether the widths of each kernel keep their proportions, so that only their size is selected.
    last_steps : int
        Iterations on all rows, after a search on a part of them came close.
    start : Reached or None
        Where the same selection ended on a part of the rows: only the last steps are left.
    """

    shape: Array
    max_iter: int
    tied: bool = False
    last_steps: int = 3
    start: Reached | None = None

    @property
    def whole_way(self) -> bool:
        """Whether it leads nowhere and only limits the steps on all rows."""
        return not len(self.shape) and self.start is None

    def followed(self, objective: SelectionObjective) -> SelectionObjective:
        """Return the objective with its start moved to the shape, or unchanged if it has other widths."""
        space = objective.space
        if self.start is not None:
            theta = self.start.theta
            known = space.free & np.isfinite(theta)  # an input that is constant on the part has no width there
            moved = np.clip(theta, space.lower, space.upper)
            return replace(objective, space=space.moved(np.where(known, moved, space.start)))
        widths = space.all_widths
        if len(widths) != len(self.shape):
            return objective
        start = space.start.copy()
        moved = np.clip(start[widths] + self.shape, space.lower[widths], space.upper[widths])
        start[widths] = np.where(space.free[widths], moved, start[widths])
        return replace(objective, space=space.moved(start))


def relative_widths(space: ParameterSpace, theta: Array) -> Array:
    """Return the logarithms of all widths in units of the data's own scale, with mean 0.

    Parameters
    ----------
    space : ParameterSpace
        The space of the kernel, whose start is the data's scale.
    theta : ndarray
        The selected parameters; entries after those of the kernel are ignored.
    """
    start, found = space.start[space.all_widths], theta[space.all_widths]
    on = np.isfinite(start) & np.isfinite(found)  # the width of a constant input is 0
    relative = np.subtract(found, start, out=np.zeros(len(start)), where=on)
    relative[on] -= relative[on].mean() if on.any() else 0.0
    return relative
