"""The contract of a kernel, and what all kernels share.

Notation: X (n, d) inputs, Z (m, d) second argument, K (n, n) Gram matrix, theta the
logarithms of the kernel's parameters, W a matrix of weights with the shape of the Gram
matrix: the derivative of some criterion in its entries.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import ClassVar, Self

import numpy as np

from kernelect.exceptions import InvalidArgument
from kernelect.parameters import ParameterSpace
from kernelect.typing import Array, Indices

#: Turns weights on the Gram matrix into derivatives in the kernel's log-parameters.
Pullback = Callable[[Array], Array]


class Kernel(ABC):
    """A positive semi-definite function of two rows, with positive parameters.

    A parameter is a number (fixed) or ``"auto"`` (selected during ``fit``). Kernels are
    immutable; ``with_theta`` returns another one. A kernel with an ``"auto"`` parameter has no values yet;
    ``start(X)`` sets the parameter to the data's own scale.
    """

    #: Whether there are values for any two rows: what only stands in a kernel's place may have a design matrix alone.
    compares_rows: ClassVar[bool] = True

    @abstractmethod
    def cross(self, X: Array, Z: Array) -> Array:
        """Return the (n, m) matrix of kernel values between rows of ``X`` and rows of ``Z``.

        ``X`` holds the rows that a model keeps, and ``Z`` is any batch of rows. Column k depends only on ``X`` and on
        row k of ``Z``, not on the other rows of the batch.
        """

    @abstractmethod
    def diagonal(self, X: Array) -> Array:
        """Return the (n,) values of k(x, x)."""

    @abstractmethod
    def linearize(self, X: Array) -> tuple[Array, Pullback]:
        """Return the Gram matrix and its pullback, sharing their work.

        The Gram matrix must not be written to while the pullback is in use.
        """

    @abstractmethod
    def cross_pullback(self, X: Array, Z: Array, weights: Array) -> tuple[Array, Array]:
        """Return the derivatives of ``sum(weights * cross(X, Z))`` in theta and in ``Z``.

        Shapes (n_parameters,) and (m, d); cost O(d n m), no (n, m, d) array.
        """

    @property
    @abstractmethod
    def theta(self) -> Array:
        """Logarithms of all parameters, also of fixed ones; raises an error while one is ``"auto"``."""

    @abstractmethod
    def with_theta(self, theta: Array) -> Self:
        """Return the kernel with all parameters set from their logarithms."""

    @abstractmethod
    def start(self, X: Array) -> Self:
        """Return the kernel with every ``"auto"`` replaced by a value at the data's scale."""

    @abstractmethod
    def space(self, X: Array) -> ParameterSpace:
        """Return names, start, bounds and roles of the parameters for data ``X``."""

    def gram(self, X: Array) -> Array:
        """Return the (n, n) matrix of kernel values between the rows of ``X``."""
        return self.linearize(X)[0]

    def pullback(self, X: Array, weights: Array) -> Array:
        """Return the derivative of ``sum(weights * gram(X))`` in theta, O(d n^2)."""
        return self.linearize(X)[1](weights)

    def linearize_cross(self, X: Array, Z: Array) -> tuple[Array, Pullback]:
        """Return ``cross(X, Z)`` and its pullback in theta, sharing the work they have in common.

        The values must not be written to while the pullback is in use.
        """
        return self.cross(X, Z), lambda weights: self.cross_pullback(X, Z, weights)[0]

    def points_pullback(self, X: Array, Z: Array, weights: Array) -> Array:
        """Return the derivative of ``sum(weights * cross(X, Z))`` in ``Z`` alone, (m, d)."""
        return self.cross_pullback(X, Z, weights)[1]

    def on(self, columns: Sequence[int]) -> Kernel:
        """Return this kernel restricted to some columns (numbers, from 0); multiply such kernels for mixed tables."""
        from kernelect.kernels.composite import OnColumns

        return OnColumns(self, tuple(columns))

    def reordered(self, columns: Indices) -> Kernel | None:
        """Return this kernel for rows with their columns in another order, ``X[:, columns]``.

        None, the default, stands for a kernel that may not treat all columns alike.
        """
        return None

    @property
    def words(self) -> str:
        """What reports call a kernel of this kind: "linear" in "a linear kernel"."""
        return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(self).__name__).lower()

    @property
    def is_affine(self) -> bool:
        """Whether k(x, x') is a linear function of x', up to a constant, so that a model has one weight per input."""
        return False

    @property
    def squares(self) -> float:
        """Number of n x n arrays that ``linearize`` and its pullback hold at their peak."""
        return 2.0

    def __add__(self, other: object) -> Kernel:
        from kernelect.kernels.composite import Sum

        return Sum.of(self, as_operand(other))

    def __radd__(self, other: object) -> Kernel:
        if isinstance(other, int) and other == 0:  # where sum([...]) begins
            return self
        return as_operand(other) + self

    def __mul__(self, other: object) -> Kernel:
        from kernelect.kernels.composite import Product

        return Product.of(self, as_operand(other))

    def __rmul__(self, other: object) -> Kernel:
        return as_operand(other) * self


class ParameterFree(Kernel):
    """A kernel without parameters."""

    @property
    def theta(self) -> Array:
        return np.zeros(0)

    def with_theta(self, theta: Array) -> Self:
        return self

    def start(self, X: Array) -> Self:
        return self

    def space(self, X: Array) -> ParameterSpace:
        return ParameterSpace.joined([])


def as_operand(other: object) -> Kernel:
    """Return ``other`` as a kernel: a positive number stands for a constant one."""
    from kernelect.kernels.dot_product import Constant

    if isinstance(other, Kernel):
        return other
    if isinstance(other, int | float | np.integer | np.floating):
        return Constant(float(other))
    raise InvalidArgument(f"A kernel cannot be combined with {other!r}: use another kernel or a positive number.")


def unset_parameter(kernel: str, name: str) -> InvalidArgument:
    """Return the error for values asked of a kernel that has none yet."""
    return InvalidArgument(
        f"{kernel}({name}='auto') has no value before fit: give {name} a number, or call start(X) for the data's scale."
    )
