"""Searches: they move theta, knowing nothing of kernels or machines."""

from kernelect.exceptions import unknown_name
from kernelect.search.ascent import GradientAscent
from kernelect.search.base import Budget, Search
from kernelect.search.gradient import LBFGS, ScaledConjugateGradients
from kernelect.search.random_walk import RandomWalk
from kernelect.search.restarts import Restarts, scattered_starts
from kernelect.search.scan import Scan, Stay
from kernelect.search.simplex import NelderMead

__all__ = [
    "LBFGS",
    "SEARCH_NAMES",
    "Budget",
    "GradientAscent",
    "NelderMead",
    "RandomWalk",
    "Restarts",
    "ScaledConjugateGradients",
    "Scan",
    "Search",
    "Stay",
    "as_search",
    "scattered_starts",
]

_NAMED: dict[str, type[Search]] = {
    search.name: search for search in (LBFGS, ScaledConjugateGradients, NelderMead, RandomWalk, GradientAscent, Scan)
}

SEARCH_NAMES = tuple(_NAMED)


def as_search(search: object) -> Search:
    """Return ``search`` as a :class:`Search`: by name or as it is."""
    if isinstance(search, Search):
        return search
    if not isinstance(search, str) or search not in _NAMED:
        raise unknown_name("search", search, list(SEARCH_NAMES))
    return _NAMED[search]()
