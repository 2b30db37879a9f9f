"""One softmax model from one-against-rest functions and precisions.

Notation: Phi_c (n, m_c) active functions of class c, w_c their weights, h_c = Phi_c w_c,
p = softmax(h), y (n, k) indicators, s sample weights. With all w stacked, the log-posterior
sum s y ln p - 1/2 w^T A w is concave; its Hessian has blocks
-Phi_c^T diag(s (p_c delta_cd - p_c p_d)) Phi_d.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from scipy.special import log_softmax

from kernelect.linalg import product
from kernelect.machines.rvm_posterior import ScaledFactor
from kernelect.typing import Array

_MAX_NEWTON = 200


@dataclass(frozen=True)
class SoftmaxPosterior:
    """Weights at their joint mode and each class's block of the covariance."""

    weights: tuple[Array, ...]
    covariances: tuple[Array, ...]


def softmax_mode(
    designs: tuple[Array, ...], alphas: tuple[Array, ...], indicators: Array, sample_weight: Array
) -> SoftmaxPosterior:
    """Return the mode of all classes' weights together, by Newton's method with step halving.

    One-against-rest machines choose functions and precisions class by class, but their
    probabilities do not add up; at those precisions the softmax is the one model of all
    classes. Cost O(n m^2) per step with m functions in all.
    """
    alpha = np.concatenate(alphas)
    cuts = np.cumsum([len(each) for each in alphas])[:-1]
    problem = _Softmax(designs, alpha, cuts, indicators, sample_weight)
    w = np.zeros(len(alpha))
    height = problem.height(w)
    for _ in range(_MAX_NEWTON):
        slope, F = problem.slopes(w)
        factor = ScaledFactor.of(F)
        step = factor.solve(slope)
        decrement = float(slope @ step)
        if decrement < 1e-12 * (1.0 + abs(height)):
            break
        length = 1.0
        while (rise := problem.height(w + length * step) - height) < 1e-4 * length * decrement and length > 1e-10:
            length *= 0.5
        if rise <= 0.0:
            break
        w, height = w + length * step, height + rise
    Sigma = factor.inverse()
    blocks = [np.arange(len(w))[part] for part in problem.parts()]
    return SoftmaxPosterior(tuple(w[block] for block in blocks), tuple(Sigma[np.ix_(block, block)] for block in blocks))


@dataclass(frozen=True)
class _Softmax:
    designs: tuple[Array, ...]
    alpha: Array
    cuts: Array
    indicators: Array
    sample_weight: Array

    def parts(self) -> list[slice]:
        """Return each class's place in the stacked weights."""
        ends = [0, *self.cuts.tolist(), len(self.alpha)]
        return [slice(a, b) for a, b in itertools.pairwise(ends)]

    def log_probabilities(self, w: Array) -> Array:
        latents = [Phi @ w[part] for Phi, part in zip(self.designs, self.parts(), strict=True)]
        return np.asarray(log_softmax(np.column_stack(latents), axis=1), dtype=float)

    def height(self, w: Array) -> float:
        likelihood = self.sample_weight @ np.sum(self.indicators * self.log_probabilities(w), axis=1)
        return float(likelihood) - 0.5 * float(w @ (self.alpha * w))

    def slopes(self, w: Array) -> tuple[Array, Array]:
        """Return the gradient and minus the Hessian."""
        p, s = np.exp(self.log_probabilities(w)), self.sample_weight
        error = s[:, None] * (self.indicators - p)
        gradient = np.concatenate([Phi.T @ error[:, c] for c, Phi in enumerate(self.designs)]) - self.alpha * w
        F = np.diag(self.alpha)
        for c, (Phi, rows) in enumerate(zip(self.designs, self.parts(), strict=True)):
            for other in range(c + 1):
                columns = self.parts()[other]
                weights = s * p[:, c] * ((1.0 if other == c else 0.0) - p[:, other])
                block = product((Phi * weights[:, None]).T, self.designs[other])
                F[rows, columns] += block
                if other != c:
                    F[columns, rows] += block.T
        return gradient, F
