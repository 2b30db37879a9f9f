"""Priors over hyper-parameters, as wrappers around any criterion."""

from kernelect.exceptions import unknown_name
from kernelect.parameters import ParameterSpace
from kernelect.priors.base import Flat, HyperPoint, Prior, Revision
from kernelect.priors.curvature import Curvature
from kernelect.priors.evidence import Evidence
from kernelect.priors.log_normal import LogNormal
from kernelect.priors.widths import Gaussian, Laplace, Shrinkage

__all__ = [
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
    "as_prior",
]

_NAMED: dict[str, type[Prior]] = {
    prior.name: prior for prior in (Shrinkage, Gaussian, Laplace, Curvature, Evidence, LogNormal)
}

PRIOR_NAMES = ("auto", *_NAMED)


def as_prior(prior: object, space: ParameterSpace, auto: type[Prior] = Shrinkage) -> Prior | None:
    """Return ``prior`` as a :class:`Prior`, checked against the kernel's parameters.

    ``"auto"`` is the prior ``auto`` where the kernel has more than one width, and none elsewhere.
    """
    if prior is None or (prior == "auto" and not space.elliptical):
        return None
    if isinstance(prior, str):
        if prior not in PRIOR_NAMES:
            raise unknown_name("prior", prior, [*PRIOR_NAMES, "None"])
        prior = auto() if prior == "auto" else _NAMED[prior]()
    if not isinstance(prior, Prior):
        raise unknown_name("prior", prior, [*PRIOR_NAMES, "None"])
    prior.check(space)
    return prior
