"""The generalised relevance vector machine: centres of the functions move with their weights.

Notation: z_k = x_k + spread o zeta_k the centre of function k, x_k the training row it came
from, zeta ~ N(0, tau^2 I) its prior; J (n, m d) = d(Phi w)/dzeta, F minus the Hessian of the
log-posterior in (w, zeta),

    F_ww = Phi^T B Phi + A,
    F_wz = Phi^T B J - [k-th weight, k-th centre] sum_i e_i dK_ik/dzeta_k,
    F_zz = J^T B J - blockdiag_k sum_i e_i w_k d2K_ik/dzeta_k^2 + I / tau^2,

    ln E = ln p(t | w, z) - 1/2 w^T A w - |zeta|^2 / (2 tau^2)
           + 1/2 ln |A| - m d ln tau - 1/2 ln |F|.

Kropotov, Ptashko & Vetrov take a flat prior on z, under which the evidence depends on the inputs'
units and has no maximum: a weight that falls to 0 leaves a centre free to go anywhere. With the
proper prior a pruned centre contributes exactly nothing. Their section 5 also has a wrong sign of
ln p, sums over m instead of n, w_k counted twice and |x - z| instead of x - z. ``scalar_evidence``
is their scalar form with these slips corrected, so that the paper's claim can be tested.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from kernelect.machines.rvm.likelihoods import Slopes, TargetLikelihood
from kernelect.machines.rvm.polish import SparseFit, polish
from kernelect.machines.rvm.posterior import Posterior, ScaledFactor, find_mode, weighted_gram
from kernelect.numerics import factorize_overwriting, outer_gram, product
from kernelect.typing import Array

_MAX_STEPS = 100
_DECREMENT = 1e-7
_NEAR = 0.1  # decrement below which the exact Hessian is worth a try
_FEW = 1200  # unknowns, up to which that is cheap
_MAX_ROUNDS = 5


class Geometry(Protocol):
    """How the functions' values depend on their centres."""

    @property
    def spread(self) -> Array:
        """The unit of a move in each input."""

    @property
    def steepness(self) -> float:
        """The curvature of the functions' exponent in that unit, one number for all inputs."""

    @property
    def curvatures(self) -> Array:
        """The same for each input."""

    def distances(self, Z: Array) -> Array:
        """Return (n, m, d) differences between rows and centres in that unit."""

    def values(self, Z: Array) -> Array:
        """Return (n, m) values of functions centred on ``Z``."""

    def jacobian(self, Z: Array) -> Array:
        """Return (n, m, d) derivatives of the values in the centres."""

    def curvature(self, Z: Array, row_weights: Array) -> Array:
        """Return (m, d, d) weighted sums over rows of the second derivatives."""


@dataclass(frozen=True, kw_only=True)
class CentreFit:
    """Weights and centres at their joint mode.

    ``constant`` is true if the constant function is active; its weight then comes first.
    """

    weights: Array  # (c + m,)
    alpha: Array  # (c + m,)
    constant: bool
    origins: Array  # (m, d) rows the centres came from
    moves: Array  # (m, d) zeta
    likelihood: TargetLikelihood
    geometry: Geometry
    tau: float = 1.0

    @property
    def centres(self) -> Array:
        """The centres z, (m, d)."""
        return self.origins + self.geometry.spread * self.moves

    @property
    def kernel_weights(self) -> Array:
        """The weights of the functions that have a centre."""
        return self.weights[int(self.constant) :]

    def design(self) -> Array:
        """Return Phi (n, c + m)."""
        values = self.geometry.values(self.centres)
        return np.column_stack([np.ones(len(values)), values]) if self.constant else values

    def height(self, design: Array) -> float:
        """Return the log-posterior of (w, zeta) without its constant terms."""
        prior = self.weights @ (self.alpha * self.weights) + float(np.sum(self.moves**2)) / self.tau**2
        return self.likelihood.value(design @ self.weights) - 0.5 * float(prior)

    def moved(self, step: Array) -> CentreFit:
        """Return the fit with ``step`` added to (w, zeta)."""
        m = len(self.weights)
        return replace(self, weights=self.weights + step[:m], moves=self.moves + step[m:].reshape(self.moves.shape))


def at_rows(fit: SparseFit, X: Array, geometry: Geometry, tau: float) -> CentreFit:
    """Return the sparse fit with its centres still on the training rows they came from."""
    origins = X[fit.active[fit.active > 0] - 1]
    posterior, constant = fit.posterior, bool(np.any(fit.active == 0))
    return CentreFit(
        weights=posterior.weights,
        alpha=posterior.alpha,
        constant=constant,
        origins=origins,
        moves=np.zeros_like(origins),
        likelihood=fit.likelihood,
        geometry=geometry,
        tau=tau,
    )


