"""Relevance vector machines with fewer vectors, by the path of the machine itself: deleting one after the other.

Notation: weights w ~ N(mu, Sigma) given the data, alpha_j the prior precision of w_j. A function adds
[ln(alpha_j Sigma_jj) + mu_j^2 / Sigma_jj] / 2 to the ln evidence (Tipping & Faul 2003, at the other precisions;
exact for numbers, Laplace's for labels). Without it the others are distributed as N(mu, Sigma) given w_j = 0.
"""

from __future__ import annotations

import numpy as np

from kernelect.estimators._rvm_model import Output, RelevanceModel
from kernelect.typing import Array, Indices


def shortened(model: RelevanceModel, most: int) -> tuple[RelevanceModel, Indices, float]:
    """Return the model on at most so many vectors, their places among those before, and the ln evidence that is lost.

    Every step leaves out the vector that adds least to the ln evidence of all outputs. O(m^3) for m vectors.
    """
    outputs, kept, lost = list(model.outputs), np.arange(model.n_vectors), 0.0
    while len(kept) > most:
        gains = np.sum([_gains(output, model.n_vectors) for output in outputs], axis=0)[kept]
        place = int(np.argmin(gains))
        lost += float(gains[place])
        outputs = [_without(output, int(kept[place])) for output in outputs]
        kept = np.delete(kept, place)
    renamed = tuple(output.on(np.searchsorted(kept, output.columns)) for output in outputs)
    return RelevanceModel(renamed, len(kept)), kept, lost


def _gains(output: Output, n_vectors: int) -> Array:
    """Return what every vector adds to the ln evidence of one output; 0 where it has none."""
    first, variance = int(output.constant), np.diagonal(output.covariance)
    own = 0.5 * (np.log(output.alpha * variance) + output.weights**2 / variance)
    gains = np.zeros(n_vectors)
    gains[output.columns] = own[first:]
    return gains


def _without(output: Output, vector: int) -> Output:
    """Return one output given that the weight of a vector is 0."""
    found = np.flatnonzero(output.columns == vector)
    if not len(found):
        return output
    j = int(output.constant) + int(found[0])
    others = np.delete(np.arange(len(output.weights)), j)
    column, variance = output.covariance[others, j], output.covariance[j, j]
    return Output(
        columns=np.delete(output.columns, found[0]),
        constant=output.constant,
        weights=output.weights[others] - column * (output.weights[j] / variance),
        alpha=output.alpha[others],
        covariance=output.covariance[np.ix_(others, others)] - np.outer(column, column) / variance,
    )
