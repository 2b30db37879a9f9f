"""Criteria of relevance vector machines."""

from kernelect.criteria.rvm.base import RVMCriterion
from kernelect.criteria.rvm.centres import RVMCentreEvidence
from kernelect.criteria.rvm.cross_validation import RVMCrossValidation
from kernelect.criteria.rvm.evidence import RVMEvidence, RVMOccamEvidence
from kernelect.criteria.rvm.held_out import without_row
from kernelect.criteria.rvm.leave_one_out import RVMLeaveOneOut
from kernelect.criteria.rvm.parts import dealt_out

__all__ = [
    "RVMCentreEvidence",
    "RVMCriterion",
    "RVMCrossValidation",
    "RVMEvidence",
    "RVMLeaveOneOut",
    "RVMOccamEvidence",
    "dealt_out",
    "without_row",
]
