"""The kinds of parts: what a component adds up, each with everything that its values need.

A part is a record of arrays and of registered kernels or functions. Its kind knows its value; Shapley terms and the
graph of an export are functions of it (:mod:`kernelect.explain`, :mod:`kernelect.export`).

Notation: V (m, d) inputs in the component's view, k outputs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self

import numpy as np

from kernelect.exceptions import MissingCapability
from kernelect.kernels import Kernel
from kernelect.numerics import over_blocks
from kernelect.typing import Array, Indices

#: Rows whose kernel values are found at a time.
BLOCK_ROWS = 2048

#: Numbers that a block of rows may take.
_BLOCK_NUMBERS = 4_000_000


@dataclass(frozen=True, eq=False, kw_only=True)
class Part(ABC):
    """A function of the inputs that is a weighted sum of simple ones.

    Attributes
    ----------
    coefficients : ndarray of shape (n_functions, k)
    """

    coefficients: Array

    @abstractmethod
    def values(self, V: Array) -> Array:
        """Return the part's values (m, k) at inputs."""

    def design(self, V: Array) -> Array:
        """Return the values (m, n_functions) of the functions that the part adds up."""
        raise MissingCapability("This part is no sum of functions: use its values.")

    def times(self, factor: float) -> Self:
        """Return the part with its values multiplied by a number."""
        return replace(self, coefficients=factor * self.coefficients)


@dataclass(frozen=True, eq=False, kw_only=True)
class KernelPart(Part):
    """sum_i coefficients_i k(x, vectors_i).

    Attributes
    ----------
    kernel : Kernel
        With numbers for all parameters.
    vectors : ndarray of shape (n_vectors, d)
        Without rows if kernel values are given in the place of inputs.
    places : ndarray of int or None
        If the inputs are kernel values: the columns that hold those with the vectors.
    representative : bool
        Whether the vectors stand for the training rows: all of them, or landmarks among them.
    """

    kernel: Kernel
    vectors: Array
    places: Indices | None = None
    representative: bool = False

    @property
    def is_precomputed(self) -> bool:
        """Whether the inputs are kernel values."""
        return self.places is not None

    def cross(self, V: Array) -> Array:
        """Return kernel values between vectors and inputs, (n_vectors, m)."""
        if self.places is not None:
            n = len(self.places)  # the vectors themselves are not known, only their number is asked for
            return self.kernel.cross(np.broadcast_to(0.0, (n, n)), V[:, self.places])
        return self.kernel.cross(self.vectors, V)

    def design(self, V: Array) -> Array:
        return np.ascontiguousarray(self.cross(V).T) if len(self.coefficients) else np.zeros((len(V), 0))

    def values(self, V: Array) -> Array:
        if not len(self.coefficients):
            return np.zeros((len(V), self.coefficients.shape[1]))
        starts = range(0, len(V), BLOCK_ROWS)
        found = over_blocks(partial(self._block, V), [slice(first, first + BLOCK_ROWS) for first in starts])
        return np.concatenate(list(found)) if len(V) else np.zeros((0, self.coefficients.shape[1]))

    def _block(self, V: Array, part: slice) -> Array:
        return np.asarray(self.cross(np.asarray(V[part], dtype=float)).T @ self.coefficients, dtype=float)


@dataclass(frozen=True, eq=False, kw_only=True)
class ForeignPart(Part):
    """A machine of Python that predicts, such as an estimator of scikit-learn.

    It cannot be exported or written to a file.

    Attributes
    ----------
    machine : object
        Has ``predict_proba(V)`` or ``predict(V)``.
    coefficients : ndarray of shape (1, k)
        What its answers are multiplied by.
    labels : bool
        Whether it answers by probabilities.
    """

    machine: Any
    labels: bool

    def values(self, V: Array) -> Array:
        said = self.machine.predict_proba(V) if self.labels else self.machine.predict(V)
        return np.asarray(said, dtype=float).reshape(len(V), -1) * self.coefficients


def blocks(V: Array, numbers: int) -> Iterator[Array]:
    """Yield rows in blocks, of which each row takes so many numbers."""
    size = max(_BLOCK_NUMBERS // max(numbers, 1), 1)
    return (np.asarray(V[first : first + size], dtype=float) for first in range(0, max(len(V), 1), size))
