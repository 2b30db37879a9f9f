"""Dictionaries: families of candidate functions. A search or a relevance vector machine chooses among them.

>>> from kernelect.dictionaries import KernelFunctions, LinearTerms
>>> dictionary = LinearTerms() + KernelFunctions("ard")
"""

from kernelect.lazy import offered

__getattr__, __all__ = offered(__name__)
