"""Which parts go together: every pair is checked where parts are joined, before anything is computed."""

from __future__ import annotations

from typing import Any

from kernelect.criteria import Criterion
from kernelect.exceptions import MissingCapability
from kernelect.machines import MACHINES, Machine
from kernelect.priors import PRIORS, Prior


def check_join(machine: Machine[Any], criterion: Criterion, prior: Prior | None) -> None:
    """Raise :class:`MissingCapability`, naming both parts and what fits instead, where two do not go together."""
    criterion.check(machine)
    if prior is None:
        return
    if prior.needs_gradient and not criterion.has_gradient:
        raise MissingCapability(
            f"prior={prior.name!r} needs the gradient of the criterion, and criterion={criterion.name!r} has none: "
            f"use {_without('needs_gradient')}."
        )
    if prior.needs_coefficients and not machine.differentiable:
        able = " or ".join(repr(entry.name) for entry in MACHINES if entry.cls.differentiable)
        raise MissingCapability(
            f"prior={prior.name!r} needs a machine that differentiates its coefficients, which {able} does and "
            f"{machine.name!r} does not: use {_without('needs_coefficients')}."
        )


def _without(need: str) -> str:
    """Return the priors that do without something, as a sentence lists them."""
    names = [repr(entry.name) for entry in PRIORS if not getattr(entry.cls, need)]
    return f"prior={', '.join(names)} or None"
