"""Machines: solvers at fixed hyper-parameters, on Gram matrices."""

from kernelect.lazy import offered

__getattr__, __all__ = offered(__name__)
