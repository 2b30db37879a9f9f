"""Selection: kernel, machine, criterion and prior joined, and moved by a search."""

from kernelect.selection.centres import CentreObjective
from kernelect.selection.objective import SelectionObjective
from kernelect.selection.select import SelectionOptions, select

__all__ = ["CentreObjective", "SelectionObjective", "SelectionOptions", "select"]
