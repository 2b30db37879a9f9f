"""How far samples of several chains can be trusted: R-hat and effective sample size.

Notation: x (m, S) values of one statistic, m steps of S chains; W within-chain and B
between-chain variance, rho_t the autocorrelation at lag t over all chains.
"""

from __future__ import annotations

import numpy as np

from kernelect.typing import Array

#: Batches from which the error of a mean is told to some 15 %.
_BATCHES = 100


def r_hat(x: Array) -> float:
    """Return the split R-hat (Gelman et al. 2013): 1 if the chains agree."""
    half = len(x) // 2
    halves = np.concatenate([x[:half], x[half : 2 * half]], axis=1)
    within = float(halves.var(axis=0, ddof=1).mean())
    between = half * float(halves.mean(axis=0).var(ddof=1))
    if within <= 0.0:
        return 1.0
    return float(np.sqrt((half - 1) / half + between / (half * within)))


def effective_samples(x: Array) -> float:
    """Return how many independent draws have the same error of the mean.

    The smaller one of two estimates: Geyer's initial sequence of autocorrelations, which
    oscillating chains deceive, and the variance of the means of long batches, which is noisy.
    """
    if x.var() <= 0.0:
        return float(x.size)
    return float(min(_by_autocorrelation(x), _by_batches(x), x.size))


def _by_batches(x: Array) -> float:
    """Return size * Var x / (length * Var(means of batches)), from at least _BATCHES batches."""
    steps, chains = x.shape
    per_chain = min(-(-_BATCHES // chains), steps)
    length = steps // per_chain
    means = x[: length * per_chain].reshape(per_chain, length, chains).mean(axis=1)
    spread = float(means.var(ddof=1)) if means.size > 1 else 0.0
    return x.size * float(x.var()) / (length * spread) if spread > 0.0 else float(x.size)


def _by_autocorrelation(x: Array) -> float:
    """Return size over the integrated autocorrelation time (Geyer 1992)."""
    steps, chains = x.shape
    centred = x - x.mean(axis=0)
    spectrum = np.fft.rfft(centred, n=2 * steps, axis=0)
    covariance = np.fft.irfft(np.abs(spectrum) ** 2, axis=0)[:steps].mean(axis=1) / max(steps - 1, 1)
    within = covariance[0]
    between = float(x.mean(axis=0).var(ddof=1)) if chains > 1 else 0.0
    total = within * (steps - 1) / steps + between
    rho = np.concatenate([[1.0], 1.0 - (within - covariance[1:]) / total])
    pairs = rho[: 2 * (steps // 2)].reshape(-1, 2).sum(axis=1)
    # Sums of neighbours are positive and falling for a reversible chain; beyond that is noise.
    positive = np.minimum.accumulate(pairs[: int(np.argmax(np.append(pairs, -1.0) <= 0.0))])
    return x.size / max(2.0 * float(positive.sum()) - 1.0, 1e-3)
