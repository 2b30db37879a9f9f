"""One component of a model: a fitted machine as parts, link and spread."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from kernelect.exceptions import MissingCapability
from kernelect.model.links import Link
from kernelect.model.parts import KernelPart, Part
from kernelect.model.spreads import LatentSpread, Spread
from kernelect.typing import Array, Indices

if TYPE_CHECKING:
    from kernelect.inputs.indicators import Indicators
    from kernelect.inputs.warp import Warp
    from kernelect.machines.lssvm.sampled import SampledRows


@dataclass(frozen=True, kw_only=True)
class View:
    """The inputs as they are, warped to normal quantiles, or with an indicator for every level of a category.

    Attributes
    ----------
    warp : Warp or None
    indicators : Indicators or None
        Applied after the warp.
    """

    warp: Warp | None = None
    indicators: Indicators | None = None

    def __call__(self, Z: Array) -> Array:
        """Return the view of coded rows (m, d)."""
        warped = Z if self.warp is None else self.warp(Z)
        return warped if self.indicators is None else self.indicators(warped)

    def behind(self, n_inputs: int) -> Indices:
        """Return the input of the model from which every input of the view is made."""
        return np.arange(n_inputs) if self.indicators is None else self.indicators.inputs


#: The inputs as they are.
AS_GIVEN = View()


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
    claimed : ndarray of shape (n, k) or None
        For targets known in part: the deviations of a new observation that it claims for rows left out.
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
    claimed: Array | None = field(default=None, repr=False)
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
        return replace(self, left_out=None, claimed=None, sampled=None)

    def rising(self) -> Component:
        """Return a component of ordered classes with one output: by how much its values rise from class to class."""
        k = len(self.constant)
        if k == 1:
            return self
        places = np.arange(k) - 0.5 * (k - 1)
        slope = (places / (places @ places))[:, None]
        parts = tuple(replace(part, coefficients=part.coefficients @ slope) for part in self.parts)
        return replace(self, parts=parts, constant=self.constant @ slope)

    def mean(self, V: Array) -> Array:
        """Return the sum of the parts (m, k) at inputs in the component's view."""
        total = np.zeros((len(V), len(self.constant)))
        for part in self.parts:
            total += part.values(V)
        return np.asarray(total + self.constant, dtype=float)

    def design(self, V: Array) -> Array:
        """Return the values (m, n_functions) of the functions of the first part."""
        return self.parts[0].design(V)

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
