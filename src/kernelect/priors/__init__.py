"""Priors over hyper-parameters, as wrappers around any criterion."""

from kernelect.lazy import offered

__getattr__, __all__ = offered(__name__)
