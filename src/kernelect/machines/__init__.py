"""Machines: solvers at fixed hyper-parameters, on Gram matrices."""

from typing import TYPE_CHECKING

from kernelect.lazy import lazily

if TYPE_CHECKING:
    from kernelect.machines.base import Fitted, KernelExpansion, Machine
    from kernelect.machines.ep.likelihoods import LIKELIHOODS, Hinge, Likelihood, Probit, SquaredHinge
    from kernelect.machines.ep.machine import EP, EPColumn, EPState
    from kernelect.machines.ep.sampling import EllipticalSlice, HybridMonteCarlo, Sampler
    from kernelect.machines.lssvm.full import LSSVM, LSSVMState
    from kernelect.machines.lssvm.groups import Groups, blocks_of
    from kernelect.machines.lssvm.ridge_path import RidgePath
    from kernelect.machines.registry import MACHINES
    from kernelect.machines.rvm import RVM, CentreState, Classical, RVMState, Sequential, SparseFit
    from kernelect.machines.svm.machine import SVM, BinarySVM, SVMState

    register = MACHINES.register

__all__ = [
    "EP",
    "LIKELIHOODS",
    "LSSVM",
    "MACHINES",
    "RVM",
    "SVM",
    "BinarySVM",
    "CentreState",
    "Classical",
    "EPColumn",
    "EPState",
    "EllipticalSlice",
    "Fitted",
    "Groups",
    "Hinge",
    "HybridMonteCarlo",
    "KernelExpansion",
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
    "blocks_of",
    "register",
]

if not TYPE_CHECKING:  # so that type checkers report unknown names
    _named = lazily(
        __name__,
        {
            "base": ["KernelExpansion", "Fitted", "Machine"],
            "ep.likelihoods": ["LIKELIHOODS", "Hinge", "Likelihood", "Probit", "SquaredHinge"],
            "ep.machine": ["EP", "EPColumn", "EPState"],
            "ep.sampling": ["EllipticalSlice", "HybridMonteCarlo", "Sampler"],
            "lssvm.full": ["LSSVM", "LSSVMState"],
            "lssvm.groups": ["Groups", "blocks_of"],
            "lssvm.ridge_path": ["RidgePath"],
            "registry": ["MACHINES"],
            "rvm": ["RVM", "CentreState", "Classical", "RVMState", "Sequential", "SparseFit"],
            "svm.machine": ["SVM", "BinarySVM", "SVMState"],
        },
    )

    def __getattr__(name: str) -> object:
        return _named("MACHINES").register if name == "register" else _named(name)
