"""Sparse linear models: latent functions with normal posteriors of their weights, and their spread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from kernelect.model.spreads import LatentSpread, Spread
from kernelect.typing import Array, Indices

if TYPE_CHECKING:
    from kernelect.model.component import Component


@dataclass(frozen=True, kw_only=True)
class Output:
    """One latent function: a constant (where active) and functions of the shared vectors."""

    columns: Indices  # (m,) places among the shared vectors
    constant: bool
    weights: Array  # (c + m,), the constant's first
    alpha: Array  # (c + m,) prior precisions
    covariance: Array  # (c + m, c + m)

    def design(self, values: Array) -> Array:
        """Return the functions' values (rows, c + m) from those of all shared vectors."""
        chosen = values[:, self.columns]
        return np.column_stack([np.ones(len(values)), chosen]) if self.constant else chosen

    def on(self, columns: Indices) -> Output:
        """Return the same function whose vectors have other places, listed in increasing order."""
        sorting = np.argsort(columns)
        first = int(self.constant)
        own = np.concatenate([np.arange(first), first + sorting])
        return Output(
            columns=columns[sorting],
            constant=self.constant,
            weights=self.weights[own],
            alpha=self.alpha[own],
            covariance=self.covariance[np.ix_(own, own)],
        )

    def place(self, vector: int) -> int | None:
        """Return where a shared vector stands among the weights, None if this function does without it."""
        found = np.flatnonzero(self.columns == vector)
        return int(self.constant) + int(found[0]) if len(found) else None

    def predict(self, values: Array) -> tuple[Array, Array]:
        """Return mean and variance of the latent function."""
        design = self.design(values)
        return design @ self.weights, np.einsum("ij,ij->i", design @ self.covariance, design)


@dataclass(frozen=True)
class RelevanceModel:
    """All outputs over one list of vectors."""

    outputs: tuple[Output, ...]
    n_vectors: int

    def predict(self, values: Array) -> tuple[Array, Array]:
        """Return means and variances, (rows, k) each."""
        pairs = [output.predict(values) for output in self.outputs]
        means, variances = zip(*pairs, strict=True)
        return np.column_stack(means), np.maximum(np.column_stack(variances), 0.0)

    def reordered(self, order: Indices) -> RelevanceModel:
        """Return the model on the same vectors in another order."""
        place = np.argsort(order)
        return replace(self, outputs=tuple(output.on(place[output.columns]) for output in self.outputs))

    def coefficients(self) -> tuple[Array, Array]:
        """Return the weights of the vectors (n_vectors, k) and of the constant (k,)."""
        weights = np.zeros((self.n_vectors, len(self.outputs)))
        constants = np.zeros(len(self.outputs))
        for k, output in enumerate(self.outputs):
            first = int(output.constant)
            weights[output.columns, k] = output.weights[first:]
            constants[k] = output.weights[0] if first else 0.0
        return weights, constants


@dataclass(frozen=True, eq=False, kw_only=True)
class LossBySize:
    """Leave-one-out loss for every number of vectors, from 0 to that of the whole model.

    Attributes
    ----------
    loss, standard_error : ndarray of shape (n_vectors + 1,)
        The standard error is that of the difference to the whole model.
    """

    loss: Array
    standard_error: Array

    @classmethod
    def of(cls, losses: Sequence[Array], weights: Array) -> LossBySize:
        """Return the means over rows; ``losses`` are those of the whole model first, then of one vector less each."""
        shares = weights / weights.sum()
        more = [each - losses[0] for each in losses]
        rise = np.array([shares @ each for each in more])
        errors = [np.linalg.norm(shares * (each - mean)) for each, mean in zip(more, rise, strict=True)]
        return cls(loss=(shares @ losses[0] + rise)[::-1].copy(), standard_error=np.array(errors[::-1]))


@dataclass(frozen=True, eq=False, kw_only=True)
class WeightSpread(LatentSpread):
    """A sparse linear model: the normal posterior of its weights, and normal noise.

    Attributes
    ----------
    model : RelevanceModel
        In its own unit of the targets.
    unit : float
    noise : float
        Standard deviation of the noise, in the targets' own unit; 0 for labels.
    losses : LossBySize or None
        What fewer functions cost; None if it is not known.
    """

    model: RelevanceModel
    unit: float = 1.0
    noise: float = 0.0
    losses: LossBySize | None = None

    def latent(self, component: Component, V: Array) -> tuple[Array, Array]:
        return self.model.predict(component.design(V))

    def deviation(self, component: Component, V: Array) -> Array:
        _, variance = self.latent(component, V)
        return np.asarray(self.unit * np.sqrt(variance + (self.noise / self.unit) ** 2), dtype=float)

    def covariance(self, component: Component, V: Array) -> Array:
        designs = [output.design(component.design(V)) for output in self.model.outputs]
        pairs = zip(designs, self.model.outputs, strict=True)
        latent = np.stack([design @ output.covariance @ design.T for design, output in pairs], axis=-1)
        return np.asarray(self.unit**2 * latent + self.noise**2 * np.eye(len(V))[..., None], dtype=float)


@dataclass(frozen=True, eq=False, kw_only=True)
class SubsetSpread(Spread):
    """A subset of basis functions: noise, and the posterior of coefficients in its unit.

    Attributes
    ----------
    means : ndarray of shape (n_functions,)
    root : ndarray of shape (n_functions, r)
        Of the coefficients' covariance.
    constant : float
        Variance of the intercept.
    noise : ndarray of shape (k,)
    """

    means: Array
    root: Array
    constant: float
    noise: Array

    def deviation(self, component: Component, V: Array) -> Array:
        spread = np.sum(((component.design(V) - self.means) @ self.root) ** 2, axis=1)
        return np.outer(np.sqrt(1.0 + self.constant + spread), self.noise)

    def covariance(self, component: Component, V: Array) -> Array:
        half = (component.design(V) - self.means) @ self.root
        joint = half @ half.T + self.constant + np.eye(len(V))
        return np.asarray(joint[..., None] * self.noise**2, dtype=float)
