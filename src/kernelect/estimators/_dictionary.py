"""User-supplied basis functions in the place of a kernel: X -> design matrix.

The seam is a callable that returns one column per function for any rows; nothing else is
asked of it, and there is nothing in it to select.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from kernelect.exceptions import InvalidArgument, MissingCapability
from kernelect.kernels import Kernel
from kernelect.kernels.base import Pullback
from kernelect.parameters import ParameterSpace
from kernelect.typing import Array


@dataclass(frozen=True, eq=False)
class DictionaryDesign(Kernel):
    """A callable's columns, where a machine would have a Gram matrix."""

    functions: Callable[[Any], Any]

    def values(self, X: Array) -> Array:
        """Return the (n, M) values of the functions, checked."""
        values = np.asarray(self.functions(X), dtype=float)
        if values.ndim != 2 or len(values) != len(X) or not values.shape[1]:
            raise InvalidArgument(
                f"dictionary returned shape {values.shape} for {len(X)} rows: "
                "it should return one row per row of X and one column per function."
            )
        if not np.all(np.isfinite(values)):
            raise InvalidArgument(
                "dictionary returned NaN or infinite values: every function should be finite on every row."
            )
        return values

    def linearize(self, X: Array) -> tuple[Array, Pullback]:
        return self.values(X), lambda _: np.zeros(0)

    def cross(self, X: Array, Z: Array) -> Array:
        raise MissingCapability("A dictionary of functions is not a function of two rows: ask for its values.")

    def diagonal(self, X: Array) -> Array:
        raise MissingCapability("A dictionary of functions has no diagonal: ask for its values.")

    def cross_pullback(self, X: Array, Z: Array, weights: Array) -> tuple[Array, Array]:
        raise MissingCapability("A dictionary of functions has no derivatives in rows.")

    @property
    def theta(self) -> Array:
        return np.zeros(0)

    def with_theta(self, theta: Array) -> Self:
        return self

    def start(self, X: Array) -> Self:
        return self

    def space(self, X: Array) -> ParameterSpace:
        none = np.zeros(0)
        return ParameterSpace((), none, none, none, np.zeros(0, dtype=bool), (), none)
