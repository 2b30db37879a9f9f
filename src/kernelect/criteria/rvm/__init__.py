"""Criteria of relevance vector machines."""

from kernelect.lazy import offered

__getattr__, __all__ = offered(__name__)
