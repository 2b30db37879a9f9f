"""The meaning of ``search="auto"``, and how searches are adapted to the machine."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from kernelect.criteria import Criterion
from kernelect.machines import Machine
from kernelect.search import LBFGS, GradientAscent, RandomWalk, Scan, Search, Stay
from kernelect.selection.objective import SelectionObjective
from kernelect.selection.run import SelectionOptions
from kernelect.selection.start import settle_widths


def suited_search(machine: type[Machine[Any]], criterion: Criterion) -> Search:
    """Return the search that suits the criterion of a machine."""
    if machine.scans_widths:
        # Only the machine's own evidence is smooth enough to tell closer widths apart: errors on rows held out are
        # rough, and another set of functions has its centres elsewhere.
        finest = 0.25 if criterion.is_evidence else 0.5
        return Scan(then=LBFGS() if criterion.has_gradient else Stay(), finest=finest)
    if criterion.sampled:
        return GradientAscent()
    return LBFGS() if criterion.has_gradient else RandomWalk()


def with_first_step(options: SelectionOptions, objective: SelectionObjective) -> SelectionOptions:
    """Return the options; with a latent function, the first step of L-BFGS does not depend on the criterion's unit."""
    step = objective.machine.first_step
    return options if step is None else replace(options, search=options.search.with_first_step(step))


def with_settled_starts(options: SelectionOptions, objective: SelectionObjective) -> SelectionOptions:
    """Return the options, with scattered starts kept away from plateaus."""
    return replace(options, settle=lambda theta: settle_widths(objective.X, objective.space, theta))
