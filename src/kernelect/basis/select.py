"""From moments to the chosen subset, whatever stops the search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kernelect.basis.holdout import Holdout
from kernelect.basis.moments import Moments
from kernelect.basis.results import SearchTrace, SubsetModel
from kernelect.basis.strategies import Strategy
from kernelect.basis.walk import Walk, WalkOptions
from kernelect.results import Status
from kernelect.search.base import StopSearch


@dataclass(frozen=True)
class SearchOutcome:
    """Where a search over subsets ended."""

    chosen: SubsetModel
    status: Status
    trace: SearchTrace
    best_per_size: tuple[SubsetModel, ...]


def search_subset(
    moments: Moments, strategy: Strategy, options: WalkOptions | None = None, holdout: Holdout | None = None
) -> SearchOutcome:
    """Search for a subset; a time limit or Ctrl-C ends in the best subset so far.

    Parameters
    ----------
    moments : Moments
    strategy : Strategy
    options : WalkOptions, optional
    holdout : Holdout, optional
        For strategies that ask for one (``strategy.holdout_share``).
    """
    walk = Walk(moments, options, holdout)
    try:
        chosen, status = strategy.run(walk), Status.CONVERGED
    except StopSearch as stop:
        chosen, status = walk.best, stop.status
    except KeyboardInterrupt:
        if not walk.steps:
            raise
        chosen, status = walk.best, Status.INTERRUPTED
    table = tuple(walk.best_of_size[size] for size in sorted(walk.best_of_size))
    return SearchOutcome(chosen, status, SearchTrace.of(walk.steps), table)


def search_sentence(status: Status, outcome: SearchOutcome, moments: Moments, doubts: Sequence[str]) -> str:
    """Return how the search ended, what was left out and what to doubt."""
    parts = [status.value]
    if not len(outcome.chosen):
        parts.append("no function has more evidence than the null model, which predicts the mean")
    dropped = [f"{moments.n_null} null" if moments.n_null else "", f"{moments.n_duplicate} duplicate"]
    dropped = [words for words in dropped if words and not words.startswith("0 ")]
    if dropped:
        parts.append(f"left out of the dictionary: {' and '.join(dropped)} columns")
    return "; ".join([*parts, *doubts])
