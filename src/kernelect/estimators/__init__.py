"""The fitted, scikit-learn face of the library."""

from kernelect.estimators._attributes import ReadsLabels, ReadsModel
from kernelect.estimators._base import Estimator, SelfSelecting, objective_of
from kernelect.estimators._dask import computed, computed_sum, is_dask, sent_once
from kernelect.estimators._groups import encode_groups
from kernelect.estimators._in_time import in_time
from kernelect.estimators._lssvm_base import LSSVMBase
from kernelect.estimators._sklearn import check_sample_weight, validate_data
from kernelect.estimators._targets import class_weights, decide_class, encode_labels, require_size, targets_of
from kernelect.estimators._training import LabelledTraining, Training, remark_on_copies
from kernelect.estimators.basis import BasisSearchRegressor
from kernelect.estimators.gpc import GPC
from kernelect.estimators.led import fit_led
from kernelect.estimators.lssvc import LSSVC
from kernelect.estimators.lssvr import LSSVR
from kernelect.estimators.registry import CLASSIFICATION, ESTIMATORS, REGRESSION
from kernelect.estimators.rvc import RVC
from kernelect.estimators.rvr import RVR
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
    "Estimator",
    "LSSVMBase",
    "LabelledTraining",
    "ReadsLabels",
    "ReadsModel",
    "SelfSelecting",
    "Training",
    "check_sample_weight",
    "class_weights",
    "computed",
    "computed_sum",
    "decide_class",
    "encode_groups",
    "encode_labels",
    "fit_led",
    "in_time",
    "is_dask",
    "objective_of",
    "remark_on_copies",
    "require_size",
    "sent_once",
    "targets_of",
    "validate_data",
]
