"""A Gram matrix given by the user in the place of the inputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from kernelect.exceptions import MissingCapability
from kernelect.kernels.base import Kernel, Pullback
from kernelect.parameters import ParameterSpace
from kernelect.typing import Array


@dataclass(frozen=True, eq=False)
class Precomputed(Kernel):
    """The "inputs" are kernel values: (n, n) in training, (m, n) against the training rows later."""

    def cross(self, X: Array, Z: Array) -> Array:
        return Z.T

    def diagonal(self, X: Array) -> Array:
        raise MissingCapability(
            "kernel='precomputed' does not tell k(x, x) of new rows, which this needs: give a kernel instead."
        )

    def linearize(self, X: Array) -> tuple[Array, Pullback]:
        return X, lambda _: np.zeros(0)

    def cross_pullback(self, X: Array, Z: Array, weights: Array) -> tuple[Array, Array]:
        raise MissingCapability("kernel='precomputed' has no inputs to differentiate in: give a kernel instead.")

    @property
    def theta(self) -> Array:
        return np.zeros(0)

    def with_theta(self, theta: Array) -> Self:
        return self

    def start(self, X: Array) -> Self:
        return self

    def space(self, X: Array) -> ParameterSpace:
        return ParameterSpace.joined([])
