"""Machines: solvers at fixed hyper-parameters, on Gram matrices."""

from kernelect.machines.base import Fitted, Machine
from kernelect.machines.lssvm import LSSVM, LSSVMState
from kernelect.machines.ridge_path import RidgePath

__all__ = ["LSSVM", "Fitted", "LSSVMState", "Machine", "RidgePath"]
