"""Experiments: data sets x splits x methods. They run anywhere, are stored in one file and shown as tables."""

from kernelect.lazy import offered

__getattr__, __all__ = offered(__name__)
