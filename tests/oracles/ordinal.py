"""Slow definitions for classes with an order."""

import itertools

import numpy as np
from scipy import integrate, stats


def probabilities(thresholds, mean, variance):
    """Return the probability of each class for f ~ N(mean, variance), by quadrature over f."""
    edges = [-np.inf, *thresholds, np.inf]
    deviation = np.sqrt(variance)

    def share(low, high, f):
        return (stats.norm.cdf(high - f) - stats.norm.cdf(low - f)) * stats.norm.pdf(f, mean, deviation)

    reach = (mean - 10.0 * deviation, mean + 10.0 * deviation)
    pairs = itertools.pairwise(edges)
    return [integrate.quad(lambda f, a=a, b=b: share(a, b, f), *reach, epsabs=1e-11, limit=200)[0] for a, b in pairs]


def ranked_probability_score(index, probability):
    """Return the mean over rows of the squared distances of cumulative probabilities from the truth."""
    total = 0.0
    for place, row in zip(index, probability, strict=True):
        below = np.cumsum(row)
        total += sum((below[k] - (place <= k)) ** 2 for k in range(len(row) - 1))
    return total / len(index)
