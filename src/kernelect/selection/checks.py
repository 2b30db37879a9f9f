"""Which parts go together: every pair is checked when parts are joined, before anything is computed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kernelect.criteria import Criterion
from kernelect.exceptions import MissingCapability
from kernelect.kernels import Kernel
from kernelect.machines import MACHINES, Machine
from kernelect.parameters import ParameterSpace
from kernelect.priors import PRIORS, Prior


@dataclass(frozen=True, kw_only=True)
class Joined:
    """Parts that are to go together, beside the prior.

    Attributes
    ----------
    machine : Machine
    criterion : Criterion
    kernel : Kernel
    space : ParameterSpace
        Its parameters, and the machine's constant.
    pairwise : bool
        Whether rows hold kernel values, not inputs.
    """

    machine: Machine[Any]
    criterion: Criterion
    kernel: Kernel
    space: ParameterSpace
    pairwise: bool

    def check(self, prior: Prior | None) -> None:
        """Raise :class:`MissingCapability`, naming both parts and what fits instead, if two do not go together."""
        self.criterion.check(self.machine)
        missing = "" if prior is None else self._missing(prior)
        if prior is not None and missing:
            raise MissingCapability(f"prior={prior.name!r} needs {missing}: use {self._fitting()}.")

    def _missing(self, prior: Prior) -> str:
        """Return what the prior needs and does not get, nothing if all is there."""
        if prior.needs_gradient and not self.criterion.has_gradient:
            return f"the gradient of the criterion, and criterion={self.criterion.name!r} has none"
        if prior.needs_coefficients and not self.machine.differentiable:
            able = " or ".join(repr(entry.name) for entry in MACHINES if entry.cls.differentiable)
            return (
                f"a machine that differentiates its coefficients, which {able} does and {self.machine.name!r} does not"
            )
        if prior.needs_inputs and self.pairwise:
            return f"the inputs, and the {self.kernel.words} kernel has none"
        lacking = prior.lacks(self.space)
        return f"{lacking}, and the {self.kernel.words} kernel has none" if lacking else ""

    def _fitting(self) -> str:
        """Return the priors that fit, as a sentence lists them."""
        names = [repr(entry.name) for entry in PRIORS if not self._missing(entry.make())]
        return f"prior={', '.join(names)} or None" if names else "prior=None"
