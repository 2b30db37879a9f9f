"""Criteria: what a fitted machine is worth, with the derivative in its Gram matrix."""

from kernelect.criteria.base import Criterion, CriterionValue
from kernelect.criteria.leave_one_out import PRESS
from kernelect.criteria.rvm_centres import RVMCentreEvidence
from kernelect.criteria.rvm_cross_validation import RVMCrossValidation, RVMLeaveOneOut
from kernelect.criteria.rvm_evidence import RVMEvidence, RVMOccamEvidence

__all__ = [
    "PRESS",
    "Criterion",
    "CriterionValue",
    "RVMCentreEvidence",
    "RVMCrossValidation",
    "RVMEvidence",
    "RVMLeaveOneOut",
    "RVMOccamEvidence",
]
