"""The relevance vector machine: sparse Bayesian learning on a design matrix.

Import the machine's interface from here; its modules are internal.
"""

from kernelect.lazy import offered

__getattr__, __all__ = offered(__name__)
