"""Subsets of a dictionary: their evidence, and the search for the best subset.

>>> from kernelect.subsets import PTA
>>> PTA(1, 0)
PTA(l=1, r=0)
"""

from kernelect.lazy import offered

__getattr__, __all__ = offered(__name__)