def gradient(fit: CentreFit) -> tuple[Array, Slopes, Array, Array]:
    """Return the gradient of the log-posterior, the likelihood's slopes, Phi and J."""
    design = fit.design()
    slopes = fit.likelihood.slopes(design @ fit.weights)
    J = _latent_jacobian(fit)
    by_weight = design.T @ slopes.error - fit.alpha * fit.weights
    by_move = J.T @ slopes.error - fit.moves.ravel() / fit.tau**2
    return np.concatenate([by_weight, by_move]), slopes, design, J


def _unit_jacobian(fit: CentreFit) -> Array:
    """Return dK_ik/dzeta_kj, (n, m, d)."""
    return fit.geometry.jacobian(fit.centres) * fit.geometry.spread


def _latent_jacobian(fit: CentreFit) -> Array:
    weighted = fit.kernel_weights[:, None] * _unit_jacobian(fit)
    return weighted.reshape(len(weighted), -1)


def hessian(fit: CentreFit) -> tuple[Array, Array, Array]:
    """Return F_ww, F_wz and F_zz, exact."""
    _, slopes, design, J = gradient(fit)
    e, B = slopes.error, slopes.curvature
    m, d = fit.moves.shape
    first = int(fit.constant)
    F_ww = weighted_gram(design, B) + np.diag(fit.alpha)
    F_wz = product(design.T * B, J)
    by_centre = np.einsum("i,ikj->kj", e, _unit_jacobian(fit))
    F_zz = weighted_gram(J, B) + np.eye(m * d) / fit.tau**2
    blocks = fit.geometry.curvature(fit.centres, e) * np.multiply.outer(fit.geometry.spread, fit.geometry.spread)
    for k in range(m):
        part = slice(k * d, (k + 1) * d)
        F_wz[first + k, part] -= by_centre[k]
        F_zz[part, part] -= fit.kernel_weights[k] * blocks[k]
    return F_ww, F_wz, F_zz


def joint_mode(fit: CentreFit) -> CentreFit:
    """Return the fit at a (local) maximum over weights and centres.

    Gauss-Newton steps with step halving: [Phi J]^T B [Phi J] + diag(alpha, 1/tau^2) is positive
    definite everywhere; away from the mode the exact Hessian is not. Near the mode Newton's method needs
    a tenth as many steps, and is used if the unknowns are few enough to make it worth its cost.
    """
    height, decrement = fit.height(fit.design()), np.inf
    for _ in range(_MAX_STEPS):
        slope, slopes, design, J = gradient(fit)
        near = decrement < _NEAR and len(slope) <= _FEW
        step = _newton(fit, slope) if near else None
        if step is None:
            precisions = np.concatenate([fit.alpha, np.full(fit.moves.size, 1.0 / fit.tau**2)])
            step = _gauss_newton(np.column_stack([design, J]), slopes.curvature, precisions, slope)
        decrement = float(slope @ step)
        if decrement < _DECREMENT:
            break
        fit, rise = _line_search(fit, height, step, decrement)
        if rise <= 0.0:
            break
        height += rise
    return fit


def _newton(fit: CentreFit, slope: Array) -> Array | None:
    """Return F^-1 slope, or nothing if F is not positive definite."""
    F_ww, F_wz, F_zz = hessian(fit)
    F = np.block([[F_ww, F_wz], [F_wz.T, F_zz]])
    scale = np.sqrt(np.maximum(np.diagonal(F), 1e-300))
    factor = factorize_overwriting(F / (scale[:, None] * scale))
    return None if factor is None else factor.solve(slope / scale) / scale


def _gauss_newton(G: Array, B: Array, precisions: Array, slope: Array) -> Array:
    """Return (G^T B G + D)^-1 slope, D = diag(precisions), in the smaller of the two dimensions.

    With more unknowns than rows, by D^-1 - D^-1 G^T R (I + R G D^-1 G^T R)^-1 R G D^-1, R = B^1/2.
    """
    n, p = G.shape
    precisions = np.where((precisions == 0.0) & ~G.any(axis=0), 1.0, precisions)  # along an input that never varies
    if p <= n or not precisions.all():
        return ScaledFactor.of(weighted_gram(G, B, precisions)).solve(slope)
    spread = 1.0 / np.sqrt(precisions)
    scaled = np.sqrt(B)[:, None] * G * spread
    alone = slope * spread
    inner = outer_gram(scaled)
    inner.flat[:: n + 1] += 1.0
    return np.asarray(spread * (alone - scaled.T @ ScaledFactor.of(inner).solve(scaled @ alone)), dtype=float)


