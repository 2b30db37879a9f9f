"""How the evidence depends on one precision, with row precisions known or profiled out.

Notation as in linear.py: s, q of one function with the function itself taken out, rest the
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
    def best(self, s: Array, q2: Array, rest: Array | float) -> Array:
        """Return the alpha with the highest evidence, infinite if the function should be left out."""

    @abstractmethod
    def gain(self, alpha: Array, s: Array, q2: Array, rest: Array | float) -> Array:
        """Return the evidence with the function at ``alpha`` minus that without it."""

    @abstractmethod
    def best_share(self, ratio: float) -> float:
        """Return ``best`` over s for one function, cheaply; it depends on q^2 / (s rest) alone."""

    @abstractmethod
    def most(self, ratio: Array | float) -> Array:
        """Return the gain at the best alpha; it depends on q^2 / (s rest) alone."""


class KnownNoise(Noise):
    """Row precisions are known: alpha = s^2 / (q^2 - s) if q^2 > s."""

    def best(self, s: Array, q2: Array, rest: Array | float) -> Array:
        excess = q2 - s
        return np.divide(s**2, excess, out=np.full_like(s, np.inf), where=excess > 0)

    def gain(self, alpha: Array, s: Array, q2: Array, rest: Array | float) -> Array:
        total = alpha + s
        inside = 0.5 * (np.log(alpha) - np.log(total) + q2 / total)
        return np.asarray(inside, dtype=float)

    def best_share(self, ratio: float) -> float:
        return 1.0 / (ratio - 1.0) if ratio > 1.0 else np.inf

    def most(self, ratio: Array | float) -> Array:
        x = np.maximum(ratio, 1.0)
        return 0.5 * (x - 1.0 - np.log(x))


@dataclass(frozen=True)
class ProfiledNoise(Noise):
    """Row precisions are known up to a common factor beta, which takes its best value for every alpha.

    With alpha = beta lambda and A(lambda) = z^T C^-1 z, beta = count / A and the evidence is
    -count/2 ln A + ...; with r = q^2 / A (A without the function) its maximum over lambda is
    at lambda = s (s - r) / (count r - s). No separate re-estimation of the noise is needed.
    """

    count: float
    profiled = True

    def best(self, s: Array, q2: Array, rest: Array | float) -> Array:
        r = q2 / rest
        excess = self.count * r - s
        return np.divide(s * np.maximum(s - r, 0.0), excess, out=np.full_like(s, np.inf), where=excess > 0)

    def gain(self, alpha: Array, s: Array, q2: Array, rest: Array | float) -> Array:
        total = alpha + s
        left = np.maximum(1.0 - q2 / (rest * total), 1e-300)
        inside = 0.5 * (np.log(alpha) - np.log(total)) - 0.5 * self.count * np.log(left)
        return np.asarray(inside, dtype=float)

    def best_share(self, ratio: float) -> float:
        return max(1.0 - ratio, 0.0) / (self.count * ratio - 1.0) if self.count * ratio > 1.0 else np.inf

    def most(self, ratio: Array | float) -> Array:
        rows = self.count - 1.0
        if rows <= 0.0:  # one observation goes to the noise whatever the functions are
            return np.zeros_like(ratio)
        x = np.clip(ratio, 1.0 / self.count, 1.0 - 1e-15)
        return 0.5 * (np.log((1.0 - x) / (rows * x)) - self.count * np.log(self.count * (1.0 - x) / rows))
