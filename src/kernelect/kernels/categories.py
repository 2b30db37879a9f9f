"""A kernel for category codes: what counts is whether two rows agree in a variable."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.spatial.distance import pdist

from kernelect.kernels.parametric import Parameter, widths_for
from kernelect.kernels.products import OverInputs, Side
from kernelect.kernels.scale import MEDIAN_ROWS, WIDTH_ABOVE, WIDTH_BELOW, spread_rows
from kernelect.typing import Array, Auto


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
        Parameter("gamma", _mismatch_start, "width", WIDTH_BELOW, WIDTH_ABOVE),
    )

    def scaled(self, X: Array, Z: Array) -> tuple[Array, Array]:
        widths_for(self, X)
        return X, Z

    def distances(self, A: Side, B: Side, out: Array) -> Iterator[Array]:
        for difference in A.differences(B, out):
            yield np.not_equal(difference, 0.0, out=difference)

    def fill(self, A: Side, B: Side, out: Array) -> None:
        out.fill(0.0)
        for width, t in zip(widths_for(self, A.rows), self.distances(A, B, np.empty_like(out)), strict=True):
            out -= np.multiply(t, width, out=t)
        np.exp(out, out=out)

    def elasticity(self, t: Array) -> Array:
        return t

    def _by_width(self, elasticities: Array) -> Array:
        return -np.asarray(self.gamma, dtype=float) * elasticities

    def steepness(self, t: Array) -> Array:
        t.fill(0.0)
        return t
