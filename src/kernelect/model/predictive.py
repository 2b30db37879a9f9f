"""Links of Gaussian processes: probabilities integrated over the posterior of the latent functions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernelect.machines.ep.likelihoods import Likelihood
from kernelect.model.links import Link, both_ways
from kernelect.numerics.normal import log_between
from kernelect.typing import Array


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
    by_thresholds = True

    def decision(self, mean: Array, variance: Array | None) -> Array:
        assert variance is not None
        return np.asarray((mean - self.thresholds) / np.sqrt(1.0 + variance), dtype=float)

    def logits(self, decision: Array) -> Array:
        beyond = np.full((len(decision), 1), np.inf)
        return log_between(np.hstack([decision, -beyond]), np.hstack([beyond, decision]))