def _line_search(fit: CentreFit, height: float, step: Array, decrement: float) -> tuple[CentreFit, float]:
    length = 1.0
    while length > 1e-8:
        trial = fit.moved(length * step)
        rise = trial.height(trial.design()) - height
        if rise >= 1e-4 * length * decrement:
            return trial, rise
        length *= 0.5
    return fit, 0.0


def centre_evidence(fit: CentreFit) -> float:
    """Return ln E at the joint mode under the proper prior.

    ln |F| = ln |F_ww| + ln |Schur complement of zeta|, whose eigenvalues are floored at 1/tau^2,
    because the posterior of a centre is not wider than its prior. (The exact Hessian can violate
    this away from a mode, and rarely at one.)
    """
    F_ww, F_wz, F_zz = hessian(fit)
    factor = ScaledFactor.of(F_ww)
    schur = F_zz - product(F_wz.T, factor.solve(F_wz)) if len(F_ww) else F_zz
    stretched = np.maximum(np.linalg.eigvalsh(schur) * fit.tau**2, 1.0) if schur.size else np.ones(0)
    log_determinants = factor.log_determinant() + float(np.sum(np.log(stretched)))
    return fit.height(fit.design()) + 0.5 * (float(np.sum(np.log(fit.alpha))) - log_determinants)


def scalar_evidence(fit: CentreFit, *, printed: bool = False) -> float:
    """Return the evidence of Kropotov et al., section 5, corrected: a flat prior, one number per centre.

    Each centre is "a single variable" along the line to each x_i: with rho_ik = |x_i - z_k| / sigma
    (K = exp(-rho^2 / 2)), h' = w K rho / sigma, h'' = w K (rho^2 - 1) / sigma^2 and
    H_k = sum_i B h'^2 - e h''. Mixed terms are set to 0. Inputs are in units of their spread. The value depends
    on that choice and may grow without bound, so use it for comparison only.
    """
    _, slopes, design, _ = gradient(fit)
    K = fit.geometry.values(fit.centres)
    rho2 = -2.0 * np.log(np.maximum(K, 1e-300))
    w = fit.kernel_weights
    along = fit.geometry.steepness * (slopes.curvature @ (w**2 * K**2 * rho2) - slopes.error @ (w * K * (rho2 - 1.0)))
    F_ww = weighted_gram(design, slopes.curvature) + np.diag(fit.alpha)
    flat = replace(fit, tau=np.inf).height(design)
    occam = float(np.sum(np.log(fit.alpha))) - ScaledFactor.of(F_ww).log_determinant()
    circles = -len(fit.weights) if printed else len(w)
    per_centre = -np.log(np.maximum(np.abs(along), 1e-300))
    return flat + 0.5 * (occam + float(np.sum(per_centre)) + circles * float(np.log(2.0 * np.pi)))


def settled(fit: CentreFit, rounds: int) -> CentreFit:
    """Return the fit at its joint mode after so many rounds of new precisions at the centres, fewer if none changes."""
    fit = joint_mode(fit)
    for _ in range(rounds):
        trial = joint_mode(_repolished(fit))
        still = len(trial.alpha) == len(fit.alpha) and np.allclose(trial.alpha, fit.alpha, rtol=1e-3)
        fit = trial
        if still:
            break
    return fit


def moved_centres(fit: SparseFit, X: Array, geometry: Geometry, tau: float = 1.0) -> tuple[CentreFit, Posterior]:
    """Return weights, precisions and centres after optimising them in turn, and the posterior of the weights.

    Each round finds the joint mode of (w, z), then the precisions at the new centres (some may be
    pruned). Rounds go on as long as the centre evidence rises.
    """
    best = joint_mode(at_rows(fit, X, geometry, tau))
    value = centre_evidence(best)
    for _ in range(_MAX_ROUNDS):
        trial = joint_mode(_repolished(best))
        found = centre_evidence(trial)
        if found <= value + 1e-2:
            break
        best, value = trial, found
    return best, find_mode(best.design(), best.alpha, best.likelihood, best.weights)


def _repolished(fit: CentreFit) -> CentreFit:
    """Return the fit with its precisions at their best for the present centres."""
    design = fit.design()
    everything = np.arange(design.shape[1])
    start = SparseFit(everything, find_mode(design, fit.alpha, fit.likelihood, fit.weights), fit.likelihood)
    found = polish(design, start)
    first = int(fit.constant)
    kept = found.active[found.active >= first] - first
    return replace(
        fit,
        weights=found.posterior.weights,
        alpha=found.posterior.alpha,
        constant=bool(fit.constant and np.any(found.active == 0)),
        origins=fit.origins[kept],
        moves=fit.moves[kept],
        likelihood=found.likelihood,
    )
