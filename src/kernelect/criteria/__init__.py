"""Criteria: what a fitted machine is worth, with the derivative in its Gram matrix."""

from kernelect.criteria.base import Criterion, CriterionValue
from kernelect.criteria.binary import BinaryCriterion, ErrorEstimate, SVMCriterion
from kernelect.criteria.bounds import JaakkolaHaussler, RadiusMargin, SupportVectorCount
from kernelect.criteria.ep_evidence import EPEvidence
from kernelect.criteria.gacv import GACV
from kernelect.criteria.hmc_evidence import EvidenceGradient, EvidenceValue, HMCEvidence
from kernelect.criteria.laplace_evidence import LaplaceEvidence
from kernelect.criteria.leave_one_out import PRESS
from kernelect.criteria.retraining import LeaveOneOut
from kernelect.criteria.rvm_centres import RVMCentreEvidence
from kernelect.criteria.rvm_cross_validation import RVMCrossValidation, RVMLeaveOneOut
from kernelect.criteria.rvm_evidence import RVMEvidence, RVMOccamEvidence
from kernelect.criteria.span import Span, UnsmoothedSpan

__all__ = [
    "GACV",
    "PRESS",
    "BinaryCriterion",
    "Criterion",
    "CriterionValue",
    "EPEvidence",
    "ErrorEstimate",
    "EvidenceGradient",
    "EvidenceValue",
    "HMCEvidence",
    "JaakkolaHaussler",
    "LaplaceEvidence",
    "LeaveOneOut",
    "RVMCentreEvidence",
    "RVMCrossValidation",
    "RVMEvidence",
    "RVMLeaveOneOut",
    "RVMOccamEvidence",
    "RadiusMargin",
    "SVMCriterion",
    "Span",
    "SupportVectorCount",
    "UnsmoothedSpan",
]
