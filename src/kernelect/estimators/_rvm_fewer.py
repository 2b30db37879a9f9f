"""Relevance vector machines with fewer vectors, by the path of the machine itself: deleting one after the other.

Notation: weights w ~ N(mu, Sigma) given the data, alpha_j the prior precision of w_j. A function adds
[ln(alpha_j Sigma_jj) + mu_j^2 / Sigma_jj] / 2 to the ln evidence (Tipping & Faul 2003, at the other precisions;
exact for numbers, Laplace's for labels). Without it the others are distributed as N(mu, Sigma) given w_j = 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from kernelect.model.relevance import Output, RelevanceModel
from kernelect.typing import Array, Indices

#: A variance that shrinks by more than this factor is lost in rounding.
_ROUNDING = float(np.finfo(float).eps)


@dataclass(frozen=True, eq=False, kw_only=True)
class Deletion:
    """One vector that is left out.

    Attributes
    ----------
    vector : int
        Its place among all vectors of the whole model.
    gain : float
        What it added to the ln evidence.
    before, after : tuple of Output
        With the places of the whole model.
    """

    vector: int
    gain: float
    before: tuple[Output, ...]
    after: tuple[Output, ...]


def deletions(model: RelevanceModel) -> Iterator[Deletion]:
    """Yield the vectors one after the other, at every step that which adds least to the ln evidence of all outputs.

    O(m^3) for all of m vectors.
    """
    outputs, kept = model.outputs, np.arange(model.n_vectors)
    while len(kept):
        gains = np.sum([_gains(output, model.n_vectors) for output in outputs], axis=0)[kept]
        place = int(np.argmin(gains))
        vector = int(kept[place])
        after = tuple(_without(output, vector) for output in outputs)
        yield Deletion(vector=vector, gain=float(gains[place]), before=outputs, after=after)
        outputs, kept = after, np.delete(kept, place)


def shortened(model: RelevanceModel, most: int) -> tuple[RelevanceModel, Indices, float]:
    """Return the model on at most so many vectors, their places among those before, and the ln evidence lost."""
    outputs, gone, lost = model.outputs, list[int](), 0.0
    for step in islice(deletions(model), max(model.n_vectors - most, 0)):
        outputs, lost = step.after, lost + step.gain
        gone.append(step.vector)
    kept = np.delete(np.arange(model.n_vectors), gone)
    renamed = tuple(output.on(np.searchsorted(kept, output.columns)) for output in outputs)
    return RelevanceModel(renamed, len(kept)), kept, lost


def _gains(output: Output, n_vectors: int) -> Array:
    """Return what every vector adds to the ln evidence of one output; 0 if it has none."""
    first, variance = int(output.constant), np.diagonal(output.covariance)
    own = 0.5 * (np.log(output.alpha * variance) + output.weights**2 / variance)
    gains = np.zeros(n_vectors)
    gains[output.columns] = own[first:]
    return gains


def _without(output: Output, vector: int) -> Output:
    """Return one output given that the weight of a vector is 0."""
    j = output.place(vector)
    if j is None:
        return output
    others = np.delete(np.arange(len(output.weights)), j)
    own = np.sqrt(output.covariance[j, j])
    column = output.covariance[others, j] / own
    covariance = output.covariance[np.ix_(others, others)]
    least = _ROUNDING * np.diagonal(covariance)
    covariance -= np.outer(column, column)
    np.fill_diagonal(covariance, np.maximum(np.diagonal(covariance), least))  # of two vectors that are all but one
    return Output(
        columns=np.delete(output.columns, j - int(output.constant)),
        constant=output.constant,
        weights=output.weights[others] - column * (output.weights[j] / own),
        alpha=output.alpha[others],
        covariance=covariance,
    )
