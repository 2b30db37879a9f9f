"""Machines: solvers at fixed hyper-parameters, on Gram matrices."""

from kernelect.machines.base import Fitted, Machine
from kernelect.machines.lssvm import LSSVM, LSSVMState
from kernelect.machines.ridge_path import RidgePath
from kernelect.machines.rvm import RVM, CentreState, RVMState
from kernelect.machines.rvm_fit import Classical, Sequential
from kernelect.machines.rvm_polish import SparseFit
from kernelect.machines.svm import SVM, BinarySVM, SVMState

__all__ = [
    "LSSVM",
    "RVM",
    "SVM",
    "BinarySVM",
    "CentreState",
    "Classical",
    "Fitted",
    "LSSVMState",
    "Machine",
    "RVMState",
    "RidgePath",
    "SVMState",
    "Sequential",
    "SparseFit",
]
