"""Links: from a component's latent values to decision values and class probabilities.

Notation: m and v mean and variance (n, k) of the latent values, z decision values (n, k). Two classes have one output,
k = 1, whose positive side is the second class.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import log_softmax, softmax

from kernelect.typing import Array


def both_ways(decision: Array) -> Array:
    """Return decision values of two classes from one, or all those of more."""
    return np.column_stack([-decision, decision]) if decision.shape[1] == 1 else decision


class Link(ABC):
    """How latent values become probabilities."""

    #: Whether the variance of the latent values matters.
    needs_variance: ClassVar[bool] = False

    #: Whether decision values belong to thresholds between classes, not to classes.
    by_thresholds: ClassVar[bool] = False

    @abstractmethod
    def decision(self, mean: Array, variance: Array | None) -> Array:
        """Return decision values (n, k), which order rows and classes."""

    @abstractmethod
    def logits(self, decision: Array) -> Array:
        """Return logarithms (n, n_classes) of the probabilities, up to a constant of each row."""

    def probabilities(self, decision: Array) -> Array:
        """Return class probabilities (n, n_classes)."""
        return np.asarray(softmax(self.logits(decision), axis=1), dtype=float)

    def log_probabilities(self, decision: Array) -> Array:
        """Return their logarithms, which are exact if a probability itself is too small for a number."""
        return np.asarray(log_softmax(self.logits(decision), axis=1), dtype=float)


@dataclass(frozen=True, kw_only=True)
class Tempered(Link):
    """p = softmax(a z): one temperature, fitted on decision values of rows left out."""

    inverse_temperature: float

    def decision(self, mean: Array, variance: Array | None) -> Array:
        return mean

    def logits(self, decision: Array) -> Array:
        halves = 0.5 * decision if decision.shape[1] == 1 else decision
        return np.asarray(self.inverse_temperature * both_ways(halves), dtype=float)


@dataclass(frozen=True, kw_only=True)
class Moderated(Tempered):
    """Log-odds averaged over the posterior of the weights (MacKay 1992): z = m / sqrt(1 + pi v / 8)."""

    needs_variance = True

    def decision(self, mean: Array, variance: Array | None) -> Array:
        assert variance is not None
        found: Array = mean / np.sqrt(1.0 + np.pi / 8.0 * variance)
        return found


@dataclass(frozen=True, kw_only=True)
class Given(Link):
    """The values are probabilities already."""

    def decision(self, mean: Array, variance: Array | None) -> Array:
        return mean

    def logits(self, decision: Array) -> Array:
        with np.errstate(divide="ignore"):  # trees give 0 to classes that they have not seen in a leaf
            return np.asarray(np.log(decision), dtype=float)

    def probabilities(self, decision: Array) -> Array:
        return decision

    def log_probabilities(self, decision: Array) -> Array:
        return self.logits(decision)
