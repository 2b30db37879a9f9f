"""Samplers of the exact posterior of a latent function, which run many chains at once.

Notation (Gold & Sollich 2003, section 4.2): theta (n, S) latent values, one column per chain,
theta-tilde = beta = K^-1 theta (n, S), p (n, S) momenta, V = -sum_i w_i ln t(y_i theta_i) the
potential and u = -dV/dtheta its force, N(m, Sigma) the normal of expectation propagation with
sites exp(N theta - T theta^2/2), b = K^-1 m.

All chains move together, so every step is a product of matrices. Both samplers carry beta along
with theta, because gradients of the evidence need it and K is never inverted.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.linalg import solve_triangular

from kernelect.exceptions import unknown_name
from kernelect.machines.ep.likelihoods import Likelihood
from kernelect.machines.ep.machine import EPColumn
from kernelect.numerics import factorize, product
from kernelect.typing import Array


@dataclass(frozen=True, kw_only=True)
class LatentPosterior:
    """The exact posterior of one output, from which samplers draw."""

    gram: Array
    labels: Array
    weights: Array
    likelihood: Likelihood
    constant: float

    def log_likelihood(self, theta: Array) -> Array:
        """Return -V of every chain, (S,)."""
        return self.weights @ self.likelihood.log_value(self.labels[:, None] * theta, self.constant)

    def force(self, theta: Array) -> Array:
        """Return u = -dV/dtheta, (n, S)."""
        scale = (self.weights * self.labels)[:, None]
        return scale * self.likelihood.score(self.labels[:, None] * theta, self.constant)

    def loss(self, theta: Array) -> Array:
        """Return sum_i w_i l(y_i theta_i) of every chain, (S,)."""
        return self.weights @ self.likelihood.loss(self.labels[:, None] * theta)


@dataclass(frozen=True, kw_only=True)
class CentredNormal:
    """The normal of expectation propagation, to draw from.

    With K = L L^T and I + L^T T L = Q Q^T: Sigma = F F^T for F = L Q^-T, and K^-1 F = L^-T Q^-T.
    Only the second factorised matrix could be singular, and it is at least the identity.
    """

    column: EPColumn
    spread: Array  # (n, n) F
    dual_spread: Array  # (n, n) K^-1 F

    @classmethod
    def of(cls, gram: Array, column: EPColumn) -> CentredNormal:
        """Factorise the posterior of ``column``."""
        L = np.tril(factorize(gram).lower)
        scaled = column.root_precision[:, None] * L
        Q = np.tril(factorize(product(scaled.T, scaled), 1.0).lower)
        inverse = solve_triangular(Q, np.eye(len(Q)), lower=True).T  # Q^-T
        return cls(column=column, spread=product(L, inverse), dual_spread=solve_triangular(L.T, inverse, lower=False))

    def residual(self, target: LatentPosterior, theta: Array) -> Array:
        """Return the log-likelihood beyond that of the sites, (S,)."""
        column = self.column
        sites = column.shift @ theta - 0.5 * (column.root_precision**2) @ theta**2
        return np.asarray(target.log_likelihood(theta) - sites, dtype=float)


class Sampler(ABC):
    """Draws from a :class:`LatentPosterior`, started at the normal of expectation propagation."""

    name: ClassVar[str]

    @abstractmethod
    def chains(
        self, target: LatentPosterior, column: EPColumn, n_chains: int, generator: np.random.Generator
    ) -> Iterator[tuple[Array, Array]]:
        """Yield (theta, beta) of all chains, (n, n_chains) each, without end."""


@dataclass(frozen=True)
class EllipticalSlice(Sampler):
    """Elliptical slice sampling around the normal of expectation propagation: nothing to tune.

    The normal replaces the prior of Murray, Adams & MacKay (2010), so the slice only has to correct
    what the normal misses. An update takes one or two likelihood evaluations and one draw.
    """

    name = "slice"

    def chains(
        self, target: LatentPosterior, column: EPColumn, n_chains: int, generator: np.random.Generator
    ) -> Iterator[tuple[Array, Array]]:
        normal = CentredNormal.of(target.gram, column)
        mean, dual = column.mean[:, None], column.dual[:, None]
        a = generator.normal(size=(len(mean), n_chains))
        xi, kappa = product(normal.spread, a), product(normal.dual_spread, a)
        level = normal.residual(target, mean + xi)
        while True:
            a = generator.normal(size=a.shape)
            zeta, eta = product(normal.spread, a), product(normal.dual_spread, a)
            floor = level + np.log(generator.uniform(size=n_chains))
            angle = self._angles(target, normal, (xi, zeta), floor, generator)
            cosine, sine = np.cos(angle), np.sin(angle)
            xi, kappa = xi * cosine + zeta * sine, kappa * cosine + eta * sine
            level = normal.residual(target, mean + xi)
            yield mean + xi, dual + kappa

    @staticmethod
    def _angles(
        target: LatentPosterior,
        normal: CentredNormal,
        axes: tuple[Array, Array],
        floor: Array,
        generator: np.random.Generator,
    ) -> Array:
        """Return for every chain an angle on its ellipse at which the residual is above its floor."""
        xi, zeta = axes
        angle = generator.uniform(0.0, 2.0 * np.pi, size=len(floor))
        lower, upper = angle - 2.0 * np.pi, angle.copy()
        active = np.arange(len(floor))
        while len(active):
            here = angle[active]
            theta = normal.column.mean[:, None] + xi[:, active] * np.cos(here) + zeta[:, active] * np.sin(here)
            active = active[normal.residual(target, theta) < floor[active]]
            # Shrink towards 0, where the chain stands and the residual is above the floor.
            negative = angle[active] < 0.0
            lower[active] = np.where(negative, angle[active], lower[active])
            upper[active] = np.where(negative, upper[active], angle[active])
            angle[active] = generator.uniform(lower[active], upper[active])
        return angle


@dataclass(frozen=True, kw_only=True)
class HybridMonteCarlo(Sampler):
    """The paper's Hybrid Monte Carlo in theta-tilde coordinates (eqs 21-23).

    H = p^T K p/2 + beta^T K beta/2 + V(K beta); d beta = p, dp = -beta + u. (The text before
    eq. 22 prints exp(+p^T K p/2); the sign must be minus.)

    Parameters
    ----------
    refresh : "all" or "one"
        Which momenta are drawn again before each trajectory: all of them, or one at random as in
        the paper. With one, the momentum is reversed after a rejection; otherwise the chain would
        not leave the posterior invariant.
    n_leapfrog : int
        Steps of a trajectory.
    step : float
        Step size of the first trajectory. The first ``n_adapt`` trajectories adapt it to an
        acceptance of 0.85.
    n_adapt : int
    """

    refresh: str = "all"
    n_leapfrog: int = 10
    step: float = 0.1
    n_adapt: int = 50
    name = "hmc"

    _ACCEPTANCE: ClassVar[float] = 0.85

    def __post_init__(self) -> None:
        if self.refresh not in ("all", "one"):
            raise unknown_name("refresh", self.refresh, ["all", "one"])

    def chains(
        self, target: LatentPosterior, column: EPColumn, n_chains: int, generator: np.random.Generator
    ) -> Iterator[tuple[Array, Array]]:
        K, n = target.gram, len(target.gram)
        lower = np.tril(factorize(K).lower)
        beta = np.repeat(column.dual[:, None], n_chains, axis=1)
        theta = product(K, beta)
        p = solve_triangular(lower.T, generator.normal(size=(n, n_chains)), lower=False)  # N(0, K^-1)
        step, trajectory = self.step, 0
        while True:
            if self.refresh == "all":
                p = solve_triangular(lower.T, generator.normal(size=(n, n_chains)), lower=False)
            else:
                p = _refresh_one(K, p, generator)
            new_beta, new_theta, new_p, change = self._trajectory(target, beta, theta, p, step)
            accepted = np.log(generator.uniform(size=n_chains)) < -change
            beta, theta = np.where(accepted, new_beta, beta), np.where(accepted, new_theta, theta)
            p = np.where(accepted, new_p, -p)
            if trajectory < self.n_adapt:
                step *= float(np.exp(0.5 * (np.mean(np.exp(-np.maximum(change, 0.0))) - self._ACCEPTANCE)))
            trajectory += 1
            yield theta, beta

    def _trajectory(
        self, target: LatentPosterior, beta: Array, theta: Array, p: Array, step: float
    ) -> tuple[Array, Array, Array, Array]:
        """Return beta, theta, p after one leapfrog trajectory, and the change of H."""
        K = target.gram
        before = _energy(target, beta, theta, p, product(K, p))
        p = p + 0.5 * step * (target.force(theta) - beta)
        for _ in range(self.n_leapfrog):
            beta, theta = beta + step * p, theta + step * product(K, p)
            p = p + step * (target.force(theta) - beta)
        p = p - 0.5 * step * (target.force(theta) - beta)
        return beta, theta, p, _energy(target, beta, theta, p, product(K, p)) - before


def _energy(target: LatentPosterior, beta: Array, theta: Array, p: Array, Kp: Array) -> Array:
    """Return H of every chain."""
    quadratic = 0.5 * (np.einsum("ij,ij->j", p, Kp) + np.einsum("ij,ij->j", beta, theta))
    return np.asarray(quadratic - target.log_likelihood(theta), dtype=float)


def _refresh_one(K: Array, p: Array, generator: np.random.Generator) -> Array:
    """Return the momenta with one of each chain drawn from its conditional under exp(-p^T K p/2)."""
    chains = np.arange(p.shape[1])
    index = generator.integers(len(p), size=len(chains))
    own = K[index, index]
    others = np.einsum("ij,ji->i", K[index], p) - own * p[index, chains]
    p = p.copy()
    p[index, chains] = -others / own + generator.normal(size=len(chains)) / np.sqrt(own)
    return p
