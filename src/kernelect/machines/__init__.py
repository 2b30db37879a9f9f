"""Machines: solvers at fixed hyper-parameters, on Gram matrices."""

from kernelect.machines.base import Fitted, Machine
from kernelect.machines.ep import EP, EPColumn, EPState
from kernelect.machines.likelihoods import Hinge, Likelihood, Probit, SquaredHinge
from kernelect.machines.lssvm import LSSVM, LSSVMState
from kernelect.machines.ridge_path import RidgePath
from kernelect.machines.sampling import EllipticalSlice, HybridMonteCarlo, Sampler

__all__ = [
    "EP",
    "LSSVM",
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
    "RidgePath",
    "Sampler",
    "SquaredHinge",
]
