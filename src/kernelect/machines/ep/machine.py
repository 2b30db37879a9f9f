"""Expectation propagation: a Gaussian approximation of the posterior of a latent function.

Notation (Rasmussen & Williams 2006, section 3.6): K (n, n) Gram matrix, f ~ N(0, K) latent
values, y labels +-1, tau_i >= 0 and nu_i precision and shift of the site exp(nu f - tau f^2/2)
that stands for one row's factor, T = m tau and N = m nu those of all its m copies,
B = I + T^1/2 K T^1/2, R = T^1/2 B^-1 T^1/2, beta_i = [B^-1]_ii, posterior N(mu, Sigma) with
Sigma = (K^-1 + T)^-1, b = K^-1 mu, cavity N(mu_-, v_-) the posterior without one site.

A weight w counts a row w times, as m = ceil(w) copies of the factor to the power p = w/m. A whole
weight is therefore exactly a repeated row, and a weight below 1 is a factor to that power.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.linalg import blas

from kernelect.machines.base import Machine, factorisation
from kernelect.machines.ep.likelihoods import Likelihood, Probit, Tilted
from kernelect.machines.ep.marginals import dense_marginals
from kernelect.numerics import symmetrize_from_lower, time_is_up
from kernelect.numerics.mixing import AndersonMixing
from kernelect.typing import Array

#: Damping when the mismatch grows (parallel updates can oscillate), its floor, and how often
#: the mismatch may fail to fall before the start is given up.
_DAMPING, _LEAST_STEP, _GROWING, _PATIENCE = 0.7, 0.2, 0.999, 25

#: Failures after which only plain damped updates are made.
_TRUST = 4

#: How far above a whole number a weight may be and still be counted as it: what rounding adds to a mean of 1.
_ROUNDED = 1e-9

#: Mismatch that is good enough if time is up.
_ROUGH = 1e-2

#: Parts of C along which a hard problem is approached.
_PATH = 2.0 ** np.arange(-14.0, 1.0)


@dataclass(frozen=True, kw_only=True)
class Sites:
    """Precision and shift of one copy of each row's site, (n,) each."""

    tau: Array
    nu: Array


@dataclass(frozen=True, kw_only=True)
class EPColumn:
    """The Gaussian posterior of one output."""

    labels: Array  # (n,) y
    sites: Sites
    copies: Array  # (n,) m
    power: Array  # (n,) p
    factor: Any  # InverseFactor of B; None while all precisions are 0
    dual: Array  # (n,) b
    mean: Array  # (n,) mu
    variance: Array  # (n,) diag Sigma
    cavity_mean: Array  # (n,), of f itself, not of y f
    cavity_variance: Array  # (n,)
    tilted: Tilted  # moments of y f
    iterations: int = 0
    converged: bool = False

    @property
    def root_precision(self) -> Array:
        """Return the diagonal of T^1/2."""
        return np.sqrt(self.copies * self.sites.tau)

    @property
    def shift(self) -> Array:
        """Return N."""
        return np.asarray(self.copies * self.sites.nu, dtype=float)

    @property
    def mismatch(self) -> float:
        """Return the distance between tilted and Gaussian moments, in posterior deviations."""
        v, tilted = self.cavity_variance, self.tilted
        mean = self.cavity_mean + v * tilted.slope * self.labels
        first = np.abs(mean - self.mean) / np.sqrt(self.variance)
        second = np.abs(v * tilted.shrinkage / self.variance - 1.0)
        return float(max(first.max(), second.max()))

    def matched_sites(self) -> Sites:
        """Return the sites whose product with the cavity has the tilted moments."""
        tilted = self.tilted
        tau = -tilted.curvature / tilted.shrinkage
        return Sites(tau=tau, nu=tilted.slope * self.labels / tilted.shrinkage + self.cavity_mean * tau)

    def without_row(self) -> tuple[Array, Array]:
        """Return mean and variance of each latent value without its row: mu - v b, and v of 1/v = 1/Sigma_ii - T."""
        left = 1.0 - (self.copies - 1.0) * self.sites.tau * self.cavity_variance
        variance = self.cavity_variance / np.maximum(left, np.finfo(float).eps)
        return self.mean - variance * self.dual, variance

    def log_determinant(self) -> float:
        """Return ln |B|."""
        return 0.0 if self.factor is None else self.factor.log_determinant()

    @property
    def coefficients(self) -> Array:
        """Return what kernel values are multiplied by in the posterior mean at a new row."""
        return self.dual

    def without_factor(self) -> EPColumn:
        """Return what a later fit begins with."""
        return replace(self, factor=None)

    def explained_root(self) -> Array:
        """Return W, so that |W k(x)|^2 is the variance that the data explain."""
        if self.factor is None:
            return np.zeros((1, len(self.dual)))
        return np.ascontiguousarray(np.tril(self.factor.half) * self.root_precision)

    def grad_gram(self, scale: float) -> Any:
        """Return scale * d ln Z/dK = scale (b b^T - R)/2."""
        R = self.curvature_matrix()
        gradient = blas.dsyrk(0.5 * scale, self.dual[:, None], beta=-0.5 * scale, c=R, lower=1, overwrite_c=1)
        return symmetrize_from_lower(gradient).T  # a view in C order, as Gram matrices are

    def curvature_matrix(self) -> Array:
        """Return R itself, which adjoints need."""
        if self.factor is None:
            return np.zeros((len(self.dual), len(self.dual)))
        root, inverse = self.root_precision, self.factor.inverse()
        inverse *= root
        inverse *= root[:, None]
        return inverse

    def explained(self, cross: Array) -> Array:
        """Return k^T R k for the columns of ``cross`` (n, m): how much the data reduce the variance."""
        if self.factor is None:
            return np.zeros(cross.shape[1])
        half = self.factor.half_solve(self.root_precision[:, None] * cross)
        return np.einsum("ij,ij->j", half, half)


