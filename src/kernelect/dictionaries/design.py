"""A dictionary in place of a machine's kernel: its columns at the rows are the design matrix.

Kernels inside the dictionary keep their parameters, so a selection moves their widths as it moves
those of a single kernel. All other functions have no parameters.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from kernelect.dictionaries.base import Dictionary, evaluated
from kernelect.exceptions import InvalidArgument, MissingCapability
from kernelect.kernels import Kernel
from kernelect.kernels.base import Pullback
from kernelect.parameters import ParameterSpace
from kernelect.typing import Array


@dataclass(frozen=True, eq=False)
class DictionaryDesign(Kernel):
    """The design matrix (n, M) of a dictionary, used in place of a Gram matrix."""

    dictionary: Dictionary
    compares_rows = False

    def linearize(self, X: Array) -> tuple[Array, Pullback]:
        candidates = self.dictionary.build(X)
        if not len(candidates):
            raise InvalidArgument("The dictionary holds no functions: give it at least one.")
        return evaluated(candidates, X), lambda weights: candidates.pullback(X, weights)

    def cross(self, X: Array, Z: Array) -> Array:
        raise MissingCapability("A dictionary's functions are not functions of two rows: build the dictionary instead.")

    def diagonal(self, X: Array) -> Array:
        raise MissingCapability("A dictionary has no diagonal: build it and evaluate its functions instead.")

    def cross_pullback(self, X: Array, Z: Array, weights: Array) -> tuple[Array, Array]:
        raise MissingCapability("A dictionary's functions have no derivatives in two rows: use its candidates' own.")

    @property
    def theta(self) -> Array:
        return np.concatenate([np.zeros(0), *(kernel.theta for kernel in self.dictionary.kernels)])

    def with_theta(self, theta: Array) -> Self:
        kernels, first = [], 0
        for kernel in self.dictionary.kernels:
            last = first + len(kernel.theta)
            kernels.append(kernel.with_theta(theta[first:last]))
            first = last
        return self._with(kernels)

    def start(self, X: Array) -> Self:
        return self._with([kernel.start(X) for kernel in self.dictionary.kernels])

    def space(self, X: Array) -> ParameterSpace:
        return ParameterSpace.joined([kernel.space(X) for kernel in self.dictionary.kernels])

    def _with(self, kernels: list[Kernel]) -> Self:
        return replace(self, dictionary=self.dictionary.with_kernels(tuple(kernels)))
