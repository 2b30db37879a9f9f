"""Slow definitions for targets known up to an interval: dense regression, pairs one by one, integrals by quadrature."""

import itertools

import numpy as np
from scipy import stats


def regression(kernel, X, y, noise, Z):
    """Return mean and standard deviation of new observations, leave-one-out means, and the log evidence.

    Targets have mean 0; ``noise`` is a standard deviation.
    """
    A = kernel.gram(X) + noise**2 * np.eye(len(X))
    k, inverse = kernel.cross(X, Z), np.linalg.inv(A)
    mean = k.T @ inverse @ y
    variance = np.diagonal(kernel.gram(Z)) - np.diagonal(k.T @ inverse @ k) + noise**2
    left_out = y - inverse @ y / np.diagonal(inverse)
    return mean, np.sqrt(variance), left_out, stats.multivariate_normal(np.zeros(len(y)), A).logpdf(y)


def concordance(time, event, risk):
    """Return Harrell's concordance, pair by pair."""
    right = pairs = 0.0
    for i, j in itertools.permutations(range(len(time)), 2):
        first = event[i] and (time[i] < time[j] or (time[i] == time[j] and not event[j]))
        if first:
            pairs += 1.0
            right += 1.0 if risk[i] > risk[j] else 0.5 if risk[i] == risk[j] else 0.0
    return right / pairs


def watched(time, event, at, *, before=False):
    """Return the probability that watching goes on until a time, loss by loss; rows with an event leave first."""
    share = 1.0
    for moment in sorted(set(time[~event])):
        if moment < at or (moment == at and not before):
            lost = sum(1 for t, e in zip(time, event, strict=True) if t == moment and not e)
            there = sum(1 for t, e in zip(time, event, strict=True) if t > moment or (t == moment and not e))
            share *= 1.0 - lost / there
    return share


def weighted_concordance(time, event, risk, until):
    """Return Uno's concordance, pair by pair."""
    right = pairs = 0.0
    for i, j in itertools.permutations(range(len(time)), 2):
        first = event[i] and time[i] <= until and (time[i] < time[j] or (time[i] == time[j] and not event[j]))
        if first:
            weight = 1.0 / watched(time, event, time[i], before=True) ** 2
            pairs += weight
            right += weight * (1.0 if risk[i] > risk[j] else 0.5 if risk[i] == risk[j] else 0.0)
    return right / pairs


def brier(time, event, survival, at):
    """Return the Brier score at one time, row by row."""
    found = []
    for t, e, s in zip(time, event, survival, strict=True):
        if t <= at and e:
            found.append(s**2 / watched(time, event, t, before=True))
        elif t > at:
            found.append((1.0 - s) ** 2 / watched(time, event, at))
        else:
            found.append(0.0)
    return np.mean(found)


def posterior_at(kernel, X, limits, noise, z, points=400):
    """Return mean and variance of f(z) for two training rows, by quadrature over their latent values."""
    K, k = kernel.gram(X), kernel.cross(X, z[None])[:, 0]
    weights, rest = np.linalg.solve(K, k), kernel.gram(z[None])[0, 0] - k @ np.linalg.solve(K, k)
    nodes, shares = np.polynomial.legendre.leggauss(points)
    reach = 8.0 * np.sqrt(np.diagonal(K))
    f = np.stack(np.meshgrid(nodes * reach[0], nodes * reach[1], indexing="ij"), axis=-1)
    density = np.outer(shares, shares) * stats.multivariate_normal(np.zeros(2), K).pdf(f)
    for row in range(2):
        density *= _factor(*limits[row], f[..., row], noise)
    density /= density.sum()
    values = f @ weights
    mean = np.sum(density * values)
    return mean, rest + np.sum(density * (values - mean) ** 2)


def _factor(lower, upper, value, noise):
    around = stats.norm(value, noise)
    return around.pdf(lower) if lower == upper else around.cdf(upper) - around.cdf(lower)
