"""The exact second derivative of an RVM's evidence in its log-precisions.

Notation as in posterior.py; x = ln alpha, followed by ln beta if the noise is normal,
W_ij = dw_i/dx_j = -Sigma_ij alpha_j w_j, Z = B' o (Phi W) the derivative of B, R = Phi Sigma,
P = Phi Sigma Phi^T, a a^T o M the matrix with entries a_i M_ij a_j. With B held,

    -d2E/dx dx^T = 1/2 diag(alpha o (w^2 + diag Sigma)) - (alpha w)(alpha w)^T o Sigma
                   - 1/2 alpha alpha^T o Sigma o Sigma;

that is all for normal noise. For labels B moves too, which adds further terms; if classes are nearly
separable these are several times as large. Differentiating
dE/dx_i = 1/2 (1 - alpha_i w_i^2 - alpha_i Sigma_ii) - alpha_i w_i v_i term by term:

    dSigma_ii/dx_j = -[(R o R)^T Z]_ij - alpha_j Sigma_ij^2,
    dq/dx_j = -(P o P) Z_j - alpha_j R_j^2,
    dv/dx_j = -Sigma (1/2 Phi^T (B'' o (Phi W)_j o q + B' o dq/dx_j) + Phi^T (Z_j o Phi v) + alpha_j v_j).

Every sum over rows has the factors B' or B'', both below B, and P_ij^2 <= q_i q_j. A row therefore enters
through its leverage B q, at most 1. In a model that separates the classes most rows have none.
"""

from __future__ import annotations

import numpy as np

from kernelect.machines.rvm.likelihoods import TargetLikelihood
from kernelect.machines.rvm.posterior import Posterior
from kernelect.numerics import product
from kernelect.typing import Array

#: Leverage, relative to the largest, below which a row is left out of the curvature.
_NEGLIGIBLE = 1e-10

#: The same if the curvature only guides an ascent whose slope is exact.
ROUGH_LEVERAGE = 1e-5


def evidence_curvature(
    posterior: Posterior, design: Array, likelihood: TargetLikelihood, least_leverage: float = _NEGLIGIBLE
) -> Array:
    """Return minus the second derivative of ln E in ln alpha, then in ln beta if there is one.

    Cost O(n m^2) for normal noise. For labels O(r m min(r, m^2)), where r counts the rows whose
    leverage is above ``least_leverage`` (times the largest one).
    """
    inner = _with_rows_held(posterior)
    if likelihood.quadratic:
        return _bordered(inner, posterior)
    return inner + _through_rows(posterior, design, least_leverage) if len(inner) else inner


def _with_rows_held(posterior: Posterior) -> Array:
    alpha, w, Sigma = posterior.alpha, posterior.weights, posterior.covariance
    pull = alpha * w
    own = 0.5 * alpha * (w**2 + np.diagonal(Sigma))
    return np.asarray(np.diag(own) - np.outer(pull, pull) * Sigma - 0.5 * np.outer(alpha, alpha) * Sigma**2)


def _bordered(inner: Array, posterior: Posterior) -> Array:
    """Add the row and column of ln beta: dw/dln beta = Sigma A w, dSigma/dln beta = Sigma A Sigma - Sigma."""
    alpha, Sigma = posterior.alpha, posterior.covariance
    pull = alpha * posterior.weights
    shrinks = alpha * (np.diagonal(Sigma) - np.einsum("ij,j,ji->i", Sigma, alpha, Sigma))
    moves = Sigma @ pull
    across = pull * moves - 0.5 * shrinks
    misfit = float(posterior.slopes.error**2 @ (1.0 / posterior.slopes.curvature))
    corner = 0.5 * (misfit + float(shrinks.sum())) - float(pull @ moves)
    return np.block([[inner, across[:, None]], [across[None, :], np.array([[corner]])]])


def _through_rows(posterior: Posterior, design: Array, least_leverage: float) -> Array:
    """Return what the move of B adds."""
    alpha, w, Sigma, slopes = posterior.alpha, posterior.weights, posterior.covariance, posterior.slopes
    B, skew = slopes.curvature, slopes.skew
    bend = B * (1.5 * slopes.tilt**2 - 0.5)  # B'' of the sigmoid
    R = product(design, Sigma)
    q = np.einsum("ij,ij->i", R, design)
    v = -0.5 * (R.T @ (skew * q))
    rows = B * q > least_leverage * np.max(B * q)
    design, R, q, skew, bend = (each[rows] for each in (design, R, q, skew, bend))
    W = -Sigma * (alpha * w)
    dh = product(design, W)
    Z = skew[:, None] * dh
    dq = -_squared_times(R, design, Z) - alpha * R**2
    by_row = 0.5 * ((bend * q)[:, None] * dh + skew[:, None] * dq) + Z * (design @ v)[:, None]
    dv = -product(R.T, by_row) - Sigma * (alpha * v)
    variance = -product((R * R).T, Z)  # of the weights, as far as B moves it
    total = np.diag(alpha * w * v) + alpha[:, None] * (0.5 * variance + v[:, None] * W + w[:, None] * dv)
    return np.asarray(0.5 * (total + total.T), dtype=float)


def _squared_times(R: Array, design: Array, Z: Array) -> Array:
    """Return (P o P) Z, column by column without P if that is cheaper."""
    n, m = design.shape
    if m * m > n:
        P = product(R, design.T)
        return product(P * P, Z)
    columns = [product(R, product(design.T * z, R)) for z in Z.T]
    return np.column_stack([np.einsum("ij,ij->i", column, design) for column in columns])
