"""The searches by name."""

from __future__ import annotations

from kernelect.registry import Registry
from kernelect.search.ascent import GradientAscent
from kernelect.search.base import Search
from kernelect.search.gradient import LBFGS, ScaledConjugateGradients
from kernelect.search.random_walk import RandomWalk
from kernelect.search.scan import Scan
from kernelect.search.simplex import NelderMead

SEARCHES: Registry[Search] = Registry("search", Search)  # type: ignore[type-abstract]

for _cls in (LBFGS, ScaledConjugateGradients, NelderMead, RandomWalk, GradientAscent, Scan):
    SEARCHES.register(_cls, _cls.name)


def as_search(search: object) -> Search:
    """Return ``search`` as a :class:`Search`: by name or as it is."""
    return SEARCHES.resolve(search)
