"""What a relevance vector machine loses with its vectors, by leave-one-out of its training rows.

The machine does not keep its rows, so this is found at the end of a fit, for all sizes of the path on which vectors are
left out. Functions and precisions are held, as is usual: they are not chosen again without a row.

Notation: Phi (n, m) design, w ~ N(mu, Sigma) given the data, h = Phi mu latent values, q = diag(Phi Sigma Phi^T) their
variances, e and B slope and curvature of the likelihood at the h of the whole model. A vector j that is left out moves
them by

    h' = h - (Phi Sigma_j) mu_j / Sigma_jj,    q' = q - (Phi Sigma_j)^2 / Sigma_jj,    e' = e + B (h - h'),

so that all m sizes cost O(n m^2) together. Without its row a latent value is h - q e / (1 - B q), of variance
q / (1 - B q). This is exact for normal noise. For labels it is one step of Newton: the likelihood of each row stands
as the Gaussian that Laplace's method puts in its place for the whole model, and smaller models are given by the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from kernelect.criteria.rvm import without_row
from kernelect.estimators._rvm_fewer import deletions
from kernelect.machines.rvm import Slopes
from kernelect.model.relevance import LossBySize, Output, RelevanceModel
from kernelect.typing import Array

#: Rows that are left out, at most: the standard error hardly falls with more of them, and a fit should not take longer.
MOST_ROWS = 2000

#: Losses (n,) from latent means and variances, (n, k) each.
Losses = Callable[[Array, Array], Array]


def loss_by_size(
    model: RelevanceModel, values: Array, slopes: Sequence[Slopes], weights: Array, losses: Losses
) -> LossBySize:
    """Return the loss of rows left out, for all sizes of a model.

    Parameters
    ----------
    model : RelevanceModel
    values : ndarray of shape (n, n_vectors)
        Of the vectors' functions at the rows that are left out.
    slopes : sequence of Slopes
        Of every output, at these rows.
    weights : ndarray of shape (n,)
    losses : callable
    """
    latents = [_Latent.of(output, values, each) for output, each in zip(model.outputs, slopes, strict=True)]
    return LossBySize.of([losses(*held) for held in _held(model, values, latents)], weights)


def _held(model: RelevanceModel, values: Array, latents: list[_Latent]) -> Iterator[tuple[Array, Array]]:
    """Yield means and variances of all outputs without the row itself: the whole model's, then every smaller one's."""
    yield _side_by_side(latents)
    for step in deletions(model):
        pairs = zip(latents, step.before, strict=True)
        latents = [latent.without(step.vector, output, values) for latent, output in pairs]
        yield _side_by_side(latents)


def _side_by_side(latents: list[_Latent]) -> tuple[Array, Array]:
    means, variances = zip(*(latent.held() for latent in latents), strict=True)
    return np.column_stack(means), np.column_stack(variances)


@dataclass(frozen=True, eq=False, kw_only=True)
class _Latent:
    """One output's latent values at the rows, (n,) each."""

    mean: Array  # h
    variance: Array  # q
    error: Array  # e
    curvature: Array  # B

    @classmethod
    def of(cls, output: Output, values: Array, slopes: Slopes) -> _Latent:
        mean, variance = output.predict(values)
        return cls(mean=mean, variance=variance, error=slopes.error, curvature=slopes.curvature)

    def without(self, vector: int, output: Output, values: Array) -> _Latent:
        """Return the values without a vector of ``output``, which is the output before."""
        j = output.place(vector)
        if j is None:
            return self
        column, own = output.covariance[:, j], output.covariance[j, j]
        spread = np.zeros(values.shape[1])
        spread[output.columns] = column[int(output.constant) :]
        shared = values @ spread + (column[0] if output.constant else 0.0)
        moved = shared * (output.weights[j] / own)
        return _Latent(
            mean=self.mean - moved,
            variance=np.maximum(self.variance - shared**2 / own, 0.0),
            error=self.error + self.curvature * moved,
            curvature=self.curvature,
        )

    def held(self) -> tuple[Array, Array]:
        """Return mean and variance without the row itself."""
        return without_row(self.mean, self.variance, self.error, self.curvature)
