"""Criteria: what a fitted machine is worth, with the derivative in its Gram matrix."""

from kernelect.criteria.base import Criterion, CriterionValue
from kernelect.criteria.ep.ep_evidence import EPEvidence
from kernelect.criteria.ep.hmc_evidence import EvidenceGradient, EvidenceValue, HMCEvidence
from kernelect.criteria.lssvm.gcv import GCV
from kernelect.criteria.lssvm.group_press import GroupPRESS
from kernelect.criteria.lssvm.press import PRESS
from kernelect.criteria.registry import CRITERIA, CriterionRegistry
from kernelect.criteria.rvm import (
    RVMCentreEvidence,
    RVMCriterion,
    RVMCrossValidation,
    RVMEvidence,
    RVMLeaveOneOut,
    RVMOccamEvidence,
)
from kernelect.criteria.svm.binary import BinaryCriterion, ErrorEstimate, SVMCriterion
from kernelect.criteria.svm.bounds import JaakkolaHaussler, RadiusMargin, SupportVectorCount
from kernelect.criteria.svm.gacv import GACV
from kernelect.criteria.svm.laplace_evidence import LaplaceEvidence
from kernelect.criteria.svm.retraining import LeaveOneOut
from kernelect.criteria.svm.span import Span, UnsmoothedSpan

__all__ = [
    "CRITERIA",
    "GACV",
    "GCV",
    "PRESS",
    "BinaryCriterion",
    "Criterion",
    "CriterionRegistry",
    "CriterionValue",
    "EPEvidence",
    "ErrorEstimate",
    "EvidenceGradient",
    "EvidenceValue",
    "GroupPRESS",
    "HMCEvidence",
    "JaakkolaHaussler",
    "LaplaceEvidence",
    "LeaveOneOut",
    "RVMCentreEvidence",
    "RVMCriterion",
    "RVMCrossValidation",
    "RVMEvidence",
    "RVMLeaveOneOut",
    "RVMOccamEvidence",
    "RadiusMargin",
    "SVMCriterion",
    "Span",
    "SupportVectorCount",
    "UnsmoothedSpan",
    "register",
]

register = CRITERIA.register
