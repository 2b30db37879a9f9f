"""Machines: solvers at fixed hyper-parameters, on Gram matrices."""

from kernelect.machines.base import Fitted, Machine
from kernelect.machines.ep import EP, EPColumn, EPState
from kernelect.machines.likelihoods import Hinge, Likelihood, Probit, SquaredHinge
from kernelect.machines.lssvm import LSSVM, LSSVMState
from kernelect.machines.ridge_path import RidgePath
from kernelect.machines.rvm import RVM, CentreState, RVMState
from kernelect.machines.rvm_classical import Classical
from kernelect.machines.rvm_fit import Sequential
from kernelect.machines.rvm_polish import SparseFit
from kernelect.machines.sampling import EllipticalSlice, HybridMonteCarlo, Sampler
from kernelect.machines.svm import SVM, BinarySVM, SVMState

__all__ = [
    "EP",
    "LSSVM",
    "RVM",
    "SVM",
    "BinarySVM",
    "CentreState",
    "Classical",
    "EPColumn",
    "EPState",
    "EllipticalSlice",
    "Fitted",
    "Hinge",
    "HybridMonteCarlo",
    "LSSVMState",
    "Likelihood",
    "Machine",
    "Probit",
    "RVMState",
    "RidgePath",
    "SVMState",
    "Sampler",
    "Sequential",
    "SparseFit",
    "SquaredHinge",
]
