"""Kernels: Gram matrices, and the pullback of weights on them to their parameters.

>>> from kernelect.kernels import ARD, Constant
>>> 2.0 * ARD(gamma=[0.1, 0.5]) + Constant("auto")
Constant(constant=2.0) * ARD(gamma=array([0.1, 0.5])) + Constant(constant='auto')
"""

from kernelect.lazy import offered

__getattr__, __all__ = offered(__name__)
