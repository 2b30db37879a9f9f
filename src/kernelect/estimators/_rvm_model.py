"""What a fitted relevance vector machine keeps: its vectors, weights and their covariance."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kernelect.machines.rvm import CentreFit, Posterior, SparseFit
from kernelect.registry import stored
from kernelect.typing import Array, Indices


@stored
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
        """Return where a shared vector stands among the weights, None where this function does without it."""
        found = np.flatnonzero(self.columns == vector)
        return int(self.constant) + int(found[0]) if len(found) else None

    def predict(self, values: Array) -> tuple[Array, Array]:
        """Return mean and variance of the latent function."""
        design = self.design(values)
        return design @ self.weights, np.einsum("ij,ij->i", design @ self.covariance, design)


@stored
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


def on_rows(fits: tuple[SparseFit, ...]) -> tuple[Indices, RelevanceModel]:
    """Return the columns of the design that are used, and the model on them."""
    used = np.unique(np.concatenate([fit.active for fit in fits]))
    used = used[used > 0]
    outputs = tuple(
        _output(np.searchsorted(used, fit.active[fit.active > 0]), bool(np.any(fit.active == 0)), fit.posterior)
        for fit in fits
    )
    return used - 1, RelevanceModel(outputs, len(used))


def on_centres(fits: list[tuple[CentreFit, Posterior]]) -> tuple[Array, RelevanceModel]:
    """Return all centres one after the other, and the model on them."""
    ends = np.cumsum([0, *(len(fit.origins) for fit, _ in fits)])
    outputs = tuple(
        _output(np.arange(ends[k], ends[k + 1]), fit.constant, posterior) for k, (fit, posterior) in enumerate(fits)
    )
    return np.vstack([fit.centres for fit, _ in fits]), RelevanceModel(outputs, int(ends[-1]))


def _output(columns: Indices, constant: bool, posterior: Posterior) -> Output:
    return Output(
        columns=columns,
        constant=constant,
        weights=posterior.weights,
        alpha=posterior.alpha,
        covariance=posterior.factor.inverse(),
    )
