"""Chooses a subset from the moments, also when time runs out."""

from __future__ import annotations

from dataclasses import dataclass

from kernelect.exceptions import OutOfTime
from kernelect.results import Status
from kernelect.subsets.holdout import Holdout
from kernelect.subsets.moments import SubsetMoments
from kernelect.subsets.results import SearchTrace, SubsetModel
from kernelect.subsets.strategies import Strategy
from kernelect.subsets.walk import Walk, WalkOptions


@dataclass(frozen=True)
class SearchOutcome:
    """Where a search over subsets ended."""

    chosen: SubsetModel
    status: Status
    trace: SearchTrace
    best_per_size: tuple[SubsetModel, ...]


def search_subset(
    moments: SubsetMoments, strategy: Strategy, options: WalkOptions | None = None, holdout: Holdout | None = None
) -> SearchOutcome:
    """Search for a subset; at a time limit return the best subset so far.

    Parameters
    ----------
    moments : SubsetMoments
    strategy : Strategy
    options : WalkOptions, optional
    holdout : Holdout, optional
        For strategies that need one (``strategy.holdout_share``).
    """
    walk = Walk(moments, options, holdout)
    try:
        chosen, status = strategy.run(walk), Status.CONVERGED
    except OutOfTime:
        chosen, status = walk.best, Status.TIME_LIMIT
    table = tuple(walk.best_of_size[size] for size in sorted(walk.best_of_size))
    return SearchOutcome(chosen, status, SearchTrace.of(walk.steps), table)
