"""Pictures: each holds a record of numbers and draws it on given axes.

A picture of a fitted model holds a record of :mod:`kernelect.facts`, where its numbers are computed. A picture that
compares methods holds the numbers it is given.
"""

from kernelect.plots.calibration import CalibrationDisplay
from kernelect.plots.confusion import ConfusionDisplay
from kernelect.plots.curves import CurveDisplay, LearningCurveDisplay, RecallsDisplay, ResidualTrendDisplay
from kernelect.plots.dependence import DependenceDisplay
from kernelect.plots.evolution import EvolutionDisplay
from kernelect.plots.explanations import BeeswarmDisplay, ShapleyDependenceDisplay, WaterfallDisplay
from kernelect.plots.held_out import HeldOutDisplay
from kernelect.plots.histogram import ErrorHistogramDisplay
from kernelect.plots.interactions import InteractionsDisplay
from kernelect.plots.paired import PairedScatterDisplay
from kernelect.plots.ranks import CriticalDifferenceDisplay
from kernelect.plots.relevance import RelevanceDisplay
from kernelect.plots.residuals import ResidualsDisplay
from kernelect.plots.sizes import SizesDisplay
from kernelect.plots.surface import SurfaceDisplay
from kernelect.plots.trace import TraceDisplay
from kernelect.plots.vectors import SizeCurveDisplay
from kernelect.plots.weights import WeightsDisplay
from kernelect.plots.widths import CriteriaCurveDisplay

__all__ = [
    "BeeswarmDisplay",
    "CalibrationDisplay",
    "ConfusionDisplay",
    "CriteriaCurveDisplay",
    "CriticalDifferenceDisplay",
    "CurveDisplay",
    "DependenceDisplay",
    "ErrorHistogramDisplay",
    "EvolutionDisplay",
    "HeldOutDisplay",
    "InteractionsDisplay",
    "LearningCurveDisplay",
    "PairedScatterDisplay",
    "RecallsDisplay",
    "RelevanceDisplay",
    "ResidualTrendDisplay",
    "ResidualsDisplay",
    "ShapleyDependenceDisplay",
    "SizeCurveDisplay",
    "SizesDisplay",
    "SurfaceDisplay",
    "TraceDisplay",
    "WaterfallDisplay",
    "WeightsDisplay",
]
