"""Leave-one-out of a latent Gaussian model, from the cavities of expectation propagation.

Notation as in machines/ep/machine.py; M_i, V_i mean and variance of a latent value without its row, x = (tau, nu)
all sites, G(mu_-, v_-) the sites that match the tilted moments, so that x = G at the fixed point; S = Sigma o Sigma,
P = Sigma K^-1 = I - K R. A bar marks the derivative of the criterion in a quantity.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve

from kernelect.criteria.base import Criterion, CriterionValue
from kernelect.criteria.ep.ep_evidence import ep_solution
from kernelect.exceptions import MissingCapability
from kernelect.machines import EPColumn, Fitted, Likelihood
from kernelect.typing import Array

#: Step of differences of the moments of one row, in deviations of its cavity or as a share of C.
_STEP = 1e-3


class EPLeaveOneOut(Criterion):
    """Minus the mean log probability of each label without its row, summed over outputs, weighted by rows.

    A cavity is the posterior without one row, up to the sites of the other rows, which stay as they are. The value is
    free once the machine has converged.

    Notes
    -----
    Unlike the evidence, it is not stationary in the sites, so the gradient follows the fixed point x = G(x, K):
    (I - dG/dx)^T lambda = dL/dx is one system of 2 n equations, 16 n^3/3 operations, however many kernel parameters
    there are. With dSigma = P dK P^T - Sigma dT Sigma and dmu = P dK b - Sigma dT mu + Sigma dN,

        dL/dK = P^T diag(sigma_bar) P + sym(P^T mu_bar b^T).

    Derivatives of one row's moments are central differences of fourth order, which hold for any likelihood.

    References
    ----------
    M. Opper, O. Winther. Gaussian processes for classification: mean-field algorithms. Neural Computation 12 (2000)
    2655-2684.
    """

    name = "loo"
    words = "the leave-one-out log-loss (cavities)"
    judges = ("ep",)
    moves_sites = True

    def value(self, fitted: Fitted) -> CriterionValue:
        losses = [row.losses() for row in _outputs(fitted)]
        total = sum(float(fitted.weights @ loss) for loss in losses)
        return CriterionValue(value=total / float(fitted.weights.sum()), pointwise=-np.column_stack(losses))

    def value_and_gradient(self, fitted: Fitted) -> CriterionValue:
        found, n = self.value(fitted), float(fitted.weights.sum())
        parts = [_adjoint(row, fitted.gram, fitted.weights / n) for row in _outputs(fitted)]
        by_gram, by_constant = zip(*parts, strict=True)
        return CriterionValue(
            value=found.value,
            pointwise=found.pointwise,
            grad_gram=np.sum(by_gram, axis=0),
            grad_regularization=float(sum(by_constant)),
        )

    def nats(self, value: float, fitted: Fitted) -> tuple[float, float]:
        """The value is already a log-likelihood, per row."""
        n = float(fitted.weights.sum())
        return n * value, n


@dataclass(frozen=True, kw_only=True)
class _Output:
    """One output and its likelihood."""

    column: EPColumn
    likelihood: Likelihood
    constant: float

    def losses(self) -> Array:
        """Return minus the log probability of every label without its row."""
        return self.loss(*self.column.without_row(), self.constant)[0]

    def loss(self, mean: Array, variance: Array, constant: float) -> Array:
        """Return the same for any mean and variance of the latent values, (1, n)."""
        decision = self.likelihood.decision(self.column.labels * mean, variance, constant)
        return -self.likelihood.log_probability(decision)[None]

    def sites(self, mean: Array, variance: Array, constant: float) -> Array:
        """Return G, (2, n), for cavities of these means and variances."""
        y = self.column.labels
        tilted = self.likelihood.tilted(y * mean, variance, constant, self.column.power)
        tau = -tilted.curvature / tilted.shrinkage
        return np.array([tau, tilted.slope * y / tilted.shrinkage + mean * tau])


def _outputs(fitted: Fitted) -> list[_Output]:
    machine, columns = ep_solution(fitted)
    if columns[0].tilted.by_limits is not None:
        raise MissingCapability(
            "criterion='loo' needs labels, and these targets are known up to an interval: use criterion='ep-evidence'."
        )
    kinds = [likelihood for _, likelihood in machine.likelihood.outputs(fitted.targets)]
    pairs = zip(columns, kinds, strict=True)
    return [_Output(column=column, likelihood=kind, constant=fitted.regularization) for column, kind in pairs]


def _slope(function: Callable[[Array], Array], at: Array, step: Array) -> Array:
    """Return the derivative of an elementwise function, by differences of fourth order."""
    near, far = function(at + step) - function(at - step), function(at + 2.0 * step) - function(at - 2.0 * step)
    return np.asarray((8.0 * near - far) / (12.0 * step), dtype=float)


@dataclass(frozen=True, kw_only=True)
class _Slopes:
    """Derivatives (r, n) of functions of mean and variance without some precision: in sigma, mu, tau, nu and C."""

    sigma: Array
    mu: Array
    tau: Array
    nu: Array
    constant: Array

    @classmethod
    def of(
        cls, function: Callable[[Array, Array, float], Array], row: _Output, mean: Array, variance: Array, copies: Array
    ) -> _Slopes:
        """Return them for v = 1/(1/sigma - m tau) and mu_- = v (mu/sigma - m nu), m the ``copies`` left out."""
        v, C, sigma, mu = variance, row.constant, row.column.variance, row.column.mean
        by_mean = _slope(lambda at: function(at, v, C), mean, _STEP * np.sqrt(v))
        by_variance = _slope(lambda at: function(mean, at, C), v, _STEP * v)
        ratio = v / sigma
        return cls(
            sigma=by_mean * ((mean / v) * ratio**2 - ratio * mu / sigma) + by_variance * ratio**2,
            mu=by_mean * ratio,
            tau=copies * (by_mean * mean * v + by_variance * v**2),
            nu=-copies * by_mean * v,
            constant=_slope(lambda at: function(mean, v, float(at[0])), np.array([C]), np.array([_STEP * C])),
        )


def _adjoint(row: _Output, K: Array, weights: Array) -> tuple[Array, float]:
    """Return the derivative of sum_i weights_i loss_i in the Gram matrix, and in C."""
    column = row.column
    sigma, mu, m, n = column.variance, column.mean, column.copies, len(K)
    P = np.eye(n) - K @ column.curvature_matrix()
    Sigma = P @ K
    Sigma = 0.5 * (Sigma + Sigma.T)
    np.fill_diagonal(Sigma, sigma)
    loss = _Slopes.of(row.loss, row, *column.without_row(), m)
    site = _Slopes.of(row.sites, row, column.cavity_mean, column.cavity_variance, np.ones(n))
    by_sigma, by_mu = weights * loss.sigma[0], weights * loss.mu[0]
    through = m * (Sigma @ by_mu)
    by_sites = np.concatenate(
        [weights * loss.tau[0] - m * (Sigma**2 @ by_sigma) - mu * through, weights * loss.nu[0] + through]
    )
    J = np.empty((2 * n, 2 * n))
    for k in range(2):
        there = slice(k * n, (k + 1) * n)
        J[there, :n] = -site.sigma[k][:, None] * Sigma**2 * m - site.mu[k][:, None] * Sigma * (mu * m)
        J[there, n:] = site.mu[k][:, None] * Sigma * m
        J[there, :n] += np.diag(site.tau[k])
        J[there, n:] += np.diag(site.nu[k])
    units = np.concatenate([1.0 / sigma, 1.0 / np.sqrt(sigma)])  # of tau and nu
    scaled = solve((np.eye(2 * n) - J * units / units[:, None]).T, units * by_sites, overwrite_a=True, overwrite_b=True)
    adjoint = (scaled / units).reshape(2, n)  # lambda
    by_sigma = by_sigma + np.sum(site.sigma * adjoint, axis=0)
    by_mu = by_mu + np.sum(site.mu * adjoint, axis=0)
    outer = np.outer(P.T @ by_mu, column.dual)
    gradient = (P.T * by_sigma) @ P + 0.5 * (outer + outer.T)
    return gradient, float(weights @ loss.constant[0] + np.sum(site.constant * adjoint))
