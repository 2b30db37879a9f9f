"""The posterior of an RVM at fixed precisions by Laplace, its evidence and exact gradients.

Notation: Phi (n, m) design of the active functions, w (m,) weights at the mode, alpha (m,)
prior precisions, A = diag alpha, H = Phi^T B Phi + A = Sigma^-1, e, B, B' the likelihood's
slopes, q = diag(Phi Sigma Phi^T), u = -1/2 Phi^T (B' o q), v = Sigma u,

    ln E = ln p(t | Phi w) - 1/2 w^T A w + 1/2 ln |A| - 1/2 ln |H|:

the 2 pi of prior and Laplace cancel, so a function whose alpha goes to infinity contributes
exactly nothing. For normal noise this is the exact evidence.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kernelect.machines.rvm.likelihoods import Slopes, TargetLikelihood
from kernelect.numerics import CholeskyFactor, factorize, factorize_overwriting, product, triangular_inverse
from kernelect.typing import Array

_MAX_NEWTON = 200

#: Newton's decrement if derivatives of the evidence are wanted.
EXACT = 1e-13


@dataclass(frozen=True)
class ScaledFactor:
    """A Cholesky factor of a positive definite matrix that was scaled to a unit diagonal.

    Columns of a design may differ by many orders of magnitude (1e8-scaled inputs in a linear
    kernel); with a unit diagonal the library's jitter is small for each of them.
    """

    unit: CholeskyFactor
    scale: Array  # (m,) square roots of the diagonal

    @classmethod
    def of(cls, matrix: Array) -> ScaledFactor:
        """Factorise ``matrix``."""
        scale = np.sqrt(matrix.diagonal())
        if not len(scale):
            return cls(CholeskyFactor(np.zeros((0, 0))), scale)
        unit = factorize_overwriting(matrix / (scale[:, None] * scale))
        if unit is None or not np.isfinite(unit.lower[-1, -1]):
            unit = factorize(matrix / (scale[:, None] * scale))  # with jitter, or an error with the reason
        return cls(unit, scale)

    def solve(self, right: Array) -> Array:
        """Return M^-1 right."""
        if not len(self.scale):
            return np.zeros_like(right)
        scale = self.scale if right.ndim == 1 else self.scale[:, None]
        return self.unit.solve(right / scale) / scale

    def half_solve(self, right: Array) -> Array:
        """Return L^-1 right for (m, k) ``right``, with L L^T = M."""
        return self.unit.half_solve(right / self.scale[:, None]) if len(self.scale) else np.zeros_like(right)

    def inverse(self) -> Array:
        """Return M^-1 itself, for its diagonal and its products with the design."""
        if not len(self.scale):
            return np.zeros((0, 0))
        return self.unit.inverse() / (self.scale[:, None] * self.scale)

    def half_inverse(self) -> Array:
        """Return L^-1, with L L^T = M."""
        return triangular_inverse(self.unit.lower) / self.scale if len(self.scale) else np.zeros((0, 0))

    def log_determinant(self) -> float:
        """Return ln |M|."""
        return self.unit.log_determinant() + 2.0 * float(np.log(self.scale).sum())


@dataclass(frozen=True, kw_only=True)
class Posterior:
    """The Gaussian approximation at the mode."""

    weights: Array  # (m,) w
    alpha: Array  # (m,)
    factor: ScaledFactor  # of H
    slopes: Slopes
    log_evidence: float

    @cached_property
    def covariance(self) -> Array:
        """Sigma (m, m), for its diagonal and its products with the design."""
        return self.factor.inverse()

    def determination(self) -> Array:
        """Return gamma_i = 1 - alpha_i Sigma_ii, how far the data determine each weight (0 to 1)."""
        return np.clip(1.0 - self.alpha * np.diagonal(self.covariance), 0.0, 1.0)


def find_mode(
    design: Array, alpha: Array, likelihood: TargetLikelihood, start: Array | None = None, tol: float = EXACT
) -> Posterior:
    """Return the posterior at its mode, by Newton's method with step halving from ``start``.

    The log-posterior is concave, so the mode is unique. ``tol`` is the decrement (twice the
    distance to the maximum, in nats) below which the search stops. Cost O(n m^2) per Newton step.
    """
    here = _Place.at(design, alpha, likelihood, np.zeros(len(alpha)) if start is None else start)
    for _ in range(_MAX_NEWTON):
        factor = ScaledFactor.of(weighted_gram(design, here.slopes.curvature, alpha))
        slope = design.T @ here.slopes.error - alpha * here.w
        step = factor.solve(slope)
        decrement = float(slope @ step)
        if decrement <= tol * (1.0 + abs(here.height)):
            break
        there = _line_search(design, alpha, likelihood, here, step, decrement)
        if there is None:  # rounding: no step rises any further
            break
        here = there
    evidence = here.height + 0.5 * float(np.log(alpha).sum()) - 0.5 * factor.log_determinant()
    return Posterior(weights=here.w, alpha=alpha, factor=factor, slopes=here.slopes, log_evidence=evidence)


@dataclass(frozen=True)
class _Place:
    """Weights, the likelihood there and the log-posterior."""

    w: Array
    slopes: Slopes
    height: float

    @classmethod
    def at(cls, design: Array, alpha: Array, likelihood: TargetLikelihood, w: Array) -> _Place:
        slopes = likelihood.slopes(design @ w)
        return cls(w, slopes, slopes.value - 0.5 * float(w @ (alpha * w)))


def _line_search(
    design: Array, alpha: Array, likelihood: TargetLikelihood, here: _Place, step: Array, decrement: float
) -> _Place | None:
    """Halve ``step`` until the log-posterior rises enough; nothing if it never does."""
    length = 1.0
    while length > 1e-10:
        there = _Place.at(design, alpha, likelihood, here.w + length * step)
        if there.height - here.height >= max(1e-4 * length * decrement, 1e-300):
            return there
        length *= 0.5
    return None


def weighted_gram(design: Array, row_weights: Array, diagonal: Array | float = 0.0) -> Array:
    """Return Phi^T diag(row_weights) Phi + diag(diagonal) for nonnegative weights."""
    gram = product(design.T * row_weights, design)
    gram.flat[:: len(gram) + 1] += diagonal  # the diagonal, at a tenth of the cost of an index of it
    return gram


@dataclass(frozen=True, kw_only=True)
class DesignGradient:
    """Derivatives of a function of the posterior in ln alpha and in the design."""

    log_alpha: Array  # (m,)
    design: Array  # (n, m)


def _pulled(posterior: Posterior, design: Array, R: Array) -> tuple[Array, Array]:
    """Return q = diag(Phi R Phi^T) and v."""
    q = np.einsum("ij,ij->i", product(design, R), design)
    return q, posterior.factor.solve(-0.5 * (design.T @ (posterior.slopes.skew * q)))


def trace_gradient(posterior: Posterior, design: Array, R: Array) -> DesignGradient:
    """Return the derivatives whose differential is -1/2 tr(R dH), including the move of the mode.

    ``R`` (m, m) is symmetric and held fixed. H moves with alpha and Phi directly, and with B, which
    moves with h = Phi w. The weights w move by H dw = dPhi^T e - Phi^T B dPhi w - dA w.
    """
    w, alpha, slopes = posterior.weights, posterior.alpha, posterior.slopes
    weighted = slopes.curvature[:, None] * design
    q, v = _pulled(posterior, design, R)
    by_row = 0.5 * slopes.skew * q + weighted @ v
    return DesignGradient(
        log_alpha=-alpha * (0.5 * np.diagonal(R) + w * v),
        design=np.outer(slopes.error, v) - product(weighted, R) - np.outer(by_row, w),
    )


def evidence_gradient(posterior: Posterior, design: Array) -> DesignGradient:
    """Return the exact derivatives of ln E in ln alpha and in every entry of the design.

    dE/dln alpha_i = 1/2 (1 - alpha_i w_i^2 - alpha_i Sigma_ii) - alpha_i w_i v_i. The last term is
    there because B moves with w. Without it the derivative vanishes if alpha = gamma / w^2
    (Kropotov et al., eq. 6, with the square that the paper lost), so that point is not stationary
    for the Laplace evidence.
    """
    trace = trace_gradient(posterior, design, posterior.covariance)
    return DesignGradient(
        log_alpha=0.5 * (1.0 - posterior.alpha * posterior.weights**2) + trace.log_alpha,
        design=np.outer(posterior.slopes.error, posterior.weights) + trace.design,
    )


def precision_slope(posterior: Posterior, design: Array) -> Array:
    """Return the derivative in ln alpha alone, at less cost."""
    w, alpha, Sigma = posterior.weights, posterior.alpha, posterior.covariance
    _, v = _pulled(posterior, design, Sigma)
    return np.asarray(0.5 * (1.0 - alpha * (w**2 + np.diagonal(Sigma))) - alpha * w * v, dtype=float)
