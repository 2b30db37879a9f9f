"""The fitted, scikit-learn face of the library."""

from kernelect.estimators.lssvm import LSSVC, LSSVR

__all__ = ["LSSVC", "LSSVR"]
