"""Kernels made of kernels: sums, products, and a kernel that sees some of the columns."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from functools import reduce
from operator import add, mul
from typing import ClassVar, Self

import numpy as np

from kernelect.exceptions import InvalidArgument
from kernelect.kernels.base import Kernel, Pullback
from kernelect.kernels.dot_product import Constant
from kernelect.parameters import ParameterSpace
from kernelect.typing import Array, Indices


@dataclass(frozen=True, eq=False, repr=False)
class Composite(Kernel):
    """Parts joined by one operation; theta is the parts' thetas one after the other."""

    parts: tuple[Kernel, ...]
    _sign: ClassVar[str]

    @classmethod
    def of(cls, *operands: Kernel) -> Self:
        """Join operands, flattening those that are already of this kind."""
        return cls(tuple(part for each in operands for part in (each.parts if isinstance(each, cls) else (each,))))

    @property
    def words(self) -> str:
        """The kinds of its parts; a constant is only named if there is nothing else."""
        named = [part for part in self.parts if not isinstance(part, Constant)]
        return " and ".join(dict.fromkeys(part.words for part in named or self.parts))

    @property
    def theta(self) -> Array:
        return np.concatenate([part.theta for part in self.parts])

    def with_theta(self, theta: Array) -> Self:
        return type(self)(
            tuple(part.with_theta(piece) for part, piece in zip(self.parts, self._split(theta), strict=True))
        )

    def _split(self, theta: Array) -> list[Array]:
        return np.split(theta, np.cumsum([len(part.theta) for part in self.parts])[:-1])

    def start(self, X: Array) -> Self:
        return type(self)(tuple(part.start(X) for part in self.parts))

    def space(self, X: Array) -> ParameterSpace:
        return ParameterSpace.joined([part.space(X) for part in self.parts])

    def reordered(self, columns: Indices) -> Self | None:
        parts = [part.reordered(columns) for part in self.parts]
        known = tuple(part for part in parts if part is not None)
        return type(self)(known) if len(known) == len(parts) else None

    @abstractmethod
    def _passed_on(self, weights: Array, values: list[Array], index: int) -> Array:
        """Return the weights that reach part ``index``."""

    def linearize(self, X: Array) -> tuple[Array, Pullback]:
        return self._linear([part.linearize(X) for part in self.parts])

    def linearize_cross(self, X: Array, Z: Array) -> tuple[Array, Pullback]:
        return self._linear([part.linearize_cross(X, Z) for part in self.parts])

    def _linear(self, pieces: list[tuple[Array, Pullback]]) -> tuple[Array, Pullback]:
        values = [value for value, _ in pieces]

        def pull(weights: Array) -> Array:
            return np.concatenate([piece[1](self._passed_on(weights, values, i)) for i, piece in enumerate(pieces)])

        return self._joined(values), pull

    def cross(self, X: Array, Z: Array) -> Array:
        return self._joined([part.cross(X, Z) for part in self.parts])

    def diagonal(self, X: Array) -> Array:
        return self._joined([part.diagonal(X) for part in self.parts])

    def cross_pullback(self, X: Array, Z: Array, weights: Array) -> tuple[Array, Array]:
        values = [part.cross(X, Z) for part in self.parts]
        pulled = [part.cross_pullback(X, Z, self._passed_on(weights, values, i)) for i, part in enumerate(self.parts)]
        return np.concatenate([theta for theta, _ in pulled]), np.sum([points for _, points in pulled], axis=0)

    @property
    def squares(self) -> float:
        return 2.0 + sum(part.squares for part in self.parts)

    @abstractmethod
    def _joined(self, values: list[Array]) -> Array:
        """Return the composite's values from its parts'."""

    def __repr__(self) -> str:
        return f" {self._sign} ".join(
            f"({part!r})" if isinstance(part, Sum) and isinstance(self, Product) else repr(part) for part in self.parts
        )


class Sum(Composite):
    """k1 + k2 + ..."""

    _sign = "+"

    @property
    def is_affine(self) -> bool:
        return all(part.is_affine for part in self.parts)

    def _joined(self, values: list[Array]) -> Array:
        return np.array(reduce(add, values))

    def _passed_on(self, weights: Array, values: list[Array], index: int) -> Array:
        return weights


class Product(Composite):
    """k1 * k2 * ..."""

    _sign = "*"

    @property
    def is_affine(self) -> bool:
        varying = [part for part in self.parts if not isinstance(part, Constant)]
        return len(varying) <= 1 and all(part.is_affine for part in varying)

    def space(self, X: Array) -> ParameterSpace:
        """A constant factor is an amplitude."""
        spaces = [part.space(X) for part in self.parts]
        space = ParameterSpace.joined(spaces)
        firsts = np.cumsum([0, *map(len, spaces)])[:-1]
        constants = [first for first, part in zip(firsts, self.parts, strict=True) if isinstance(part, Constant)]
        return replace(space, amplitudes=np.union1d(space.amplitudes, np.array(constants, dtype=np.intp)))

    def _joined(self, values: list[Array]) -> Array:
        return np.array(reduce(mul, values))

    def _passed_on(self, weights: Array, values: list[Array], index: int) -> Array:
        return reduce(mul, values[:index] + values[index + 1 :], weights)


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

    def linearize_cross(self, X: Array, Z: Array) -> tuple[Array, Pullback]:
        return self.kernel.linearize_cross(*self._both(X, Z))

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
