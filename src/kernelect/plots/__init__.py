"""Pictures: each holds a record of numbers and draws it on given axes.

A picture of a fitted model holds a record of :mod:`kernelect.facts`, where its numbers are computed. A picture that
compares methods holds the numbers it is given.
"""

from kernelect.lazy import offered

__getattr__, __all__ = offered(__name__)
