"""How the evidence depends on one precision, with row precisions known or profiled out.

Notation as in rvm_linear.py: s, q of one function with the function itself taken out, rest the
energy z^T C^-1 z without it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from kernelect.typing import Array


class Noise(ABC):
    """How the evidence depends on one precision, everything else held."""

    #: Whether the model's energy z^T C^-1 z is wanted.
    profiled: ClassVar[bool] = False

    @abstractmethod
    def best(self, s: Array, q2: Array, rest: Array) -> Array:
        """Return the alpha with the highest evidence; infinite where the function should be out."""

    @abstractmethod
    def gain(self, alpha: Array, s: Array, q2: Array, rest: Array) -> Array:
        """Return the evidence with the function at ``alpha`` minus that without it."""


class KnownNoise(Noise):
    """Row precisions as they are: alpha = s^2 / (q^2 - s) where q^2 > s."""

    def best(self, s: Array, q2: Array, rest: Array) -> Array:
        excess = q2 - s
        return np.divide(s**2, excess, out=np.full_like(s, np.inf), where=excess > 0)

    def gain(self, alpha: Array, s: Array, q2: Array, rest: Array) -> Array:
        total = alpha + s
        inside = 0.5 * (np.log(alpha) - np.log(total) + q2 / total)
        return np.asarray(inside, dtype=float)


@dataclass(frozen=True)
class ProfiledNoise(Noise):
    """Row precisions up to a common factor beta, which is at its best value for every alpha.

    With alpha = beta lambda and A(lambda) = z^T C^-1 z, beta = count / A and the evidence is
    -count/2 ln A + ...; with r = q^2 / A (A without the function) its maximum over lambda is
    at lambda = s (s - r) / (count r - s). No separate re-estimation of the noise is needed.
    """

    count: float
    profiled = True

    def best(self, s: Array, q2: Array, rest: Array) -> Array:
        r = q2 / rest
        excess = self.count * r - s
        return np.divide(s * np.maximum(s - r, 0.0), excess, out=np.full_like(s, np.inf), where=excess > 0)

    def gain(self, alpha: Array, s: Array, q2: Array, rest: Array) -> Array:
        total = alpha + s
        left = np.maximum(1.0 - q2 / (rest * total), 1e-300)
        inside = 0.5 * (np.log(alpha) - np.log(total)) - 0.5 * self.count * np.log(left)
        return np.asarray(inside, dtype=float)
