"""The priors by name."""

from __future__ import annotations

from kernelect.priors.base import Prior
from kernelect.priors.derivatives import Curvature, Slope
from kernelect.priors.evidence import Evidence
from kernelect.priors.log_normal import LogNormal
from kernelect.priors.widths import Gaussian, Laplace, Shrinkage
from kernelect.registry import Registry

PRIORS: Registry[Prior] = Registry("prior", Prior)  # type: ignore[type-abstract]

for _cls in (Shrinkage, Gaussian, Laplace, Curvature, Slope, Evidence, LogNormal):
    PRIORS.register(_cls, _cls.name)
