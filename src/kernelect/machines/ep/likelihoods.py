"""Likelihoods as parts of expectation propagation: moments of N(mu, v) times one factor.

Notation: z = y f the signed latent value, t(z) the factor of one row, C the machine's constant,
p the power to which the factor is raised (0 < p <= 1), N(mu, v) the cavity, s = sqrt(v),
Z = int N(z; mu, v) t(z)^p dz, g = d ln Z/d mu, h = d^2 ln Z/d mu^2, rho = 1 + v h the
variance of the tilted density over v. All factors are log-concave, so 0 < rho <= 1.

The hinges (Gold & Sollich 2003) are t(z) = exp(-C l(z)) with l(z) = (1 - z)_+ or (1 - z)_+^2/2,
without the normaliser kappa(C), which is kept apart. Their tilted density is two cut normals joined
at z = 1: the part above has weight r1 and t = 1, the part below weight r = 1 - r1. Their variance
is written as that of a mixture, a sum of positive terms, not as v + v^2 h.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from scipy.special import erfcx, expit, log_expit, log_ndtr

from kernelect.numerics.normal import cut_normal, inverse_mills
from kernelect.registry import Registry
from kernelect.typing import Array

#: Below this rho, 1 - rho is exact and h is taken from it; above, h has its own formula.
_STRONG = 0.5


@dataclass(frozen=True, kw_only=True)
class Tilted:
    """What expectation propagation needs to know about one factor, as arrays of shape (n,).

    Attributes
    ----------
    log_z, slope, curvature : ndarray
        ln Z, g and h.
    shrinkage : ndarray
        rho, in (0, 1].
    mean_loss : ndarray
        -d ln Z/dC: the posterior mean of p l(z), 0 for a likelihood without constant.
    by_limits : ndarray of shape (n, 2), optional
        d ln Z in both limits of a target, if it is known up to an interval.
    """

    log_z: Array
    slope: Array
    curvature: Array
    shrinkage: Array
    mean_loss: Array
    by_limits: Array | None = None


class Likelihood(ABC):
    """One row's factor t(z)."""

    name: ClassVar[str]

    #: Whether the machine's constant C enters.
    has_constant: ClassVar[bool] = True

    #: Whether a small C makes the factor nearly constant, so that a hard problem can be approached from there.
    softer_if_small: ClassVar[bool] = True

    def outputs(self, targets: Array) -> list[tuple[Array, Likelihood]]:
        """Return labels (n,) and likelihood of every output; by default each column of the targets is one."""
        return [(y, self) for y in targets.T]

    @abstractmethod
    def tilted(self, mean: Array, variance: Array, constant: float, power: Array) -> Tilted:
        """Return the moments of N(mean, variance) t^power."""

    @abstractmethod
    def log_normalizer(self, constant: float) -> tuple[float, float]:
        """Return ln kappa(C) and its derivative in C."""

    @abstractmethod
    def log_value(self, z: Array, constant: float) -> Array:
        """Return ln t(z), without the normaliser."""

    @abstractmethod
    def score(self, z: Array, constant: float) -> Array:
        """Return d ln t/dz."""

    @abstractmethod
    def loss(self, z: Array) -> Array:
        """Return l(z) = -d ln t/dC."""

    def log_odds(self, mean: Array, variance: Array, constant: float) -> Array:
        """Return ln E t(f) - ln E t(-f) for f ~ N(mean, variance): the predictive log-odds."""
        return self.log_expectation(mean, variance, constant) - self.log_expectation(-mean, variance, constant)

    def log_expectation(self, mean: Array, variance: Array, constant: float) -> Array:
        """Return ln E t(f) for f ~ N(mean, variance); written with functions of NumPy and SciPy, it can be exported."""
        return self.tilted(mean, variance, constant, np.ones_like(mean)).log_z

    def decision(self, mean: Array, variance: Array, constant: float) -> Array:
        """Return decision values for f ~ N(mean, variance): log-odds, unless the likelihood has its own usual scale."""
        return self.log_odds(mean, variance, constant)

    def log_probability(self, decision: Array) -> Array:
        """Return ln of the probability of the label +1 for values of :meth:`decision`."""
        found: Array = log_expit(decision)
        return found

    def probability(self, mean: Array, variance: Array, constant: float) -> Array:
        """Return E t(f) / (E t(f) + E t(-f)), the predictive probability of the label +1."""
        return np.asarray(expit(self.log_odds(mean, variance, constant)), dtype=float)


