"""The exact evidence of a latent Gaussian model and its gradient, by Monte Carlo.

Notation as in machines/sampling.py: theta, beta = K^-1 theta samples of the posterior,
u = d ln likelihood/d theta. Gold & Sollich (2003), eqs 18 and 20, for ln Z (not 1/n of it):

    d ln Z/dC = sum_i w_i (d ln kappa/dC - <l_i>),   d ln Z/dK = sym <u beta^T>/2.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import islice

import numpy as np

from kernelect.criteria.base import Criterion, CriterionValue
from kernelect.criteria.ep.chains import effective_samples, r_hat
from kernelect.criteria.ep.ep_evidence import ep_solution, log_evidence
from kernelect.machines import EPColumn, Fitted
from kernelect.machines.ep.sampling import CentredNormal, EllipticalSlice, LatentPosterior, Sampler
from kernelect.numerics import check_time, product
from kernelect.typing import Array

#: Part of the draws that has to be effective for an importance-sampled value to be believed.
SAFE = 0.05

#: R-hat above which the chains have not met.
MIXED = 1.1

_BLOCKS = 10


@dataclass(frozen=True, kw_only=True)
class EvidenceValue:
    """ln Z by importance sampling from the normal of expectation propagation."""

    log_evidence: float
    error: float
    effective: float  # part of the draws, in (0, 1]

    @property
    def safe(self) -> bool:
        """Whether enough draws carry weight."""
        return self.effective >= SAFE


@dataclass(frozen=True, kw_only=True)
class EvidenceGradient:
    """Derivatives of ln Z by sampling, with standard errors and how well the chains mixed."""

    grad_gram: Array
    grad_gram_error: Array
    grad_constant: float
    grad_constant_error: float
    effective_samples: float  # the smaller one of two statistics
    r_hat: float  # the larger one


@dataclass(frozen=True)
class HMCEvidence(Criterion):
    """Minus (1/n) ln evidence and its gradient by Monte Carlo, for machines solved by EP.

    The gradient is exact up to sampling error. The value is importance-sampled from the posterior of expectation
    propagation; if fewer than 5 % of the draws carry weight, it is the value of expectation propagation itself. The
    same seed at every point makes the noise as smooth a function of the hyper-parameters as it can be.

    Parameters
    ----------
    sampler : Sampler
        :class:`EllipticalSlice` or, as in the paper, :class:`HybridMonteCarlo`.
    n_chains, n_samples, n_burn_in : int
        Number of chains that run side by side, of samples kept of each, and of samples discarded before these.
    n_draws : int
        Draws behind the value.
    seed : int

    References
    ----------
    C. Gold, P. Sollich. Model selection for support vector machine classification.
    Neurocomputing 55 (2003) 221-249.
    I. Murray, R. P. Adams, D. J. C. MacKay. Elliptical slice sampling. AISTATS 2010.
    """

    sampler: Sampler = field(default_factory=EllipticalSlice)
    n_chains: int = 100
    n_samples: int = 100
    n_burn_in: int = 20
    n_draws: int = 2000
    seed: int = 0
    name = "hmc-evidence"
    words = "the evidence (Monte Carlo)"
    judges = ("ep",)
    sampled = True

    def value(self, fitted: Fitted) -> CriterionValue:
        machine, columns = ep_solution(fitted)
        log_kappa, _ = machine.likelihood.log_normalizer(fitted.regularization)
        n, total = float(fitted.weights.sum()), 0.0
        for column, estimate in zip(columns, self.values(fitted), strict=True):
            total += estimate.log_evidence if estimate.safe else log_evidence(column)
        pointwise = np.column_stack([column.tilted.log_z for column in columns]) + log_kappa
        return CriterionValue(value=-total / n - len(columns) * log_kappa, pointwise=pointwise)

    def value_and_gradient(self, fitted: Fitted) -> CriterionValue:
        machine, columns = ep_solution(fitted)
        _, by_constant = machine.likelihood.log_normalizer(fitted.regularization)
        n, found, estimates = float(fitted.weights.sum()), self.value(fitted), self.gradients(fitted)
        gradient = np.sum([estimate.grad_gram for estimate in estimates], axis=0)
        by_loss = sum(estimate.grad_constant for estimate in estimates)
        return CriterionValue(
            value=found.value,
            pointwise=found.pointwise,
            grad_gram=-gradient / n,
            grad_regularization=-by_loss / n - len(columns) * by_constant,
        )

    def nats(self, value: float, fitted: Fitted) -> tuple[float, float]:
        """The value is already a log-likelihood, per row."""
        n = float(fitted.weights.sum())
        return n * value, n

    def seeded(self, seed: int) -> HMCEvidence:
        return replace(self, seed=seed)

    def doubt(self, fitted: Fitted) -> str:
        """Chains that have not met say nothing reliable."""
        worst = max(estimate.r_hat for estimate in self.gradients(fitted))
        if worst <= MIXED:
            return ""
        return f"the chains have not mixed (R-hat {worst:.2f}): raise n_burn_in and n_samples of HMCEvidence"

    def remark(self, fitted: Fitted) -> str:
        estimates, values = self.gradients(fitted), self.values(fitted)
        words = (
            f"{min(estimate.effective_samples for estimate in estimates):.0f} effective samples per gradient, "
            f"R-hat {max(estimate.r_hat for estimate in estimates):.3f}"
        )
        if all(value.safe for value in values):
            return f"{words}, {min(value.effective for value in values):.0%} of the draws effective in the value"
        return f"{words}, too few effective draws for a value, which is that of expectation propagation"

    def values(self, fitted: Fitted) -> list[EvidenceValue]:
        """Return ln Z of every output, without ln kappa."""
        return [self._value(target, column) for target, column in _outputs(fitted)]

    def gradients(self, fitted: Fitted) -> list[EvidenceGradient]:
        """Return the sampled derivatives of every output's ln Z, without those of ln kappa."""
        return [self._gradient(target, column) for target, column in _outputs(fitted)]

    def _value(self, target: LatentPosterior, column: EPColumn) -> EvidenceValue:
        generator, normal = np.random.default_rng(self.seed), CentredNormal.of(target.gram, column)
        logs = []
        for _ in range(0, self.n_draws, self.n_chains):
            check_time()
            a = generator.normal(size=(len(column.mean), self.n_chains))
            logs.append(normal.residual(target, column.mean[:, None] + product(normal.spread, a)))
        log_weights = np.concatenate(logs)
        top = float(log_weights.max())
        weights = np.exp(log_weights - top)
        mean, effective = float(weights.mean()), float(weights.sum() ** 2 / np.sum(weights**2))
        # ln of the integral of prior times sites, in which the draws are uniform
        sites = 0.5 * column.shift @ column.mean - 0.5 * column.log_determinant()
        error = float(weights.std(ddof=1)) / mean / np.sqrt(len(weights))
        return EvidenceValue(
            log_evidence=float(sites) + top + float(np.log(mean)), error=error, effective=effective / len(weights)
        )

    def _gradient(self, target: LatentPosterior, column: EPColumn) -> EvidenceGradient:
        chains = self.sampler.chains(target, column, self.n_chains, np.random.default_rng(self.seed))
        for _ in islice(chains, self.n_burn_in):
            check_time()
        per_block = max(self.n_samples // _BLOCKS, 1)
        blocks = [self._block(target, chains, per_block) for _ in range(_BLOCKS)]
        grad_gram, gram_error = _mean_and_error(np.array([block.grad_gram for block in blocks]))
        losses = np.concatenate([block.losses for block in blocks])
        scales = np.concatenate([block.scales for block in blocks])
        by_block = -losses.reshape(_BLOCKS, -1).mean(axis=1)
        return EvidenceGradient(
            grad_gram=grad_gram,
            grad_gram_error=gram_error,
            grad_constant=float(by_block.mean()),
            grad_constant_error=float(by_block.std(ddof=1) / np.sqrt(_BLOCKS)),
            effective_samples=min(effective_samples(losses), effective_samples(scales)),
            r_hat=max(r_hat(losses), r_hat(scales)),
        )

    @staticmethod
    def _block(target: LatentPosterior, chains: Iterator[tuple[Array, Array]], count: int) -> _Block:
        """Average over ``count`` updates of all chains."""
        total, losses, scales = np.zeros_like(target.gram), [], []
        for theta, beta in islice(chains, count):
            check_time()
            force = target.force(theta)
            total += product(force, beta.T)
            losses.append(target.loss(theta))
            scales.append(np.einsum("ij,ij->j", force, theta))
        return _Block(
            grad_gram=0.25 * (total + total.T) / (count * theta.shape[1]),
            losses=np.array(losses),
            scales=np.array(scales),
        )


@dataclass(frozen=True, kw_only=True)
class _Block:
    """Averages over one stretch of all chains, and two statistics of every sample."""

    grad_gram: Array
    losses: Array  # (count, S) sum of losses
    scales: Array  # (count, S) u^T theta, the derivative in the logarithm of K's scale


def _outputs(fitted: Fitted) -> Iterator[tuple[LatentPosterior, EPColumn]]:
    machine, columns = ep_solution(fitted)
    for column in columns:
        yield (
            LatentPosterior(
                gram=fitted.gram,
                labels=column.labels,
                weights=fitted.weights,
                likelihood=machine.likelihood,
                constant=fitted.regularization,
            ),
            column,
        )


def _mean_and_error(blocks: Array) -> tuple[Array, Array]:
    """Return mean and standard error over the first axis."""
    return blocks.mean(axis=0), blocks.std(axis=0, ddof=1) / np.sqrt(len(blocks))
