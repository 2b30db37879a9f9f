"""Pictures: a record of numbers first, then a drawing of it on given axes."""

from kernelect.plots.evolution import EvolutionDisplay
from kernelect.plots.histogram import ErrorHistogramDisplay
from kernelect.plots.paired import PairedScatterDisplay
from kernelect.plots.ranks import CriticalDifferenceDisplay
from kernelect.plots.relevance import RelevanceDisplay
from kernelect.plots.sizes import SizesDisplay
from kernelect.plots.trace import TraceDisplay

__all__ = [
    "CriticalDifferenceDisplay",
    "ErrorHistogramDisplay",
    "EvolutionDisplay",
    "PairedScatterDisplay",
    "RelevanceDisplay",
    "SizesDisplay",
    "TraceDisplay",
]
