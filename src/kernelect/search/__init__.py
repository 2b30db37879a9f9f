"""Searches: they move theta, knowing nothing of kernels or machines."""

from kernelect.lazy import offered

__getattr__, __all__ = offered(__name__)
