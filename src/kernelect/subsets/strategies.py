"""Search strategies from feature selection, made of two moves; each returns the subset it settles on.

References
----------
I. Barrio, E. Romero, L. Belanche. Search strategies guided by the evidence for the selection
of basis functions in regression.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import ClassVar

from kernelect.dictionaries.base import check_count
from kernelect.exceptions import InvalidArgument
from kernelect.subsets.results import SubsetModel
from kernelect.subsets.walk import GAIN, Walk


class Strategy(ABC):
    """Decides which move comes next."""

    @property
    def holdout_share(self) -> float:
        """Share of the rows that the strategy needs held out."""
        return 0.0

    #: Whether the chosen functions are fitted by least squares instead of with the best lambda.
    least_squares: ClassVar[bool] = False

    @abstractmethod
    def run(self, walk: Walk) -> SubsetModel:
        """Walk until done and return the subset to keep."""


@dataclass(frozen=True)
class PTA(Strategy):
    """Plus l, take away r: add l functions, remove r, and so on (Kittler 1986).

    ``PTA(1, 0)`` is forward selection, ``PTA(0, 1)`` backward elimination.

    Parameters
    ----------
    l, r : int
        With l > r the model grows from nothing; with l < r it shrinks from all functions, which takes memory and time
        for a model of all of them.
    """

    l: int = 2  # noqa: E741, the paper's letter
    r: int = 1

    def __post_init__(self) -> None:
        if check_count("r", self.r, 0) == check_count("l", self.l, 0):
            raise InvalidArgument(
                f"PTA(l={self.l}, r={self.r}) never grows or shrinks: give l larger than r, such as PTA(2, 1), or "
                "smaller, such as PTA(1, 2)."
            )

    def run(self, walk: Walk) -> SubsetModel:
        return self._grow(walk) if self.l > self.r else self._shrink(walk)

    def _grow(self, walk: Walk) -> SubsetModel:
        while not walk.beyond(len(walk.best)):
            added = sum(walk.add_best() for _ in range(self.l))
            if added < self.l:  # nothing left to add
                break
            for _ in range(self.r):
                walk.remove_worst()
        return walk.best

    def _shrink(self, walk: Walk) -> SubsetModel:
        walk.go_to_all()
        while not walk.short_of(len(walk.best)) or len(walk) > walk.max_size:
            for _ in range(self.l):
                walk.add_best()
            removed = sum(walk.remove_worst() for _ in range(self.r))
            if removed < self.r:  # nothing left to remove
                break
        return walk.best


@dataclass(frozen=True)
class SFFS(Strategy):
    """Sequential forward floating selection (Pudil et al. 1994): the smallest models.

    After every addition it removes functions one at a time, as long as the remaining subset is
    better than the best of its size so far. Each subset is valued once, at its best lambda, so no
    subset can beat itself by better convergence; that would nearly double the steps.
    """

    def run(self, walk: Walk) -> SubsetModel:
        while not walk.beyond(len(walk.best)) and walk.add_best():
            while (position := self._better_without(walk)) is not None:
                walk.remove(position)
        return walk.best

    @staticmethod
    def _better_without(walk: Walk) -> int | None:
        position = walk.worst()
        if position is None:
            return None
        known = walk.best_of_size.get(len(walk) - 1)
        better = known is None or -walk.without(position).value < known.value - GAIN
        return position if better else None


@dataclass(frozen=True)
class Oscillating(Strategy):
    """Swings around the size that forward selection found (Somol & Pudil 2000).

    A swing of depth s adds s functions, removes 2 s and adds s. If the subset is then better than
    the best of its size, s goes back to 1; otherwise the walk returns to that best and s grows. The
    largest depth tried is c. The result has as many functions as the start.

    Parameters
    ----------
    c : int, default=5
    start : Strategy, default=PTA(1, 0)
    """

    c: int = 5
    start: Strategy = field(default_factory=lambda: PTA(1, 0))

    def __post_init__(self) -> None:
        check_count("c", self.c, 1)

    def run(self, walk: Walk) -> SubsetModel:
        best = self.start.run(walk)
        depth = 1
        while depth <= self.c and len(best):
            walk.go_to(best)
            self._swing(walk, depth, len(best))
            found = walk.best_of_size[len(best)]
            depth = 1 if found.value < best.value - GAIN else depth + 1
            best = min(found, best, key=lambda model: model.value)
        return best

    @staticmethod
    def _swing(walk: Walk, depth: int, size: int) -> None:
        for _ in range(depth):
            walk.add_best()
        while len(walk) > max(size - depth, 1):
            walk.remove_worst()
        while len(walk) < size and walk.add_best():
            pass


@dataclass(frozen=True)
class ABF(Strategy):
    """All basis functions of the dictionary, without a search; lambda by the evidence."""

    def run(self, walk: Walk) -> SubsetModel:
        walk.go_to_all()
        return walk.best_of_size[len(walk)]
