"""Targets known up to an interval: detection limits, survival times and ordered classes.

Notation: t = f + e the target, e ~ N(0, C) its noise, so that the machine's constant C is the noise variance;
a <= t <= b what is known of it (a = b: the number itself; one end may be infinite), N(mu, v) the cavity,
s^2 = v + C, x = (t - mu)/s, which is standard normal, cut to [(a - mu)/s, (b - mu)/s] with mean m and variance w.
Then Z = P(a <= t <= b), and

    d ln Z/d mu = m/s,   d^2 ln Z/d mu^2 = (w - 1)/s^2,   rho = (C + v w)/s^2,   d ln Z/d s^2 = (m^2 + w - 1)/(2 s^2).

A number is the limit w = 0, m = x: its site is exact after one update.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from kernelect.exceptions import InvalidArgument, MissingCapability
from kernelect.machines.ep.likelihoods import Likelihood, Tilted, fallen, patched
from kernelect.numerics.normal import log_between
from kernelect.typing import Array

#: Gauss-Legendre nodes on each side of the mode, and the drop in ln density at which a side ends.
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(48)
_DROP = 38.0

#: Distance from a limit, in units of the noise, beyond which a factor does not bend.
_BEND = 8.5

_LOG_ROOT_2PI = 0.5 * np.log(2.0 * np.pi)


@dataclass(frozen=True)
class Interval(Likelihood):
    """t(f) = P(a <= f + e <= b), the density of f + e at a where a = b; the constant is the variance of e.

    Targets have two columns, a and b, and together they are one output. Labels are all 1.

    Parameters
    ----------
    limits : ndarray of shape (n, 2)
        Set by :meth:`outputs`.
    """

    limits: Array = field(default_factory=lambda: np.zeros((0, 2)))
    name = "interval"
    softer_if_small = False

    def outputs(self, targets: Array) -> list[tuple[Array, Likelihood]]:
        """Return the one output: labels of 1, and the likelihood with its limits."""
        if targets.shape[1] != 2 or np.isnan(targets).any() or np.any(targets[:, 0] > targets[:, 1]):
            raise InvalidArgument(
                f"targets of shape {targets.shape} must have two columns, lower and upper limit, without NaN and with "
                "no lower limit above the upper one: use -inf and inf for limits that are not known."
            )
        if np.any(np.isinf(targets[:, 0]) & (targets[:, 0] == targets[:, 1])):
            raise InvalidArgument("targets hold rows whose two limits are the same infinity: give a number instead.")
        return [(np.ones(len(targets)), Interval(targets))]

    def tilted(self, mean: Array, variance: Array, constant: float, power: Array) -> Tilted:
        whole, part = self._whole(mean, variance, constant), power != 1.0
        if not part.any():
            return whole
        exact = self.limits[:, 0] == self.limits[:, 1]
        numbers, others = part & exact, part & ~exact
        found = _number_power(self.limits[numbers, 0], mean[numbers], variance[numbers], constant, power[numbers])
        whole = patched(whole, numbers, found)
        if not others.any():
            return whole
        found = _interval_power(self.limits[others], mean[others], variance[others], constant, power[others])
        return patched(whole, others, found)

    def _whole(self, mean: Array, variance: Array, constant: float) -> Tilted:
        """Return the moments of N(mean, variance) t."""
        s2 = variance + constant
        s = np.sqrt(s2)
        ends = (self.limits - mean[:, None]) / s[:, None]
        m, w = ends[:, 0].copy(), np.zeros_like(s)
        exact = self.limits[:, 0] == self.limits[:, 1]
        log_z = -0.5 * np.where(exact, m, 0.0) ** 2 - _LOG_ROOT_2PI - np.log(s)
        log_z[~exact], m[~exact], w[~exact] = _cut_moments(ends[~exact])
        curvature = np.minimum(w - 1.0, 0.0) / s2
        slope = m / s
        # The density at both ends over Z; an end at infinity has none, and numbers do not move.
        density = np.where(exact[:, None], 0.0, np.exp(-0.5 * ends**2 - _LOG_ROOT_2PI - log_z[:, None]) / s[:, None])
        return Tilted(
            log_z=log_z,
            slope=slope,
            curvature=curvature,
            shrinkage=np.minimum((constant + variance * w) / s2, 1.0),
            mean_loss=-0.5 * (slope**2 + curvature),
            by_limits=density * np.array([-1.0, 1.0]),
        )

    def log_normalizer(self, constant: float) -> tuple[float, float]:
        return 0.0, 0.0

    def log_value(self, z: Array, constant: float) -> Array:
        return self.tilted(z, np.zeros_like(z), constant, np.ones_like(z)).log_z

    def score(self, z: Array, constant: float) -> Array:
        return self.tilted(z, np.zeros_like(z), constant, np.ones_like(z)).slope

    def loss(self, z: Array) -> Array:
        raise MissingCapability(
            "The likelihood 'interval' is not linear in its noise, which sampling needs: use criterion='ep-evidence'."
        )


def _cut_moments(ends: Array) -> tuple[Array, Array, Array]:
    """Return ln Z, mean and variance of a standard normal cut to intervals (n, 2), without cancellation.

    With c the point of the interval nearest to 0, the density falls on both sides of c like exp(-|c| r - r^2/2).
    Each side is integrated until it has fallen to e^-38, whatever the length of the interval or its distance from 0.
    """
    c = np.clip(0.0, ends[:, 0], ends[:, 1])
    reach = 2.0 * _DROP / (np.abs(c) + np.sqrt(c**2 + 2.0 * _DROP))
    sides = np.minimum(np.abs(ends - c[:, None]), reach[:, None]) * np.array([-1.0, 1.0])
    half = 0.5 * sides.T[:, None]  # (2, 1, n)
    r = (half * (1.0 + _NODES[:, None])).reshape(2 * len(_NODES), len(c))
    density = (np.abs(half) * _WEIGHTS[:, None]).reshape(r.shape) * np.exp(-c * r - 0.5 * r**2)
    total = density.sum(axis=0)
    density /= total
    shift = np.sum(density * r, axis=0)
    log_z = np.log(total) - 0.5 * c**2 - _LOG_ROOT_2PI
    return log_z, c + shift, np.sum(density * (r - shift) ** 2, axis=0)


def _number_power(t: Array, mean: Array, variance: Array, constant: float, power: Array) -> Tilted:
    """Return the moments of N(mu, v) N(t; f, C)^p: a number with the noise C/p, up to a constant."""
    s2 = variance + constant / power
    slope = (t - mean) / s2
    log_z = -0.5 * (t - mean) * slope - 0.5 * np.log(power * s2 / constant) - power * _log_root(constant)
    by_noise = 0.5 * (slope**2 - 1.0 / s2) / power + 0.5 * (1.0 - power) / constant
    return Tilted(
        log_z=log_z,
        slope=slope,
        curvature=-1.0 / s2,
        shrinkage=constant / power / s2,
        mean_loss=-by_noise,
        by_limits=np.zeros((len(t), 2)),
    )


def _log_root(constant: float) -> float:
    return float(_LOG_ROOT_2PI + 0.5 * np.log(constant))


def _interval_power(limits: Array, mean: Array, variance: Array, constant: float, power: Array) -> Tilted:
    """Return the moments of N(mu, v) P(a <= f + e <= b)^p by quadrature, which has no closed form.

    The integrand is log-concave. Each side of its mode is integrated down to e^-38 of its height, in pieces that end
    where the factor bends, around both limits. With l = p ln t: d ln Z/d mu = E l', d^2 ln Z/d mu^2 = E l'' + Var l'.
    """
    noise = np.sqrt(constant)

    def factor(z: Array) -> tuple[Array, Array, Array]:
        """Return ln t at z (..., n), the density at both limits over t, and both limits, in units of the noise."""
        x = np.stack([(limit - z) / noise for limit in limits.T])
        log_t = log_between(*x)
        return log_t, np.exp(-0.5 * x**2 - _LOG_ROOT_2PI - log_t), x

    def log_density(z: Array) -> Array:
        return np.asarray(power * factor(z)[0] - 0.5 * (z - mean) ** 2 / variance, dtype=float)

    def score(z: Array) -> Array:
        _, ratio, _ = factor(z)
        return (ratio[0] - ratio[1]) / noise

    # z - mu = v l'(z), and l' falls: the mode lies between mu and mu + v l'(mu).
    near, far = mean, mean + variance * power * score(mean)
    way = np.sign(far - near)
    for _ in range(60):
        middle = 0.5 * (near + far)
        short = way * (variance * power * score(middle) - (middle - mean)) > 0.0
        near, far = np.where(short, middle, near), np.where(short, far, middle)
    mode = 0.5 * (near + far)
    top = log_density(mode)
    low, high = (fallen(log_density, mode, top, side * np.sqrt(variance)) for side in (-1.0, 1.0))
    bends = [limit + reach * noise for limit in limits.T for reach in (-_BEND, 0.0, _BEND)]
    places = np.sort([low, mode, high, *(np.clip(place, low, high) for place in bends)], axis=0)
    half = 0.5 * np.diff(places, axis=0)[:, None]  # (pieces, 1, n)
    z = (places[:-1, None] + half * (1.0 + _NODES[:, None])).reshape(-1, len(mode))  # (nodes, n)
    density = (half * _WEIGHTS[:, None]).reshape(z.shape) * np.exp(log_density(z) - top)
    total = density.sum(axis=0)
    density /= total
    _, ratio, x = factor(z)
    first = (ratio[0] - ratio[1]) / noise
    bent = np.where(np.isfinite(x), x, 0.0) * ratio
    second = (bent[0] - bent[1]) / constant - first**2
    slope = power * np.sum(density * first, axis=0)
    curvature = np.sum(density * (power * second + (power * first - slope) ** 2), axis=0)
    rho = np.sum(density * (z - np.sum(density * z, axis=0)) ** 2, axis=0) / variance
    by_limits = power * np.sum(density * ratio, axis=1) / noise
    return Tilted(
        log_z=top + np.log(total) - 0.5 * np.log(2.0 * np.pi * variance),
        slope=slope,
        curvature=np.minimum(curvature, 0.0),
        shrinkage=np.minimum(rho, 1.0),
        mean_loss=-0.5 * power * np.sum(density * (first**2 + second), axis=0),
        by_limits=by_limits.T * np.array([-1.0, 1.0]),
    )
