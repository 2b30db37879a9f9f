"""What ``prior="auto"`` stands for: rules that look at the parameters that are to be selected."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kernelect.parameters import ParameterSpace
from kernelect.priors.base import Prior
from kernelect.priors.log_normal import LogNormal
from kernelect.priors.registry import PRIORS
from kernelect.priors.widths import Shrinkage

#: Looks at a kernel's parameters and returns the prior they call for, or none.
AutoRule = Callable[[ParameterSpace], Prior | None]


def shrink_elliptical(space: ParameterSpace) -> Prior | None:
    """Shrinkage if the kernel has more than one width, given or selected."""
    return Shrinkage() if space.elliptical else None


def shrink_selected(space: ParameterSpace) -> Prior | None:
    """Shrinkage if the kernel has more than one width and anything is selected."""
    return shrink_elliptical(space) if space.free.any() else None


def shrink_several(space: ParameterSpace) -> Prior | None:
    """Shrinkage where more than one width is selected."""
    return shrink_elliptical(space) if space.free[space.all_widths].sum() > 1 else None


def normal_logarithms(space: ParameterSpace) -> Prior | None:
    """A weak normal prior where a width or an amplitude is selected."""
    return LogNormal() if space.free[np.concatenate([space.all_widths, space.amplitudes])].any() else None


def normal_lengths(space: ParameterSpace) -> Prior | None:
    """A weak normal prior where one of several widths is selected."""
    return LogNormal() if space.elliptical and space.free[space.all_widths].any() else None


def as_prior(prior: object, space: ParameterSpace, auto: AutoRule = shrink_elliptical) -> Prior | None:
    """Return ``prior`` as a :class:`Prior`; whether it fits is checked where parts are joined.

    Parameters
    ----------
    prior : str, Prior or None
        A name, ``"auto"``, an object used as it is, or no prior.
    space : ParameterSpace
        The kernel's parameters.
    auto : callable
        What ``"auto"`` stands for.
    """
    if prior is None:
        return None
    if isinstance(prior, str) and prior == "auto":
        return auto(space)
    return PRIORS.resolve(prior, ("auto", *PRIORS.names, "None"))