class Probit(Likelihood):
    """t(z) = Phi(z): labels are signs of the latent function plus unit normal noise."""

    name = "probit"
    has_constant = False
    softer_if_small = False

    def tilted(self, mean: Array, variance: Array, constant: float, power: Array) -> Tilted:
        u = 1.0 + variance
        b = mean / np.sqrt(u)
        cut = cut_normal(b)
        whole = Tilted(
            log_z=log_ndtr(b),
            slope=cut.mills / np.sqrt(u),
            curvature=-cut.mills * cut.mean / u,
            shrinkage=(1.0 + variance * cut.variance) / u,
            mean_loss=np.zeros_like(mean),
        )
        part = power != 1.0
        return patched(whole, part, _probit_power(mean[part], variance[part], power[part])) if part.any() else whole

    def log_normalizer(self, constant: float) -> tuple[float, float]:
        return 0.0, 0.0

    def decision(self, mean: Array, variance: Array, constant: float) -> Array:
        """Return the probits z = m / sqrt(1 + v), so that the probability of a label is Phi(z)."""
        found: Array = mean / np.sqrt(1.0 + variance)
        return found

    def log_probability(self, decision: Array) -> Array:
        found: Array = log_ndtr(decision)
        return found

    def log_value(self, z: Array, constant: float) -> Array:
        return np.asarray(log_ndtr(z), dtype=float)

    def score(self, z: Array, constant: float) -> Array:
        return inverse_mills(z)

    def loss(self, z: Array) -> Array:
        return np.zeros_like(z)


class _TwoSides(Likelihood):
    """A factor that is 1 above z = 1, and something else below."""

    @abstractmethod
    def sides(self, mean: Array, variance: Array, C: Any) -> tuple[Array, Array]:
        """Return ln of what either side, above and below, contributes to E t^power(f), for C times the power."""

    def log_expectation(self, mean: Array, variance: Array, constant: float) -> Array:
        found: Array = np.logaddexp(*self.sides(mean, variance, constant))
        return found


class Hinge(_TwoSides):
    """t(z) = exp(-C (1 - z)_+): the SVM with linear slack; kappa(C) = 1/(1 + e^{-2C})."""

    name = "hinge"

    def sides(self, mean: Array, variance: Array, C: Any) -> tuple[Array, Array]:
        s = np.sqrt(variance)
        b1 = (mean - 1.0) / s
        b = -b1 - C * s
        # ln of e^{-C (1 - mu) + C^2 v/2} Phi(b), whose two parts are huge if b < 0.
        tail = -0.5 * b1**2 + np.log(0.5 * erfcx(np.maximum(-b, 0.0) / np.sqrt(2.0)))
        return log_ndtr(b1), np.where(b < 0.0, tail, -C * (1.0 - mean) + 0.5 * C**2 * variance + log_ndtr(b))

    def tilted(self, mean: Array, variance: Array, constant: float, power: Array) -> Tilted:
        C, s = constant * power, np.sqrt(variance)
        b1 = (mean - 1.0) / s
        upper, lower = cut_normal(b1), cut_normal(-b1 - C * s)
        log_upper, log_lower = self.sides(mean, variance, C)
        log_z = np.logaddexp(log_upper, log_lower)
        r1, r = np.exp(log_upper - log_z), np.exp(log_lower - log_z)
        rho = r1 * upper.variance + r * lower.variance + r1 * r * (upper.mean + lower.mean) ** 2
        curvature = C * r * (C * r1 - lower.mills / s)
        return _tilted(log_z, C * r, curvature, rho, variance, power * r * s * lower.mean)

    def log_normalizer(self, constant: float) -> tuple[float, float]:
        from kernelect.machines.ep.slack import log_kappa

        return log_kappa(constant, quadratic=False)

    def log_value(self, z: Array, constant: float) -> Array:
        return -constant * self.loss(z)

    def score(self, z: Array, constant: float) -> Array:
        return np.where(z < 1.0, constant, 0.0)

    def loss(self, z: Array) -> Array:
        return np.maximum(1.0 - z, 0.0)


class SquaredHinge(_TwoSides):
    """t(z) = exp(-C (1 - z)_+^2/2): the SVM with quadratic slack."""

    name = "squared-hinge"

    def sides(self, mean: Array, variance: Array, C: Any) -> tuple[Array, Array]:
        u, below = 1.0 + C * variance, 1.0 - mean
        lower = -0.5 * np.log(u) - 0.5 * C * below**2 / u + log_ndtr(below / np.sqrt(variance * u))
        return log_ndtr(-below / np.sqrt(variance)), lower

    def tilted(self, mean: Array, variance: Array, constant: float, power: Array) -> Tilted:
        C, s = constant * power, np.sqrt(variance)
        u = 1.0 + C * variance
        b1, b = (mean - 1.0) / s, (1.0 - mean) / np.sqrt(variance * u)
        upper, lower = cut_normal(b1), cut_normal(b)
        log_upper, log_lower = self.sides(mean, variance, C)
        log_z = np.logaddexp(log_upper, log_lower)
        r1, r = np.exp(log_upper - log_z), np.exp(log_lower - log_z)
        # The part below is 1 - z ~ N((1 - mu)/u, v/u) cut at 0; everything here in units of s.
        narrow = 1.0 / np.sqrt(u)
        rho = r1 * upper.variance + r * narrow**2 * lower.variance
        rho += r1 * r * (upper.mean + narrow * lower.mean) ** 2
        slope = C * r * s * narrow * lower.mean
        curvature = r * C * (C * variance * narrow**2 * lower.second - 1.0) - slope**2
        mean_loss = 0.5 * power * r * variance * narrow**2 * lower.second
        return _tilted(log_z, slope, curvature, rho, variance, mean_loss)

    def log_normalizer(self, constant: float) -> tuple[float, float]:
        from kernelect.machines.ep.slack import log_kappa

        return log_kappa(constant, quadratic=True)

    def log_value(self, z: Array, constant: float) -> Array:
        return -constant * self.loss(z)

    def score(self, z: Array, constant: float) -> Array:
        return constant * np.maximum(1.0 - z, 0.0)

    def loss(self, z: Array) -> Array:
        return np.asarray(0.5 * np.maximum(1.0 - z, 0.0) ** 2, dtype=float)


