"""How far samples of several chains can be trusted: R-hat and effective sample size.

Notation: x (m, S) values of one statistic, m steps of S chains; W within-chain and B
between-chain variance, rho_t the autocorrelation at lag t over all chains.
"""

from __future__ import annotations

import numpy as np

from kernelect.typing import Array


def r_hat(x: Array) -> float:
    """Return the split R-hat (Gelman et al. 2013): 1 where the chains agree."""
    half = len(x) // 2
    halves = np.concatenate([x[:half], x[half : 2 * half]], axis=1)
    within = float(halves.var(axis=0, ddof=1).mean())
    between = half * float(halves.mean(axis=0).var(ddof=1))
    if within <= 0.0:
        return 1.0
    return float(np.sqrt((half - 1) / half + between / (half * within)))


def effective_samples(x: Array) -> float:
    """Return how many independent draws have the same error of the mean (Geyer's initial sequence)."""
    steps, chains = x.shape
    centred = x - x.mean(axis=0)
    spectrum = np.fft.rfft(centred, n=2 * steps, axis=0)
    covariance = np.fft.irfft(np.abs(spectrum) ** 2, axis=0)[:steps].mean(axis=1) / steps
    within = covariance[0] * steps / max(steps - 1, 1)
    if within <= 0.0:
        return float(x.size)
    between = float(x.mean(axis=0).var(ddof=1)) if chains > 1 else 0.0
    total = within * (steps - 1) / steps + between
    rho = 1.0 - (within - covariance * steps / max(steps - 1, 1)) / total
    rho[0] = 1.0
    pairs = rho[: 2 * (steps // 2)].reshape(-1, 2).sum(axis=1)
    # Sums of neighbours are positive and falling for a reversible chain; beyond that is noise.
    positive = np.minimum.accumulate(pairs[: int(np.argmax(np.append(pairs, -1.0) <= 0.0))])
    return float(min(x.size / max(2.0 * positive.sum() - 1.0, 1.0 / np.log10(max(x.size, 10))), x.size))
