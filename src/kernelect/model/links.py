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

from kernelect.machines.ep.likelihoods import Likelihood
from kernelect.numerics.normal import log_between
from kernelect.typing import Array


def both_ways(decision: Array) -> Array:
    """Return decision values of two classes from one, or all those of more."""
    return np.column_stack([-decision, decision]) if decision.shape[1] == 1 else decision


class Link(ABC):
    """How latent values become probabilities."""

    #: Whether the variance of the latent values matters.
    needs_variance: ClassVar[bool] = False

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
        """Return their logarithms, which are exact where a probability itself is too small for a number."""
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
class Predictive(Link):
    """Probabilities of a likelihood, integrated over the posterior of the latent function.

    Attributes
    ----------
    likelihood : Likelihood
    constant : float
        The C of a hinge.
    """

    likelihood: Likelihood
    constant: float
    needs_variance = True

    def decision(self, mean: Array, variance: Array | None) -> Array:
        # A kernel that is given by its values does not tell k(x, x): the sign of the mean is all that is known.
        return mean if variance is None else self.likelihood.decision(mean, variance, self.constant)

    def logits(self, decision: Array) -> Array:
        return self.likelihood.log_probability(both_ways(decision))


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


@dataclass(frozen=True, eq=False, kw_only=True)
class Ordered(Link):
    """Classes with an order: between which thresholds the latent function plus unit normal noise lies.

    Decision values are (m - h_k)/sqrt(1 + v), one for each threshold: the probits of lying above it.

    Attributes
    ----------
    thresholds : ndarray of shape (n_classes - 1,)
        Ascending.
    """

    thresholds: Array
    needs_variance = True

    def decision(self, mean: Array, variance: Array | None) -> Array:
        assert variance is not None
        return np.asarray((mean - self.thresholds) / np.sqrt(1.0 + variance), dtype=float)

    def logits(self, decision: Array) -> Array:
        beyond = np.full((len(decision), 1), np.inf)
        return log_between(np.hstack([decision, -beyond]), np.hstack([beyond, decision]))
