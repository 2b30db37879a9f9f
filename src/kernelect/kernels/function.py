"""A function of the user's as a kernel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from kernelect.exceptions import InvalidArgument
from kernelect.kernels.base import ParameterFree, Pullback
from kernelect.kernels.translation import central_differences
from kernelect.typing import Array

#: Rows whose values of k(x, x) are found at a time: the function gives those of all pairs.
_ROWS = 64


@dataclass(frozen=True, eq=False)
class FunctionKernel(ParameterFree):
    """A function of two arrays of rows that returns the matrix of kernel values between them.

    It has no parameters, so that there is nothing to select in it, and it cannot be exported.

    Parameters
    ----------
    function : callable
        ``function(X, Z)`` returns kernel values of shape ``(len(X), len(Z))``, as the ``kernel`` of scikit-learn's
        ``SVC`` does.
    """

    function: Callable[[Array, Array], Any]

    @property
    def words(self) -> str:
        return "user-defined"

    def cross(self, X: Array, Z: Array) -> Array:
        values = np.asarray(self.function(X, Z), dtype=float)
        if values.shape != (len(X), len(Z)):
            raise InvalidArgument(
                f"kernel={self.function!r} returned an array of shape {values.shape} for {len(X)} and {len(Z)} rows: "
                f"it must return one of shape {(len(X), len(Z))}."
            )
        return values

    def diagonal(self, X: Array) -> Array:
        parts = [X[first : first + _ROWS] for first in range(0, len(X), _ROWS)]
        return np.concatenate([np.zeros(0), *(np.diagonal(self.cross(part, part)) for part in parts)])

    def linearize(self, X: Array) -> tuple[Array, Pullback]:
        return self.cross(X, X), lambda _: np.zeros(0)

    def cross_pullback(self, X: Array, Z: Array, weights: Array) -> tuple[Array, Array]:
        return np.zeros(0), central_differences(self, X, Z, weights)
