"""Candidate basis functions, their evidence, and the search for a subset of them.

>>> from kernelect.basis import PTA, KernelFunctions, Linear
>>> dictionary = Linear() + KernelFunctions("ard")
>>> PTA(1, 0)
PTA(l=1, r=0)
"""

from kernelect.basis.abf import Widths, fit_widths, with_fitted_kernels
from kernelect.basis.base import Candidates, Dictionary
from kernelect.basis.design import DictionaryDesign
from kernelect.basis.evidence import (
    CRITERION_NAMES,
    EvidenceCriterion,
    MacKayEvidence,
    MarginalLikelihood,
    QuadratureEvidence,
    as_criterion,
)
from kernelect.basis.fit import FitOptions, FittedSubset, fit_subset
from kernelect.basis.functions import Bias, Fourier, Functions, Linear, Polynomial, Precomputed
from kernelect.basis.kernel_functions import KernelFunctions
from kernelect.basis.moments import Moments, Sample, gather
from kernelect.basis.ols import OLS
from kernelect.basis.results import BasisSelection, SearchTrace, Step, SubsetModel
from kernelect.basis.select import SearchOutcome, search_subset
from kernelect.basis.strategies import ABF, PTA, SFFS, Oscillating, Strategy, as_strategy
from kernelect.basis.union import DICTIONARY_NAMES, Union, as_dictionary
from kernelect.basis.walk import Walk, WalkOptions

__all__ = [
    "ABF",
    "CRITERION_NAMES",
    "DICTIONARY_NAMES",
    "OLS",
    "PTA",
    "SFFS",
    "BasisSelection",
    "Bias",
    "Candidates",
    "Dictionary",
    "DictionaryDesign",
    "EvidenceCriterion",
    "FitOptions",
    "FittedSubset",
    "Fourier",
    "Functions",
    "KernelFunctions",
    "Linear",
    "MacKayEvidence",
    "MarginalLikelihood",
    "Moments",
    "Oscillating",
    "Polynomial",
    "Precomputed",
    "QuadratureEvidence",
    "Sample",
    "SearchOutcome",
    "SearchTrace",
    "Step",
    "Strategy",
    "SubsetModel",
    "Union",
    "Walk",
    "WalkOptions",
    "Widths",
    "as_criterion",
    "as_dictionary",
    "as_strategy",
    "fit_subset",
    "fit_widths",
    "gather",
    "search_subset",
    "with_fitted_kernels",
]
