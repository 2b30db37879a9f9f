"""Subsets of a dictionary: their evidence, and the search for the best subset.

>>> from kernelect.subsets import PTA
>>> PTA(1, 0)
PTA(l=1, r=0)
"""

from kernelect.subsets.abf import Widths, fit_widths, with_fitted_kernels
from kernelect.subsets.evidence import EvidenceCriterion, MacKayEvidence, MarginalLikelihood, QuadratureEvidence
from kernelect.subsets.fit import FitOptions, FittedSubset, constant_subset, fit_subset
from kernelect.subsets.moments import SubsetMoments, SubsetRows, gathered_moments
from kernelect.subsets.ols import OLS
from kernelect.subsets.registry import STRATEGIES, SUBSET_CRITERIA
from kernelect.subsets.results import BasisSelection, SearchTrace, Step, SubsetModel
from kernelect.subsets.select import SearchOutcome, search_subset
from kernelect.subsets.strategies import ABF, PTA, SFFS, Oscillating, Strategy
from kernelect.subsets.walk import Walk, WalkOptions

__all__ = [
    "ABF",
    "OLS",
    "PTA",
    "SFFS",
    "STRATEGIES",
    "SUBSET_CRITERIA",
    "BasisSelection",
    "EvidenceCriterion",
    "FitOptions",
    "FittedSubset",
    "MacKayEvidence",
    "MarginalLikelihood",
    "Oscillating",
    "QuadratureEvidence",
    "SearchOutcome",
    "SearchTrace",
    "Step",
    "Strategy",
    "SubsetModel",
    "SubsetMoments",
    "SubsetRows",
    "Walk",
    "WalkOptions",
    "Widths",
    "constant_subset",
    "fit_subset",
    "fit_widths",
    "gathered_moments",
    "search_subset",
    "with_fitted_kernels",
]
