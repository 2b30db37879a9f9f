"""A kernel that looks at some of the columns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from kernelect.exceptions import InvalidArgument
from kernelect.kernels.base import Kernel, Pullback
from kernelect.kernels.composite import Composite
from kernelect.parameters import ParameterSpace
from kernelect.typing import Array, Indices


@dataclass(frozen=True, eq=False, repr=False)
class OnColumns(Kernel):
    """``kernel.on(columns)``: a kernel that sees only these columns.

    In a product of such kernels, every kind of column has its own kernel and every variable its own width.

    Parameters
    ----------
    kernel : Kernel
    columns : sequence of int
        Numbers of columns, from 0.

    Examples
    --------
    >>> from kernelect.kernels import ARD, Category
    >>> ARD().on([0, 1]) * Category().on([2])
    ARD(gamma='auto').on([0, 1]) * Category(gamma='auto').on([2])
    """

    kernel: Kernel
    columns: tuple[int, ...]

    def __post_init__(self) -> None:
        chosen = np.asarray(self.columns)
        whole = chosen.ndim == 1 and len(chosen) > 0 and np.issubdtype(chosen.dtype, np.integer)
        if not whole or chosen.min() < 0 or len(np.unique(chosen)) < len(chosen):
            raise InvalidArgument(
                f"columns={self.columns!r} must be the numbers of one column or more, from 0, none of them twice."
            )
        object.__setattr__(self, "columns", tuple(chosen.tolist()))

    @property
    def is_affine(self) -> bool:
        return self.kernel.is_affine

    @property
    def words(self) -> str:
        return self.kernel.words

    def _of(self, X: Array) -> Array:
        if max(self.columns) >= X.shape[1]:
            raise InvalidArgument(
                f"columns={list(self.columns)} asks for column {max(self.columns)} but the data have columns "
                f"0 to {X.shape[1] - 1}: choose among these."
            )
        return np.ascontiguousarray(X[:, list(self.columns)])

    def _both(self, X: Array, Z: Array) -> tuple[Array, Array]:
        part = self._of(X)
        return part, part if X is Z else self._of(Z)

    def cross(self, X: Array, Z: Array) -> Array:
        return self.kernel.cross(*self._both(X, Z))

    def diagonal(self, X: Array) -> Array:
        return self.kernel.diagonal(self._of(X))

    def linearize(self, X: Array) -> tuple[Array, Pullback]:
        return self.kernel.linearize(self._of(X))

    def cross_pullback(self, X: Array, Z: Array, weights: Array) -> tuple[Array, Array]:
        by_theta, by_points = self.kernel.cross_pullback(*self._both(X, Z), weights)
        points = np.zeros(Z.shape)
        points[:, list(self.columns)] = by_points
        return by_theta, points

    @property
    def theta(self) -> Array:
        return self.kernel.theta

    def with_theta(self, theta: Array) -> Self:
        return replace(self, kernel=self.kernel.with_theta(theta))

    def start(self, X: Array) -> Self:
        return replace(self, kernel=self.kernel.start(self._of(X)))

    def space(self, X: Array) -> ParameterSpace:
        return self.kernel.space(self._of(X)).named_by(self.columns)

    def reordered(self, columns: Indices) -> Self:
        """The chosen columns keep their order: any kernel of them has the same values as before."""
        if max(self.columns) >= len(columns):
            return self
        return replace(self, columns=tuple(np.argsort(columns)[list(self.columns)].tolist()))

    @property
    def squares(self) -> float:
        return self.kernel.squares

    def __repr__(self) -> str:
        inner = f"({self.kernel!r})" if isinstance(self.kernel, Composite) else repr(self.kernel)
        return f"{inner}.on({list(self.columns)})"
