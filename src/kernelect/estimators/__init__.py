"""The fitted, scikit-learn face of the library."""

from kernelect.lazy import offered

__getattr__, __all__ = offered(__name__)
