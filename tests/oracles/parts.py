"""Rows in parts of this process: what a cluster does, without one."""

from kernelect.selection.landmarks import RowParts


class ListedParts(RowParts):
    """Parts in a list."""

    def __init__(self, parts, template=None):
        self.parts, self.template = parts, template

    def each(self, function):
        return [function(part) for part in self.parts]

    def sum(self, function):
        found = [each for each in self.each(function) if each is not None]
        total = found[0]
        for each in found[1:]:
            total = total + each
        return total
