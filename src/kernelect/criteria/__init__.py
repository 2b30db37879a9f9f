"""Criteria: what a fitted machine is worth, with the derivative in its Gram matrix."""

from kernelect.lazy import offered

__getattr__, __all__ = offered(__name__)