#: Likelihoods by name.
LIKELIHOODS: Registry[Likelihood] = Registry("likelihood", Likelihood)  # type: ignore[type-abstract]

for _cls in (Probit, Hinge, SquaredHinge):
    LIKELIHOODS.register(_cls, _cls.name)


def hinge_for(slack: str) -> Likelihood:
    """Return the likelihood of the SVM with ``"linear"`` or ``"quadratic"`` slack."""
    from kernelect.machines.ep.slack import check_slack

    return Hinge() if check_slack(slack) == "linear" else SquaredHinge()


def _tilted(log_z: Array, slope: Array, curvature: Array, rho: Array, variance: Array, mean_loss: Array) -> Tilted:
    """Join the two formulas of h, each where it is exact."""
    rho = np.minimum(rho, 1.0)
    curvature = np.where(rho < _STRONG, (rho - 1.0) / variance, np.minimum(curvature, 0.0))
    return Tilted(log_z=log_z, slope=slope, curvature=curvature, shrinkage=rho, mean_loss=mean_loss)


def patched(whole: Tilted, part: Array, values: Tilted) -> Tilted:
    """Return ``whole`` with other values where ``part`` is true."""

    def joined(name: str) -> Array:
        out = getattr(whole, name).copy()
        out[part] = getattr(values, name)
        return out

    return replace(whole, **{name: joined(name) for name, value in vars(whole).items() if value is not None})


#: Gauss-Legendre nodes of each piece, and the drop in ln density at the ends of them all.
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(48)
_DROP = 38.0

#: Between these, and nowhere else, Phi bends: pieces end here, for a wide cavity sees a step.
_BEND = (0.0, 8.5)


def _probit_power(mean: Array, variance: Array, power: Array) -> Tilted:
    """Return the moments of N(mu, v) Phi(z)^p by quadrature, which has no closed form.

    The integrand is log-concave: Newton finds its mode, and each side is integrated down to
    e^-38 of its height, in pieces that end at the mode and around the bend of Phi.
    With a(z) = d ln Phi^p/dz: g = E a and h = E a' + Var a.
    """
    mode = _probit_mode(mean, variance, power)

    def log_density(z: Array) -> Array:
        return np.asarray(power * log_ndtr(z) - 0.5 * (z - mean) ** 2 / variance, dtype=float)

    top = log_density(mode)
    low, high = (fallen(log_density, mode, top, side * np.sqrt(variance)) for side in (-1.0, 1.0))
    ends = np.sort([low, mode, high, *(np.clip(place, low, high) for place in _BEND)], axis=0)
    half = 0.5 * np.diff(ends, axis=0)[:, None]  # (pieces, 1, n)
    z = (ends[:-1, None] + half * (1.0 + _NODES[:, None])).reshape(-1, len(mode))  # (nodes, n)
    density = (half * _WEIGHTS[:, None]).reshape(z.shape) * np.exp(log_density(z) - top)
    total = density.sum(axis=0)
    density /= total
    cut = cut_normal(z)
    a = power * cut.mills
    slope = np.sum(density * a, axis=0)
    curvature = np.sum(density * ((a - slope) ** 2 - a * cut.mean), axis=0)
    rho = np.sum(density * (z - np.sum(density * z, axis=0)) ** 2, axis=0) / variance
    log_z = top + np.log(total) - 0.5 * np.log(2.0 * np.pi * variance)
    return _tilted(log_z, slope, curvature, rho, variance, np.zeros_like(mean))


def _probit_mode(mean: Array, variance: Array, power: Array) -> Array:
    """Return the mode of N(mu, v) Phi^p: Newton on a concave function with curvature in [1/v, 1/v + p]."""
    z = mean.copy()
    for _ in range(100):
        cut = cut_normal(z)
        gradient = power * cut.mills - (z - mean) / variance
        step = gradient / (power * cut.mills * cut.mean + 1.0 / variance)
        z = z + step
        if np.all(np.abs(step) <= 1e-9 * np.sqrt(variance)):
            break
    return z


def fallen(log_density: Callable[[Array], Array], mode: Array, top: Array, reach: Array) -> Array:
    """Return where the log density has fallen by about _DROP, going from the mode along ``reach``.

    At the distance sqrt(2 drop) |reach| it has fallen at least that far; bisection shortens it.
    """
    inner, outer = np.zeros_like(mode), np.full_like(mode, np.sqrt(2.0 * _DROP))
    for _ in range(12):
        middle = 0.5 * (inner + outer)
        short = top - log_density(mode + middle * reach) < _DROP
        inner, outer = np.where(short, middle, inner), np.where(short, outer, middle)
    return mode + outer * reach
