"""Searches: they move theta, knowing nothing of kernels or machines."""

from kernelect.search.ascent import GradientAscent
from kernelect.search.base import Budget, Search
from kernelect.search.directions import Directions, search_along
from kernelect.search.gradient import LBFGS, ScaledConjugateGradients
from kernelect.search.random_walk import RandomWalk
from kernelect.search.registry import SEARCHES
from kernelect.search.restarts import Restarts, scattered_starts
from kernelect.search.scan import Scan, Stay
from kernelect.search.simplex import NelderMead

__all__ = [
    "LBFGS",
    "SEARCHES",
    "SEARCH_NAMES",
    "Budget",
    "Directions",
    "GradientAscent",
    "NelderMead",
    "RandomWalk",
    "Restarts",
    "ScaledConjugateGradients",
    "Scan",
    "Search",
    "Stay",
    "as_search",
    "register",
    "scattered_starts",
    "search_along",
]

SEARCH_NAMES = SEARCHES.names

register = SEARCHES.register


def as_search(search: object) -> Search:
    """Return ``search`` as a :class:`Search`: by name or as it is."""
    return SEARCHES.resolve(search)