@dataclass(frozen=True)
class EPState:
    """The solution for all outputs."""

    columns: tuple[EPColumn, ...]

    @property
    def dual_coef(self) -> Array:
        """Return b of every output, (n, k), or those of landmarks (m, k): the posterior mean is cross^T b."""
        return np.column_stack([column.coefficients for column in self.columns])

    @property
    def converged(self) -> bool:
        """Whether the moments of all sites match."""
        return all(column.converged for column in self.columns)

    @property
    def mismatch(self) -> float:
        """Return the largest difference of moments, in units of the posterior's deviation."""
        return max(column.mismatch for column in self.columns)

    @property
    def iterations(self) -> int:
        """Return the iterations of the slowest output."""
        return max(column.iterations for column in self.columns)

    def doubt(self) -> str:
        """Return a sentence if the moments do not match, else an empty string."""
        if self.converged:
            return ""
        return (
            f"expectation propagation stopped after {self.iterations} iterations with its moments "
            f"{self.mismatch:.1g} standard deviations apart"
        )


@dataclass(frozen=True)
class EP(Machine[EPState]):
    """Expectation propagation by parallel updates, for any :class:`Likelihood`.

    Every iteration costs one Cholesky factorisation and the diagonal of an inverse, together
    2 n^3/3. Mixing the last few iterations halves their number; so does a start from the sites of a
    nearby kernel. Updates are damped when the moments move apart.

    Parameters
    ----------
    likelihood : Likelihood
        The machine's constant is its C; the probit does not use it.
    tol : float
        Largest mismatch of tilted and Gaussian moments, in posterior standard deviations.
    max_iter : int
    """

    likelihood: Likelihood = field(default_factory=Probit)
    tol: float = 1e-5
    max_iter: int = 200

    name = "ep"
    #: The evidence of a latent function has several maxima in the amplitude.
    first_step = 1.0
    warm_starts = True

    def fit(
        self, gram: Any, targets: Array, regularization: float, weights: Array, warm: EPState | None = None
    ) -> EPState:
        copies = np.ceil(np.maximum(weights - _ROUNDED, np.finfo(float).tiny))
        run = _Run(machine=self, gram=gram, constant=regularization, copies=copies, power=weights / copies)
        outputs = self.likelihood.outputs(targets)
        starts: list[Sites | None] = [None] * len(outputs)
        if warm is not None and len(warm.columns) == len(starts) and len(warm.columns[0].dual) == len(gram):
            starts = [column.sites for column in warm.columns]
        each = (replace(run, machine=replace(self, likelihood=likelihood)) for _, likelihood in outputs)
        pairs = zip(each, outputs, starts, strict=True)
        return EPState(tuple(one.solve(y, sites) for one, (y, _), sites in pairs))

    def work(self, n_rows: float, n_outputs: int) -> float:
        """Return the operations of an evidence and its gradient: about eight iterations of three factorisations."""
        return 25.0 * n_outputs * factorisation(n_rows)

    def start_of(self, state: EPState) -> EPState:
        """Return the state without its factors: a later fit starts from the sites."""
        return EPState(tuple(column.without_factor() for column in state.columns))

    def decide(self, state: EPState, cross: Array) -> Array:
        return np.asarray(cross.T @ state.dual_coef, dtype=float)

    def doubt(self, state: EPState) -> str:
        """Return a sentence if the moments do not match, else an empty string."""
        return state.doubt()

    def latent(self, state: EPState, cross: Array, diagonal: Array) -> tuple[Array, Array]:
        """Return mean and variance (m, k) of the latent values at new rows.

        Parameters
        ----------
        cross : ndarray of shape (n, m)
            Kernel values between the training rows and the new ones.
        diagonal : ndarray of shape (m,)
            k(x, x) of the new rows.
        """
        explained = np.column_stack([column.explained(cross) for column in state.columns])
        # Rounding may take a little more away than there is.
        return self.decide(state, cross), np.maximum(diagonal[:, None] - explained, 1e-12 * diagonal[:, None])


