"""Three values of a subset: the evidence by quadrature, MacKay's approximation of it, the likelihood.

All are natural logarithms, and larger is better here; ``selection_.value`` has the opposite sign.
Notation of profile.py: f(u) the ln likelihood along u = ln lambda with beta at its best, gamma the
number of well-determined parameters, W the width of the prior over ln lambda.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.polynomial.legendre import leggauss
from scipy.special import gammaln

from kernelect.subsets.factored import best_noise_likelihood
from kernelect.subsets.moments import SubsetMoments
from kernelect.subsets.profile import LOG_RANGE, GramProfile, Peak, Profile
from kernelect.typing import Array, Indices

#: gamma where MacKay's Occam factor sqrt(4 pi / gamma) / W reaches 1.
GAMMA_FLOOR = 4.0 * np.pi / LOG_RANGE**2

#: The integrand matters where it is above exp(-this) of its largest value.
_NEGLIGIBLE = 40.0

#: No panel is wider than this in ln lambda.
_WIDEST = 2.0

_NODES, _WEIGHTS = leggauss(10)


@dataclass(frozen=True, kw_only=True)
class Scored:
    """A subset's value, the best lambda, the peak's width in ln lambda, and whether lambda is at a bound."""

    value: float
    regularization: float
    deviation: float
    at_bound: bool


class EvidenceCriterion(ABC):
    """Values a subset of functions; larger is better."""

    name: ClassVar[str]

    #: What reports and tables call it; its name if this is empty.
    words: ClassVar[str] = ""

    @abstractmethod
    def value(self, profile: Profile, peak: Peak) -> float:
        """Return the value of a subset of at least one function."""

    @abstractmethod
    def null(self, moments: SubsetMoments) -> float:
        """Return the value of the model without functions."""

    def score(self, moments: SubsetMoments, chosen: Indices) -> Scored:
        """Return the value of the subset ``chosen`` at its best lambda."""
        if not len(chosen):
            return Scored(value=self.null(moments), regularization=1.0, deviation=LOG_RANGE, at_bound=False)
        gram, projections = moments.gram[np.ix_(chosen, chosen)], moments.projections[chosen]
        return self.of(GramProfile(gram, projections, moments.energy, moments.n_rows, moments.log_constant))

    def of(self, profile: Profile) -> Scored:
        """Return the value of a profile."""
        peak = profile.peak()
        return Scored(
            value=self.value(profile, peak),
            regularization=peak.regularization,
            deviation=peak.deviation,
            at_bound=peak.at_bound,
        )


class QuadratureEvidence(EvidenceCriterion):
    """ln of the integral of P(T | alpha, beta) over flat ln beta and uniform ln lambda.

    ln beta integrates out in closed form; ln lambda has the proper prior 1 / W over the range of
    :mod:`kernelect.subsets.profile` and is integrated by Gauss-Legendre panels that widen from the
    peak. A useless function neither costs nor gains anything: lambda goes to its upper bound, where
    the model is the null model.
    """

    name = "evidence"
    words = "the evidence"

    def value(self, profile: Profile, peak: Peak) -> float:
        u, weights = _panels(peak)
        heights = profile.log_likelihood(np.exp(u))
        N, k = profile.n_rows, len(profile.energy)
        integral = peak.height + np.log(weights @ np.exp(heights - peak.height))
        return float(integral - np.log(LOG_RANGE) + k * _noise_integral(N))

    def null(self, moments: SubsetMoments) -> float:
        return _null_likelihood(moments) + moments.n_outputs * _noise_integral(moments.n_rows)


class MacKayEvidence(EvidenceCriterion):
    """Equation (4) of Barrio et al. (MacKay 1992): a separable Gaussian around the best alpha and beta.

    ln P + 1/2 ln(2 / gamma) + 1/2 ln(2 / (N - gamma)), constants dropped as printed. As gamma falls
    to 0 the printed formula grows without bound and rewards useless functions, so gamma and
    N - gamma are floored if the Occam factor sqrt(4 pi / gamma) / W reaches 1. The null model
    has no alpha, and its factor is exactly 1.
    """

    name = "mackay-evidence"
    words = "MacKay's evidence"

    def value(self, profile: Profile, peak: Peak) -> float:
        gamma, k = profile.well_determined(peak.regularization), len(profile.energy)
        return peak.height + _half_log(k * gamma) + k * _half_log(profile.n_rows - gamma)

    def null(self, moments: SubsetMoments) -> float:
        return _null_likelihood(moments) + _half_log(0.0) + moments.n_outputs * _half_log(moments.n_rows)


class MarginalLikelihood(EvidenceCriterion):
    """max over alpha and beta of ln P(T | alpha, beta)."""

    name = "marginal-likelihood"
    words = "the marginal likelihood"

    def value(self, profile: Profile, peak: Peak) -> float:
        return peak.height

    def null(self, moments: SubsetMoments) -> float:
        return _null_likelihood(moments)


def occam_factor(gamma: Array | float, n_rows: float) -> Array:
    """Return what MacKay's evidence of one output adds to the ln likelihood.

    1/2 ln(2 / gamma) + 1/2 ln(2 / (N - gamma)), both floored.
    """
    determined = np.asarray(gamma, dtype=float)
    floored = np.maximum(np.stack([determined, n_rows - determined]), GAMMA_FLOOR)
    return np.asarray(0.5 * np.log(2.0 / floored).sum(axis=0), dtype=float)


def _half_log(gamma: float) -> float:
    """Return 1/2 ln(2 / gamma), gamma floored."""
    return float(0.5 * np.log(2.0 / max(gamma, GAMMA_FLOOR)))


def _null_likelihood(moments: SubsetMoments) -> float:
    return best_noise_likelihood(moments, np.maximum(moments.energy, np.finfo(float).tiny))


def _noise_integral(N: float) -> float:
    """Return the ln of: integral of P over ln beta, divided by P at the best beta.

    The integral of beta^(N/2) exp(-beta A / 2) over ln beta is Gamma(N/2) (A/2)^(-N/2).
    """
    return float(gammaln(0.5 * N) - 0.5 * N * np.log(0.5 * N) + 0.5 * N)


def _panels(peak: Peak) -> tuple[Array, Array]:
    """Return nodes and weights in ln lambda: panels of 1 and 2 widths of the peak, then doubling."""
    grid = peak.grid
    matters = np.flatnonzero(peak.heights > peak.height - _NEGLIGIBLE)
    centre, low, high = np.log(peak.regularization), grid[0], grid[-1]
    if len(matters):
        low, high = grid[max(matters[0] - 1, 0)], grid[min(matters[-1] + 1, len(grid) - 1)]
    low, high = min(low, centre), max(high, centre)
    if not len(matters):  # a peak between two grid points
        low, high = max(grid[0], centre - 1.5), min(grid[-1], centre + 1.5)
    steps = peak.deviation * np.array([0.0, 1.0, 2.0, 4.0, 6.0, 9.0, *(9.0 * 1.6 ** np.arange(1, 20))])
    steps = np.concatenate([-steps[:0:-1], steps])
    edges = np.unique(np.clip(centre + steps, low, high))
    # A broad peak may hide a step (the null model's plateau begins somewhere): no panel is wide.
    even = np.linspace(low, high, 1 + int(np.ceil((high - low) / _WIDEST)))
    edges = np.unique(np.concatenate([even, edges]))
    half, middle = 0.5 * np.diff(edges)[:, None], 0.5 * (edges[1:] + edges[:-1])[:, None]
    return (middle + half * _NODES).ravel(), (half * _WEIGHTS).ravel()
