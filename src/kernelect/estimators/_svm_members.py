"""The fitted models behind a support vector classifier: a plain machine, or a posterior.

An ensemble has several members of one kind.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import log_expit, logsumexp

from kernelect.criteria.svm.binary import binaries
from kernelect.criteria.svm.span import span_corrected_margins
from kernelect.kernels import Kernel
from kernelect.machines import EP, EPState
from kernelect.selection import SelectionObjective
from kernelect.typing import Array, Indices


@dataclass(frozen=True)
class SupportMember:
    """A solved machine, reduced to its support vectors."""

    kernel: Kernel
    C: float
    support: Indices  # among the rows of positive weight
    dual_coef: Array  # (n_support, k)
    inputs: Array  # support vectors; empty for a precomputed kernel
    loo: Array  # (n, k) span-corrected decision values of the training rows

    @classmethod
    def of(cls, objective: SelectionObjective, theta: Array, precomputed: bool) -> SupportMember:
        """Solve the machine at ``theta``."""
        fitted = objective.solved(theta)
        beta = fitted.state.dual_coef
        support = np.flatnonzero(np.any(beta != 0, axis=1))
        loo = np.column_stack([p.labels * span_corrected_margins(p) for p in binaries(fitted)])
        inputs = _inputs(objective, support, precomputed)
        return cls(objective.kernel_at(theta), fitted.regularization, support, beta[support], inputs, loo)

    def decide(self, cross: Array, diagonal: Array | None) -> Array:
        """Return decision values (m, k) from kernel values (n_support, m)."""
        return np.asarray(cross.T @ self.dual_coef, dtype=float)


@dataclass(frozen=True)
class PosteriorMember:
    """The Gaussian posterior of the latent functions, which all rows carry."""

    kernel: Kernel
    C: float
    support: Indices
    dual_coef: Array  # (n, k)
    inputs: Array
    machine: EP
    state: EPState

    @classmethod
    def of(cls, objective: SelectionObjective, theta: Array, precomputed: bool) -> PosteriorMember:
        """Find the posterior at ``theta``."""
        fitted = objective.solved(theta)
        machine: Any = fitted.machine
        support = np.arange(len(objective.X))
        inputs = _inputs(objective, support, precomputed)
        kernel, C, state = objective.kernel_at(theta), fitted.regularization, fitted.state
        return cls(kernel, C, support, state.dual_coef, inputs, machine, state)

    def decide(self, cross: Array, diagonal: Array | None) -> Array:
        """Return ln E Q(1) - ln E Q(-1), (m, k); the posterior mean where k(x, x) is not known."""
        if diagonal is None:
            return self.machine.decide(self.state, cross)
        mean, variance = self.machine.latent(self.state, cross, diagonal)
        return self.machine.likelihood.log_odds(mean, variance, self.C)


def _inputs(objective: SelectionObjective, support: Indices, precomputed: bool) -> Array:
    return np.zeros((0, objective.X.shape[1])) if precomputed else objective.X[support]


def mixed_log_odds(log_odds: Array) -> Array:
    """Return the log-odds (m, k) of the mean probability, from those of all members (members, m, k)."""
    return np.asarray(logsumexp(log_expit(log_odds), axis=0) - logsumexp(log_expit(-log_odds), axis=0), dtype=float)
