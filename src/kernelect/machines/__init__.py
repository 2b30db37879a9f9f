"""Machines: solvers at fixed hyper-parameters, on Gram matrices."""

from kernelect.machines.base import Fitted, Machine
from kernelect.machines.lssvm import LSSVM, LSSVMState
from kernelect.machines.ridge_path import RidgePath
from kernelect.machines.svm import SVM, BinarySVM, SVMState

__all__ = ["LSSVM", "SVM", "BinarySVM", "Fitted", "LSSVMState", "Machine", "RidgePath", "SVMState"]
