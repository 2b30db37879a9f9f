"""Selection: kernel, machine, criterion and prior joined, and moved by a search."""

from kernelect.selection.landscape import Influence, influence, surface
from kernelect.selection.objective import SelectionObjective
from kernelect.selection.polish import polish, polished
from kernelect.selection.relevance import CentreObjective, RelevanceObjective
from kernelect.selection.select import SelectionOptions, select

__all__ = [
    "CentreObjective",
    "Influence",
    "RelevanceObjective",
    "SelectionObjective",
    "SelectionOptions",
    "influence",
    "polish",
    "polished",
    "select",
    "surface",
]
