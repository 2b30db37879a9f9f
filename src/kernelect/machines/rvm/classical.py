"""Classical re-estimation of an RVM: start with all functions and prune those of large precision."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernelect.machines.rvm.algorithm import Algorithm
from kernelect.machines.rvm.likelihoods import TargetLikelihood
from kernelect.machines.rvm.linear import Columns
from kernelect.machines.rvm.polish import Aim, SparseFit, polish, solve_at
from kernelect.typing import Array


@dataclass(frozen=True)
class Classical(Algorithm):
    """Starts with all functions, re-estimates every alpha = gamma / w^2 at once and prunes large alpha.

    Tipping (2001); Kropotov et al., eq. 6, which has lost the square on w. Every iteration
    factorises all functions that are left, O(n M^2) at first. Use it for comparison, and for sets
    of functions so small that the order of additions matters more than time.

    Parameters
    ----------
    tol : float
        The iteration has converged when ln alpha changes by at most this.
    max_iter : int
    polished, bound, price, deadline
        As for every algorithm.
    """

    tol: float = 1e-2
    max_iter: int = 100

    #: Relative to the function's sum of squares: where a weight counts as pruned.
    _PRUNED = 1e6

    def fit(self, columns: Columns, likelihood: TargetLikelihood, start: SparseFit | None = None) -> SparseFit:
        norms = likelihood.sample_weight @ columns.squares
        active = np.flatnonzero(norms > 0.0)
        alpha = norms[active] / len(columns.values)
        fit = solve_at(columns.values, active, alpha, likelihood)
        for _ in range(self.max_iter):
            alpha, likelihood = _reestimated(fit)
            kept = alpha < self._PRUNED * likelihood.noise_precision * norms[fit.active]
            change = np.abs(np.log(alpha[kept] / fit.posterior.alpha[kept])).max(initial=0.0)
            fit = solve_at(columns.values, fit.active[kept], alpha[kept], likelihood)
            if (change < self.tol and kept.all()) or self.deadline.passed:
                break
        return polish(columns.values, fit, Aim(deadline=self.deadline)) if self.polished else fit


def _reestimated(fit: SparseFit) -> tuple[Array, TargetLikelihood]:
    """Return alpha = gamma / w^2, and the likelihood with its noise set in the same way."""
    posterior, gamma = fit.posterior, fit.posterior.determination()
    alpha = gamma / np.maximum(posterior.weights**2, 1e-300)
    return np.where(gamma > 0.0, alpha, np.inf), fit.likelihood.reestimated(posterior.slopes, gamma)
