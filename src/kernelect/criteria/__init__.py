"""Criteria: what a fitted machine is worth, with the derivative in its Gram matrix."""

from kernelect.criteria.base import Criterion, CriterionValue
from kernelect.criteria.ep_evidence import EPEvidence
from kernelect.criteria.hmc_evidence import EvidenceGradient, EvidenceValue, HMCEvidence
from kernelect.criteria.leave_one_out import PRESS

__all__ = [
    "PRESS",
    "Criterion",
    "CriterionValue",
    "EPEvidence",
    "EvidenceGradient",
    "EvidenceValue",
    "HMCEvidence",
]
