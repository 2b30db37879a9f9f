"""The fitted, scikit-learn face of the library."""

from kernelect.estimators._base import Estimator, SelfSelecting, objective_of
from kernelect.estimators._dask import is_dask
from kernelect.estimators._groups import MOST_ROWS, encode_groups
from kernelect.estimators._lssvm_base import LSSVMBase
from kernelect.estimators._targets import class_weights, decide_class, encode_labels, require_size
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
    "MOST_ROWS",
    "REGRESSION",
    "RVC",
    "RVR",
    "SVC",
    "BasisSearchRegressor",
    "Estimator",
    "LSSVMBase",
    "SelfSelecting",
    "class_weights",
    "decide_class",
    "encode_groups",
    "encode_labels",
    "is_dask",
    "objective_of",
    "require_size",
]
