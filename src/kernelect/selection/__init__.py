"""Selection: kernel, machine, criterion and prior joined, and moved by a search."""

from kernelect.selection.objective import SelectionObjective
from kernelect.selection.polish import polish, polished
from kernelect.selection.select import SelectionOptions, select

__all__ = ["SelectionObjective", "SelectionOptions", "polish", "polished", "select"]
