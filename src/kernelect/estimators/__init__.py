"""The fitted, scikit-learn face of the library."""

from kernelect.estimators.gpc import GPC
from kernelect.estimators.lssvm import LSSVC, LSSVR

__all__ = ["GPC", "LSSVC", "LSSVR"]
