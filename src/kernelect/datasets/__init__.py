"""Data in: generators of the papers' artificial problems, and data sets by name."""

from kernelect.lazy import offered

__getattr__, __all__ = offered(__name__)
