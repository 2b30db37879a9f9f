"""The relevance vector machine: sparse Bayesian learning on a design matrix.

Import the machine's interface from here; its modules are internal.
"""

from kernelect.machines.rvm.algorithm import Algorithm, merit
from kernelect.machines.rvm.centres import (
    CentreFit,
    at_rows,
    centre_evidence,
    joint_mode,
    moved_centres,
    scalar_evidence,
)
from kernelect.machines.rvm.classical import Classical
from kernelect.machines.rvm.curvature import evidence_curvature
from kernelect.machines.rvm.likelihoods import Bernoulli, Normal, Slopes, TargetLikelihood, moderated
from kernelect.machines.rvm.linear import Columns
from kernelect.machines.rvm.machine import RVM, CentreState, RVMState, active_design, latent
from kernelect.machines.rvm.polish import SparseFit, evidence_slope, packed_logarithms, posterior_at, solve_at
from kernelect.machines.rvm.posterior import Posterior, evidence_gradient, find_mode, trace_gradient
from kernelect.machines.rvm.sequential import Sequential
from kernelect.machines.rvm.sizes import evidence_by_size

__all__ = [
    "RVM",
    "Algorithm",
    "Bernoulli",
    "CentreFit",
    "CentreState",
    "Classical",
    "Columns",
    "Normal",
    "Posterior",
    "RVMState",
    "Sequential",
    "Slopes",
    "SparseFit",
    "TargetLikelihood",
    "active_design",
    "at_rows",
    "centre_evidence",
    "evidence_by_size",
    "evidence_curvature",
    "evidence_gradient",
    "evidence_slope",
    "find_mode",
    "joint_mode",
    "latent",
    "merit",
    "moderated",
    "moved_centres",
    "packed_logarithms",
    "posterior_at",
    "scalar_evidence",
    "solve_at",
    "trace_gradient",
]
