"""Kernels for category codes: what counts is whether two rows agree in a variable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from scipy.spatial.distance import cdist, pdist

from kernelect.kernels.base import Pullback
from kernelect.kernels.parametric import Parameter, Parametric, widths_for
from kernelect.kernels.products import OverInputs, Side
from kernelect.kernels.scale import MEDIAN_ROWS, WIDTH_ABOVE, WIDTH_BELOW, spread_rows
from kernelect.typing import Array, Auto, Indices


def _mismatch_start(_kernel: Category, X: Array) -> Array:
    """Return 1 / (median number of variables in which distinct rows differ), 0 for a constant variable."""
    varies = X.min(axis=0) != X.max(axis=0)
    some = X[spread_rows(X, MEDIAN_ROWS)]
    mismatches = X.shape[1] * pdist(some, "hamming")
    mismatches = mismatches[mismatches > 0]
    return np.where(varies, 1.0 / np.median(mismatches) if len(mismatches) else 1.0, 0.0)


@dataclass(frozen=True, eq=False)
class Category(OverInputs):
    """Overlap kernel exp(-sum_j gamma_j [x_j != x'_j]) for columns of category codes.

    Codes are compared, never subtracted: any number may stand for a level, and a level that was
    not in the training rows differs from all others. The derivative in the inputs is 0
    everywhere. For tables with numbers and categories, multiply:
    ``ProductLaplace().on([0, 1, 2]) * Category().on([3, 4])``.

    Parameters
    ----------
    gamma : array of shape (n_features,) or "auto"
        One width per variable; 0 switches a variable off.
    """

    gamma: Array | Auto = "auto"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter("gamma", _mismatch_start, "width", below=WIDTH_BELOW, above=WIDTH_ABOVE),
    )

    compares_codes: ClassVar[bool] = True

    def profile(self, t: Array) -> Array:
        return np.exp(-(t**2))

    def fill(self, A: Side, B: Side, out: Array) -> None:
        out.fill(0.0)
        for width, t in zip(widths_for(self, A.rows), self.distances(A, B, np.empty_like(out)), strict=True):
            out -= np.multiply(np.greater(t, 0.0, out=t), width, out=t)
        np.exp(out, out=out)

    def elasticity(self, t: Array) -> Array:
        return np.multiply(2.0, np.square(t, out=t), out=t)

    def steepness(self, t: Array) -> Array:
        return 2.0 * t


@dataclass(frozen=True, eq=False)
class Agreement(Parametric):
    """Number of variables in which two rows agree, sum_j [x_j = x'_j]: the linear kernel of category codes.

    It equals the inner product of the rows with every level coded as an input of 0 and 1, but never makes these
    inputs. It has no parameter; scale it with ``Constant("auto") * Agreement()``.
    """

    def cross(self, X: Array, Z: Array) -> Array:
        disagreement = cdist(X, Z, "hamming")
        return np.asarray(X.shape[1] * (1.0 - disagreement), dtype=float)

    def reordered(self, columns: Indices) -> Self:
        return self

    def diagonal(self, X: Array) -> Array:
        return np.full(len(X), float(X.shape[1]))

    def linearize(self, X: Array) -> tuple[Array, Pullback]:
        return self.cross(X, X), lambda _: np.zeros(0)

    def cross_pullback(self, X: Array, Z: Array, weights: Array) -> tuple[Array, Array]:
        return np.zeros(0), np.zeros(Z.shape)
