"""The fitted, scikit-learn face of the library."""

from kernelect.estimators._base import objective_of
from kernelect.estimators.basis import BasisSearchRegressor
from kernelect.estimators.gpc import GPC
from kernelect.estimators.lssvm import LSSVC, LSSVR
from kernelect.estimators.rvm import RVC, RVR
from kernelect.estimators.svm import SVC

__all__ = [
    "GPC",
    "LSSVC",
    "LSSVR",
    "RVC",
    "RVR",
    "SVC",
    "BasisSearchRegressor",
    "objective_of",
]
