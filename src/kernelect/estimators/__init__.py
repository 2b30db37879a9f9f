"""The fitted, scikit-learn face of the library."""

from kernelect.estimators._base import SelfSelecting, objective_of
from kernelect.estimators.basis import BasisSearchRegressor
from kernelect.estimators.gpc import GPC
from kernelect.estimators.lssvc import LSSVC
from kernelect.estimators.lssvr import LSSVR
from kernelect.estimators.registry import CLASSIFICATION, ESTIMATORS, REGRESSION
from kernelect.estimators.rvm import RVC, RVR
from kernelect.estimators.svm import SVC

__all__ = [
    "CLASSIFICATION",
    "ESTIMATORS",
    "GPC",
    "LSSVC",
    "LSSVR",
    "REGRESSION",
    "RVC",
    "RVR",
    "SVC",
    "BasisSearchRegressor",
    "SelfSelecting",
    "objective_of",
]
