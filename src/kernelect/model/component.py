"""One component of a model: a fitted machine as parts, link and spread."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from kernelect.exceptions import MissingCapability
from kernelect.machines.lssvm.sampled import SampledRows
from kernelect.model.links import Link
from kernelect.model.parts import FunctionPart, KernelPart, Part, design_of
from kernelect.model.spreads import LatentSpread, Spread
from kernelect.model.views import AS_GIVEN, View
from kernelect.typing import Array


@dataclass(frozen=True, eq=False, kw_only=True)
class Component:
    """A view of the inputs, a sum of parts, and how its values become answers.

    Attributes
    ----------
    view : View
    parts : tuple of Part
    constant : ndarray of shape (k,)
        What is added to the parts.
    link : Link or None
        From values to probabilities; None for numbers.
    spread : Spread or None
        What it knows of its uncertainty.
    left_out : ndarray of shape (n, k) or None
        Decision values, or predicted numbers, of every training row when the row is left out.
    sampled : SampledRows or None
        Training rows that a machine on landmarks keeps, so that smaller models can be made of it.
    refitted : bool
        Whether the log-loss found its coefficients.
    noun : str
        What sentences call it, such as "the forest".
    widths : float
        How many widths its selection fitted, in effect: weights of components count them.
    """

    view: View = AS_GIVEN
    parts: tuple[Part, ...]
    constant: Array
    link: Link | None = None
    spread: Spread | None = None
    left_out: Array | None = field(default=None, repr=False)
    sampled: SampledRows | None = field(default=None, repr=False)
    refitted: bool = False
    noun: str = ""
    widths: float = 0.0

    @property
    def kernel_part(self) -> KernelPart:
        """The one kernel expansion that the component is, an error if it is something else."""
        if len(self.parts) != 1 or not isinstance(self.parts[0], KernelPart):
            raise MissingCapability("This component is not one kernel expansion: use its parts.")
        return self.parts[0]

    def left_out_answers(self) -> Array:
        """Return what the component answers for every training row when the row is left out."""
        if self.left_out is None:
            raise MissingCapability("This component keeps nothing of its training rows: fit the model again.")
        return self.left_out if self.link is None else self.link.probabilities(self.left_out)

    def lean(self) -> Component:
        """Return the component with what predictions need, and nothing else."""
        return replace(self, left_out=None, sampled=None)

    def mean(self, V: Array) -> Array:
        """Return the sum of the parts (m, k) at inputs in the component's view."""
        total = np.zeros((len(V), len(self.constant)))
        for part in self.parts:
            total += part.values(V)
        return np.asarray(total + self.constant, dtype=float)

    def design(self, V: Array) -> Array:
        """Return the values (m, n_functions) of the functions of the first part."""
        part = self.parts[0]
        assert isinstance(part, KernelPart | FunctionPart)
        return design_of(part, V)

    def latent(self, V: Array) -> tuple[Array, Array]:
        """Return mean and variance (m, k) of the latent functions."""
        if not isinstance(self.spread, LatentSpread):
            raise MissingCapability("This component has no variance of a latent function: its values are all it has.")
        return self.spread.latent(self, V)

    def decision(self, V: Array) -> Array:
        """Return decision values (m, k) of a component of labels."""
        assert self.link is not None
        if self.link.needs_variance and isinstance(self.spread, LatentSpread):
            return self.link.decision(*self.latent(V))
        return self.link.decision(self.mean(V), None)

    def answers(self, V: Array) -> Array:
        """Return class probabilities, or predicted numbers (m, k)."""
        if self.link is None:
            return self.mean(V)
        self._require_spread()
        return self.link.probabilities(self.decision(V))

    def log_answers(self, V: Array) -> Array:
        """Return logarithms (m, n_classes) of class probabilities."""
        assert self.link is not None
        self._require_spread()
        return self.link.log_probabilities(self.decision(V))

    def _require_spread(self) -> None:
        if self.link is not None and self.link.needs_variance and self.spread is None:
            raise MissingCapability(
                "kernel='precomputed' does not tell k(x, x) of new rows, which probabilities need: "
                "use predict, predictor='svm', or give a kernel instead."
            )
