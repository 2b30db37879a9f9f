"""alpha and beta as Barrio et al. follow them: a few steps of their fixed point, stopped by equation (5).

Notation of factored.py, and alpha, beta the precisions of weights and noise, lambda = alpha / beta,

    mu = H^-1 b,    gamma = m - lambda tr H^-1,
    alpha_new = gamma / |mu|^2,    beta_new = (N - gamma) / |t - Phi mu|^2            (their eq. 2).

They stop as soon as neither would move by more than epsilon of its posterior deviation, sqrt(2 / gamma) and
sqrt(2 / (N - gamma)) in the logarithm (eq. 5), and value the subset where they are then (eq. 4). The same subset is
therefore worth something else if a search comes to it from elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from kernelect.numerics import factorize
from kernelect.subsets.evidence import GAMMA_FLOOR, Scored, occam_factor
from kernelect.subsets.factored import MISFIT_FLOOR
from kernelect.subsets.moments import SubsetMoments
from kernelect.typing import Indices

#: The first alpha, and the first noise variance as a share of the targets', of section IV.
_FIRST_ALPHA, _FIRST_NOISE = 1e-3, 0.1

_MOST_STEPS = 1000


@dataclass(frozen=True, kw_only=True)
class Precisions:
    """alpha and beta where a search stands."""

    alpha: float
    beta: float

    @classmethod
    def first(cls, moments: SubsetMoments) -> Self:
        """Return the paper's first values."""
        return cls(alpha=_FIRST_ALPHA, beta=float(moments.n_rows / (_FIRST_NOISE * moments.energy[0])))

    def settled(self, moments: SubsetMoments, chosen: Indices, epsilon: float) -> tuple[Precisions, Scored]:
        """Return the precisions at which the re-estimation for a subset ends, and its value there (eq. 4)."""
        G, b = moments.gram[np.ix_(chosen, chosen)], moments.projections[chosen, 0]
        N, m, energy, here = moments.n_rows, len(chosen), float(moments.energy[0]), self
        for _ in range(_MOST_STEPS):
            factor = factorize(G, here.alpha / here.beta)
            mu, lam = factor.solve(b), here.alpha / here.beta
            gamma = float(np.clip(m - lam * np.trace(factor.inverse()), GAMMA_FLOOR, N - GAMMA_FLOOR))
            residual = max(energy - 2.0 * b @ mu + mu @ G @ mu, MISFIT_FLOOR * energy)
            new = Precisions(alpha=gamma / float(mu @ mu), beta=(N - gamma) / residual)
            deviations = np.sqrt([2.0 / gamma, 2.0 / (N - gamma)])
            moves = np.abs(np.log([new.alpha / here.alpha, new.beta / here.beta]))
            if np.all(moves < epsilon * deviations):
                break
            here = new
        misfit = max(energy - b @ mu, MISFIT_FLOOR * energy)
        determinant = factor.log_determinant() - m * np.log(lam)
        height = -0.5 * (N * np.log(2.0 * np.pi / here.beta) + determinant + here.beta * misfit) + moments.log_constant
        value = height + occam_factor(np.array(gamma), N)
        scored = Scored(value=float(value), regularization=lam, deviation=float(deviations[0]), at_bound=False)
        return here, scored
