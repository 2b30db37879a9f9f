"""Classical re-estimation of an RVM: all functions at first, those of large precision pruned."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernelect.machines.rvm.likelihoods import Likelihood, Normal
from kernelect.machines.rvm.linear import Dictionary
from kernelect.machines.rvm.polish import NOISE_FLOOR, SparseFit, polish, solve_at
from kernelect.machines.rvm.sequential import Algorithm
from kernelect.typing import Array


@dataclass(frozen=True)
class Classical(Algorithm):
    """All functions at first, alpha = gamma / w^2 re-estimated at once, large alpha pruned.

    Tipping (2001); Kropotov et al., eq. 6, which has lost the square on w. Every iteration
    factorises all functions that are left, O(n M^2) at first: for comparison, and for
    dictionaries so small that the order of additions matters more than time.

    Parameters
    ----------
    tol : float
        Largest change of ln alpha at which the iteration has converged.
    max_iter : int
    polished : bool
    """

    tol: float = 1e-2
    max_iter: int = 100

    #: Relative to the function's sum of squares: where a weight counts as pruned.
    _PRUNED = 1e6

    def fit(self, dictionary: Dictionary, likelihood: Likelihood, start: SparseFit | None = None) -> SparseFit:
        norms = likelihood.sample_weight @ dictionary.squares
        active = np.flatnonzero(norms > 0.0)
        alpha = norms[active] / len(dictionary.values)
        fit = solve_at(dictionary.values, active, alpha, likelihood)
        for _ in range(self.max_iter):
            alpha, likelihood = _reestimated(fit)
            precision = likelihood.precision if isinstance(likelihood, Normal) else 1.0
            kept = alpha < self._PRUNED * precision * norms[fit.active]
            change = np.abs(np.log(alpha[kept] / fit.posterior.alpha[kept])).max(initial=0.0)
            fit = solve_at(dictionary.values, fit.active[kept], alpha[kept], likelihood)
            if change < self.tol and kept.all():
                break
        return polish(dictionary.values, fit) if self.polished else fit


def _reestimated(fit: SparseFit) -> tuple[Array, Likelihood]:
    """Return alpha = gamma / w^2 and, for normal noise, beta = (N - sum gamma) / |t - Phi w|^2."""
    posterior, likelihood = fit.posterior, fit.likelihood
    gamma = posterior.determination()
    alpha = gamma / np.maximum(posterior.weights**2, 1e-300)
    alpha = np.where(gamma > 0.0, alpha, np.inf)
    if not isinstance(likelihood, Normal):
        return alpha, likelihood
    misfit = float(posterior.slopes.error**2 @ (1.0 / posterior.slopes.curvature)) / likelihood.precision
    floor = NOISE_FLOOR * float(likelihood.sample_weight @ likelihood.targets**2)
    free = max(likelihood.count - float(gamma.sum()), 1e-3 * likelihood.count)
    return alpha, likelihood.with_precision(free / max(misfit, floor))
