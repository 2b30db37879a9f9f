"""Kernels of the inner product, and the constant one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from kernelect.exceptions import InvalidArgument
from kernelect.kernels.base import Kernel, Pullback, unset_parameter
from kernelect.parameters import ParameterSpace, check_positive
from kernelect.typing import Array, Auto

#: Scales (amplitudes, offsets) may move this far from their start, in logarithms.
SCALE_RANGE = 12.0


class _ScalarParameters(Kernel):
    """A kernel whose parameters are scalar fields, named in ``_names``."""

    _names: tuple[str, ...] = ()

    def _starts(self, X: Array) -> dict[str, float]:
        """Return the start values of the parameters for data ``X``."""
        return {}

    @property
    def theta(self) -> Array:
        return np.log([self._value(name) for name in self._names])

    def _value(self, name: str) -> float:
        value = getattr(self, name)
        if isinstance(value, str):
            raise unset_parameter(type(self).__name__, name)
        return float(value)

    def with_theta(self, theta: Array) -> Self:
        values = dict(zip(self._names, np.exp(theta).tolist(), strict=True))
        return replace(self, **values)  # type: ignore[type-var]

    def start(self, X: Array) -> Self:
        starts = self._starts(X)
        chosen = {name: starts[name] for name in self._names if isinstance(getattr(self, name), str)}
        return replace(self, **chosen)  # type: ignore[type-var]

    def space(self, X: Array) -> ParameterSpace:
        started = self.start(X)
        parts = [
            ParameterSpace.single(
                name,
                float(np.log(started._value(name))),
                below=SCALE_RANGE if isinstance(getattr(self, name), str) else 0.0,
                above=SCALE_RANGE if isinstance(getattr(self, name), str) else 0.0,
                free=isinstance(getattr(self, name), str),
            )
            for name in self._names
        ]
        return ParameterSpace.joined(parts) if parts else empty_space()


def empty_space() -> ParameterSpace:
    """Return the space of a kernel without parameters."""
    none = np.zeros(0)
    return ParameterSpace((), none, none, none, np.zeros(0, dtype=bool), (), none)


@dataclass(frozen=True, eq=False)
class Linear(_ScalarParameters):
    """Inner product x . x'; has no parameter (scale it: ``Constant("auto") * Linear()``)."""

    def cross(self, X: Array, Z: Array) -> Array:
        return np.asarray(X @ Z.T, dtype=float)

    def diagonal(self, X: Array) -> Array:
        return np.einsum("ij,ij->i", X, X)

    def linearize(self, X: Array) -> tuple[Array, Pullback]:
        return self.cross(X, X), lambda _: np.zeros(0)

    def cross_pullback(self, X: Array, Z: Array, weights: Array) -> tuple[Array, Array]:
        return np.zeros(0), weights.T @ X


@dataclass(frozen=True, eq=False)
class Polynomial(_ScalarParameters):
    """Polynomial kernel (gamma x . x' + coef0) ** degree.

    Parameters
    ----------
    degree : int
        Fixed; it is not a continuous parameter.
    gamma, coef0 : float or "auto"
    """

    degree: int = 2
    gamma: float | Auto = "auto"
    coef0: float | Auto = "auto"
    _names = ("gamma", "coef0")

    def __post_init__(self) -> None:
        if not isinstance(self.degree, int | np.integer) or self.degree < 1:
            raise InvalidArgument(f"degree={self.degree!r} is not possible: give a whole number of at least 1.")
        for name in self._names:
            object.__setattr__(self, name, check_positive(name, getattr(self, name)))

    def _starts(self, X: Array) -> dict[str, float]:
        mean_square = float(np.mean(np.einsum("ij,ij->i", X, X)))
        return {"gamma": 1.0 / mean_square if mean_square > 0 else 1.0, "coef0": 1.0}

    def _base(self, T: Array) -> Array:
        return np.asarray(self._value("gamma") * T + self._value("coef0"), dtype=float)

    def cross(self, X: Array, Z: Array) -> Array:
        return self._base(X @ Z.T) ** self.degree

    def diagonal(self, X: Array) -> Array:
        return self._base(np.einsum("ij,ij->i", X, X)) ** self.degree

    def linearize(self, X: Array) -> tuple[Array, Pullback]:
        T = X @ X.T
        gram = self._base(T) ** self.degree
        return gram, lambda weights: self._scale_gradient(T, weights * self._slope(T))

    def cross_pullback(self, X: Array, Z: Array, weights: Array) -> tuple[Array, Array]:
        T = X @ Z.T
        G = weights * self._slope(T)
        return self._scale_gradient(T, G), self._value("gamma") * (G.T @ X)

    def _slope(self, T: Array) -> Array:
        """Return the derivative of the power in its base."""
        return np.asarray(self.degree * self._base(T) ** (self.degree - 1), dtype=float)

    def _scale_gradient(self, T: Array, G: Array) -> Array:
        return np.array([self._value("gamma") * np.sum(G * T), self._value("coef0") * G.sum()])


@dataclass(frozen=True, eq=False)
class Constant(_ScalarParameters):
    """A constant: an offset when added, an amplitude when multiplied.

    Parameters
    ----------
    constant : float or "auto"
    """

    constant: float | Auto = "auto"
    _names = ("constant",)

    def __post_init__(self) -> None:
        object.__setattr__(self, "constant", check_positive("constant", self.constant))

    def _starts(self, X: Array) -> dict[str, float]:
        return {"constant": 1.0}

    def cross(self, X: Array, Z: Array) -> Array:
        return np.full((len(X), len(Z)), self._value("constant"))

    def diagonal(self, X: Array) -> Array:
        return np.full(len(X), self._value("constant"))

    def linearize(self, X: Array) -> tuple[Array, Pullback]:
        # A view without memory: composites only read it.
        gram = np.broadcast_to(self._value("constant"), (len(X), len(X)))
        return gram, lambda weights: np.array([self._value("constant") * weights.sum()])

    def gram(self, X: Array) -> Array:
        return self.cross(X, X)

    def cross_pullback(self, X: Array, Z: Array, weights: Array) -> tuple[Array, Array]:
        return np.array([self._value("constant") * weights.sum()]), np.zeros_like(Z)
