"""The derivative of the evidence with movable centres in the widths of a Gaussian kernel.

Kropotov, Ptashko & Vetrov call it an open question (section 6). Notation of centres.py, and for input j

    a_j     the curvature u_j^2 / sigma_j^2 of the exponent, u_j the input's spread,
    xi_ikj  (x_ij - z_kj) / u_j,    b_ikj = a_j xi_ikj,    K_ik = exp(-1/2 sum_j a_j xi_ikj^2),
    v       (w, zeta), Psi = [Phi J], J_i(kj) = w_k K_ik b_ikj,    B' = dB/dh,    de/dh = -B.

With G = -1/2 ln |F_ww| - 1/2 ln |Schur complement| (eigenvalues at the floor left out) and M = dG/dF,

    dG = sum_i (Psi M Psi^T)_ii dB_i + 2 sum_i B_i (Psi M)_i dPsi_i - d(sum_ik e_i K_ik tau_ik),
    tau_ik = c_k^T b_ik + w_k (b_ik^T Q_k b_ik - sum_j a_j Q_kjj),

where c_k = 2 M_wz[k, k-th block] and Q_k = M_zz[k-th block, k-th block]. At the joint mode the log-posterior has no
slope in v, so v moves with the widths by dv = F^-1 d(slope of the log-posterior), which enters G alone:

    dE = partial dE + lambda^T d(slope),    lambda = F^-1 dG/dv.

All of it is a sum of terms in dK_ik and db_ikj (:class:`_Adjoint`), and those of a_j follow from

    dK_ik = K_ik (b_ik . dzeta_k - 1/2 xi_ik^2 . da),    db_ik = xi_ik o da - a o dzeta_k.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from kernelect.machines.rvm.centres import CentreFit, gradient, hessian
from kernelect.machines.rvm.likelihoods import Slopes
from kernelect.machines.rvm.posterior import ScaledFactor
from kernelect.typing import Array


@dataclass(frozen=True, kw_only=True)
class CentreSlope:
    """The derivatives of ``centre_evidence`` at a joint mode, which moves along.

    Attributes
    ----------
    log_gamma : ndarray of shape (d,)
        In the logarithm of the width of each input, with the precisions held.
    log_precision : ndarray
        In the logarithms of the precisions alpha, then of beta if the noise is normal.
    """

    log_gamma: Array
    log_precision: Array


@dataclass(kw_only=True)
class _Adjoint:
    """The derivatives of a scalar in K_ik (n, m) and in b_ikj (n, m, d), and what they say of zeta and a."""

    K: Array
    b: Array
    xi: Array
    a: Array
    by_value: Array = field(init=False)
    by_slope: Array = field(init=False)

    def __post_init__(self) -> None:
        self.by_value, self.by_slope = np.zeros(self.K.shape), np.zeros(self.b.shape)

    def add_products(self, factor: Array, of_moves: Array) -> None:
        """Add sum_ikj of_moves_ikj factor_k K_ik b_ikj, which is what a derivative of J adds."""
        self.by_value += factor * np.einsum("ikj,ikj->ik", of_moves, self.b)
        self.by_slope += (factor * self.K)[:, :, None] * of_moves

    def moves(self) -> Array:
        """Return the derivative in zeta (m, d)."""
        return np.asarray(np.einsum("ik,ikj->kj", self.by_value * self.K, self.b) - self.a * self.by_slope.sum(axis=0))

    def log_curvatures(self) -> Array:
        """Return the derivative in ln a (d,)."""
        by_a = -0.5 * np.einsum("ik,ikj->j", self.by_value * self.K, self.xi**2)
        return np.asarray(self.a * (by_a + np.einsum("ikj,ikj->j", self.by_slope, self.xi)), dtype=float)


def centre_slope(fit: CentreFit) -> CentreSlope:
    """Return the derivatives of the evidence at the joint mode ``fit``; O(n m^2 d^2) for m centres and d inputs."""
    geometry, m, d, first = fit.geometry, *fit.moves.shape, int(fit.constant)
    if not len(fit.weights):
        return CentreSlope(log_gamma=np.zeros(d), log_precision=np.zeros(len(fit.likelihood.log_noise())))
    _, slopes, design, J = gradient(fit)
    e, B, w = slopes.error, slopes.curvature, fit.kernel_weights
    F_ww, F_wz, F_zz = hessian(fit)
    M_ww, M_wz, M_zz = _determinant_slopes(fit, F_ww, F_wz, F_zz)
    K, xi, a = geometry.values(fit.centres), geometry.distances(fit.centres), geometry.curvatures
    b = a * xi

    # Psi M, split into the weights' and the moves' part
    by_weight, by_move = design @ M_ww + J @ M_wz.T, design @ M_wz + J @ M_zz
    leverage = np.einsum("ij,ij->i", by_weight, design) + np.einsum("ij,ij->i", by_move, J)
    own = [slice(k * d, (k + 1) * d) for k in range(m)]
    c = 2.0 * np.array([M_wz[first + k, part] for k, part in enumerate(own)]).reshape(m, d)
    Q = np.array([M_zz[part, part] for part in own]).reshape(m, d, d)
    Qb = np.einsum("kjl,ikl->ikj", Q, b)
    bent = np.einsum("ikj,ikj->ik", Qb, b) - np.einsum("kjj,j->k", Q, a)
    tau = np.einsum("kj,ikj->ik", c, b) + w * bent
    by_h = leverage * slopes.skew + B * np.einsum("ik,ik->i", K, tau)
    of_moves = 2.0 * B[:, None, None] * by_move.reshape(len(B), m, d)

    determinants = _Adjoint(K=K, b=b, xi=xi, a=a)
    determinants.add_products(w, of_moves)
    determinants.by_value += 2.0 * B[:, None] * by_weight[:, first:] + by_h[:, None] * w - e[:, None] * tau
    determinants.by_slope -= (e[:, None] * K)[:, :, None] * (c + 2.0 * w[:, None] * Qb)
    by_w = design.T @ by_h
    by_w[first:] += np.einsum("ikj,ikj->k", of_moves, K[:, :, None] * b) - np.einsum("i,ik,ik->k", e, K, bent)

    F = np.block([[F_ww, F_wz], [F_wz.T, F_zz]])
    adjoint = np.linalg.solve(F, np.concatenate([by_w, determinants.moves().ravel()]))
    of_w, of_zeta = adjoint[: first + m], adjoint[first + m :].reshape(m, d)
    carried = design @ of_w + J @ adjoint[first + m :]
    followed = _Adjoint(K=K, b=b, xi=xi, a=a)
    followed.add_products(w, e[:, None, None] * of_zeta)
    followed.by_value += e[:, None] * of_w[first:] - (carried * B)[:, None] * w + e[:, None] * w  # the last of E itself
    by_log_a = determinants.log_curvatures() + followed.log_curvatures()
    by_log_a += a * np.einsum("i,ik,k,kjj->j", e, K, w, Q)
    by_log_alpha = 0.5 + fit.alpha * (np.diagonal(M_ww) - 0.5 * fit.weights**2 - of_w * fit.weights)
    noise = _noise_slope(fit, slopes, (M_ww, M_wz, M_zz), (F_ww, F_wz, F_zz), carried)
    return CentreSlope(log_gamma=by_log_a, log_precision=np.concatenate([by_log_alpha, noise]))


def _determinant_slopes(fit: CentreFit, F_ww: Array, F_wz: Array, F_zz: Array) -> tuple[Array, Array, Array]:
    """Return dG/dF as the blocks of a symmetric matrix; eigenvalues at the floor do not move."""
    factor = ScaledFactor.of(F_ww)
    W = factor.solve(F_wz)
    values, vectors = np.linalg.eigh(F_zz - F_wz.T @ W)
    free = values * fit.tau**2 > 1.0
    D = (vectors[:, free] / values[free]) @ vectors[:, free].T
    WD = W @ D
    return -0.5 * (factor.inverse() + WD @ W.T), 0.5 * WD, -0.5 * D


def _noise_slope(
    fit: CentreFit, slopes: Slopes, by_F: tuple[Array, ...], F: tuple[Array, ...], carried: Array
) -> Array:
    """Return the derivative in ln beta, of which F without the priors, e and B are multiples; nothing for labels."""
    if not fit.likelihood.quadratic:
        return np.zeros(0)
    M_ww, M_wz, M_zz = by_F
    F_ww, F_wz, F_zz = F
    prior = M_ww.diagonal() @ fit.alpha + np.trace(M_zz) / fit.tau**2
    of_F = np.sum(M_ww * F_ww) + 2.0 * np.sum(M_wz * F_wz) + np.sum(M_zz * F_zz) - prior
    of_E = fit.likelihood.log_noise_slope(slopes, np.zeros(1))[0]
    return np.array([of_F + of_E + carried @ slopes.error])