@dataclass(frozen=True, kw_only=True)
class _Run:
    """Expectation propagation on one Gram matrix."""

    machine: EP
    gram: Any  # (n, n), or a covariance that knows its marginals
    constant: float
    copies: Array
    power: Array

    def solve(self, y: Array, warm: Sites | None) -> EPColumn:
        """Return the fixed point for labels ``y``: from a warm start, a cold one, or from smaller C.

        Parallel updates overshoot if many strongly correlated rows disagree under a large C;
        a path of growing C, each from the last one's sites, then leads there.
        """
        cold = Sites(tau=np.zeros(len(y)), nu=np.zeros(len(y)))
        column = self._iterate(y, cold if warm is None else warm)
        if warm is not None and not column.converged and not time_is_up():
            column = self._iterate(y, cold)
        if self.machine.likelihood.softer_if_small and not column.converged and not time_is_up():
            for constant in self.constant * _PATH:
                column = replace(self, constant=constant)._iterate(y, cold)
                cold = column.sites
        return column

    def _iterate(self, y: Array, sites: Sites) -> EPColumn:
        step, before, mixing, grown = 1.0, np.inf, AndersonMixing(), 0
        for iteration in range(1, self.machine.max_iter + 1):
            column = replace(self._posterior(y, sites), iterations=iteration)
            mismatch = column.mismatch
            if mismatch < self.machine.tol or grown > _PATIENCE or (mismatch < _ROUGH and time_is_up()):
                break
            if mismatch > _GROWING * before:
                step, grown = max(_DAMPING * step, _LEAST_STEP), grown + 1
                mixing.forget()
            before = mismatch
            sites = _next_sites(column, step, mixing if grown <= _TRUST else None)
        return replace(column, converged=mismatch < self.machine.tol)

    def _posterior(self, y: Array, sites: Sites) -> EPColumn:
        """Return the Gaussian with the given sites, its cavities and their tilted moments."""
        if isinstance(self.gram, np.ndarray):
            found = dense_marginals(self.gram, sites.tau, sites.nu, self.copies)
            column: Callable[..., EPColumn] = EPColumn
        else:
            found, column = self.gram.marginals(sites.tau, sites.nu, self.copies), self.gram.column
        # mu_- = v_- (mu/Sigma_ii - nu) = mu + v_- (tau mu - nu), and N - T mu = b
        cavity_mean = found.mean - found.cavity_variance * found.dual / self.copies
        return column(
            labels=y,
            sites=sites,
            copies=self.copies,
            power=self.power,
            factor=found.factor,
            dual=found.dual,
            mean=found.mean,
            variance=found.variance,
            cavity_mean=cavity_mean,
            cavity_variance=found.cavity_variance,
            tilted=self.machine.likelihood.tilted(y * cavity_mean, found.cavity_variance, self.constant, self.power),
        )


def _next_sites(column: EPColumn, step: float, mixing: AndersonMixing | None) -> Sites:
    """Return the sites to try next: mixed from the last ones if that is possible, else damped."""
    here, target = column.sites, column.matched_sites()
    x = np.concatenate([here.tau, here.nu])
    residual = np.concatenate([target.tau, target.nu]) - x
    scale = np.concatenate([column.variance, np.sqrt(column.variance)])
    mixed = None if mixing is None else mixing.propose(x, residual, scale)
    if mixed is None or np.any(mixed[: len(here.tau)] < 0.0):  # a site never widens the posterior
        mixed = x + step * residual
    return Sites(tau=mixed[: len(here.tau)], nu=mixed[len(here.tau) :])
