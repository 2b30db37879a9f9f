"""A Gram matrix given by the user in the place of the inputs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernelect.exceptions import MissingCapability
from kernelect.kernels.base import ParameterFree, Pullback
from kernelect.typing import Array


@dataclass(frozen=True, eq=False)
class Precomputed(ParameterFree):
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
