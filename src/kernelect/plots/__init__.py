"""Pictures: a record of numbers first, then a drawing of it on given axes."""

from kernelect.plots.calibration import CalibrationDisplay
from kernelect.plots.confusion import ConfusionDisplay
from kernelect.plots.dependence import DependenceDisplay
from kernelect.plots.evolution import EvolutionDisplay
from kernelect.plots.relevance import RelevanceDisplay
from kernelect.plots.residuals import ResidualsDisplay
from kernelect.plots.sizes import SizesDisplay
from kernelect.plots.surface import SurfaceDisplay
from kernelect.plots.trace import TraceDisplay

__all__ = [
    "CalibrationDisplay",
    "ConfusionDisplay",
    "DependenceDisplay",
    "EvolutionDisplay",
    "RelevanceDisplay",
    "ResidualsDisplay",
    "SizesDisplay",
    "SurfaceDisplay",
    "TraceDisplay",
]
