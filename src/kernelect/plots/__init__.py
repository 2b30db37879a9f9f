"""Pictures: a record of numbers first, then a drawing of it on given axes."""

from kernelect.plots.evolution import EvolutionDisplay
from kernelect.plots.relevance import RelevanceDisplay
from kernelect.plots.sizes import SizesDisplay
from kernelect.plots.trace import TraceDisplay

__all__ = ["EvolutionDisplay", "RelevanceDisplay", "SizesDisplay", "TraceDisplay"]
