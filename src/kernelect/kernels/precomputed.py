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
            "kernel='precomputed' has kernel values between new rows and training rows, and this needs k(x, x) of the "
            "new rows too: fit the inputs with a kernel such as 'rbf' instead."
        )

    def linearize(self, X: Array) -> tuple[Array, Pullback]:
        return X, lambda _: np.zeros(0)

    def cross_pullback(self, X: Array, Z: Array, weights: Array) -> tuple[Array, Array]:
        raise MissingCapability(
            "kernel='precomputed' has kernel values and no inputs, and this needs derivatives in the inputs: fit the "
            "inputs with a kernel such as 'rbf' instead."
        )

    @property
    def theta(self) -> Array:
        return np.zeros(0)

    def with_theta(self, theta: Array) -> Self:
        return self

    def start(self, X: Array) -> Self:
        return self

    def space(self, X: Array) -> ParameterSpace:
        return ParameterSpace.joined([])
