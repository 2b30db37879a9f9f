"""The fitted, scikit-learn face of the library."""

from kernelect.estimators.basis import BasisSearchRegressor
from kernelect.estimators.lssvm import LSSVC, LSSVR

__all__ = ["LSSVC", "LSSVR", "BasisSearchRegressor"]
