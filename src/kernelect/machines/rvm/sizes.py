"""What each function of a sparse model is worth: the evidence as functions are removed.

Notation as in posterior.py. A function's strength is w_i^2 / Sigma_ii, which compares its weight
with the weight's uncertainty.
"""

from __future__ import annotations

import numpy as np

from kernelect.machines.rvm.likelihoods import TargetLikelihood
from kernelect.machines.rvm.linear import Columns
from kernelect.machines.rvm.polish import Aim, SparseFit, polish, solve_at
from kernelect.machines.rvm.sequential import Sequential
from kernelect.typing import Array

#: Models on the way from all functions to none, about.
_POINTS = 40

#: Relative rise of the evidence at which precisions are found well enough for a picture.
_ROUGH = 1e-5


def evidence_by_size(columns: Columns, likelihood: TargetLikelihood) -> tuple[Array, Array]:
    """Return sizes and ln evidence from the model on ``columns`` down to none of its functions.

    The weakest functions are removed first, several at a time if there are many. Precisions and
    noise are found again each time. Cost O(n m^2) per model on the way.
    """
    fit = Sequential().fit(columns, likelihood)
    at_once = max(len(fit.active) // _POINTS, 1)
    path = [fit]
    while len(fit.active):
        fit = _without_weakest(columns.values, fit, at_once, likelihood)
        path.append(fit)
    return np.array([len(each.active) for each in path], dtype=float), np.array([each.log_evidence for each in path])


def _without_weakest(values: Array, fit: SparseFit, count: int, likelihood: TargetLikelihood) -> SparseFit:
    posterior = fit.posterior
    strength = posterior.weights**2 / np.diagonal(posterior.covariance)
    kept = np.sort(np.argsort(strength)[count:])
    if not len(kept):  # noise is then the targets' own size again
        return solve_at(values, fit.active[kept], posterior.alpha[kept], likelihood)
    less = solve_at(values, fit.active[kept], posterior.alpha[kept], fit.likelihood, posterior.weights[kept])
    return polish(values, less, Aim(tol=_ROUGH))
