"""Cholesky factors with one jitter policy, symmetric products, blocks, memory and the deadline of a fit."""

from kernelect.lazy import offered

__getattr__, __all__ = offered(__name__)
