"""Priors over hyper-parameters, as wrappers around any criterion."""

from kernelect.priors.auto import (
    as_prior,
    normal_lengths,
    normal_logarithms,
    shrink_elliptical,
    shrink_selected,
    shrink_several,
)
from kernelect.priors.base import Flat, HyperPoint, Prior, Revision
from kernelect.priors.derivatives import Curvature, Slope
from kernelect.priors.evidence import Evidence
from kernelect.priors.log_normal import LogNormal
from kernelect.priors.registry import PRIORS
from kernelect.priors.widths import Gaussian, Laplace, Shrinkage

__all__ = [
    "PRIORS",
    "PRIOR_NAMES",
    "Curvature",
    "Evidence",
    "Flat",
    "Gaussian",
    "HyperPoint",
    "Laplace",
    "LogNormal",
    "Prior",
    "Revision",
    "Shrinkage",
    "Slope",
    "as_prior",
    "normal_lengths",
    "normal_logarithms",
    "register",
    "shrink_elliptical",
    "shrink_selected",
    "shrink_several",
]

PRIOR_NAMES = ("auto", *PRIORS.names)

register = PRIORS.register
