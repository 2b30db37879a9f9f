"""Kernels of the inner product, and the constant one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from kernelect.exceptions import InvalidArgument
from kernelect.kernels.base import Kernel, Pullback, unset_parameter
from kernelect.kernels.scale import check_range, middle
from kernelect.parameters import ParameterSpace, check_positive
from kernelect.typing import Array, Auto

#: Scales (amplitudes, offsets) may move this far from their start, in logarithms.
SCALE_RANGE = 12.0

#: Values of a kernel stop growing here: a wild row of a batch gives large numbers, not infinite ones.
_LARGEST = 1e300
#: Distance from the centre beyond which an input of a new row does not grow.
_LARGEST_INPUT = 1e150


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


class _InnerProduct(_ScalarParameters):
    """A function of the inner product of rows that are centred first.

    Away from the data's middle all inner products are alike: a column such as a year would leave
    no digits for the differences between rows.
    """

    centre: Array | float | None

    def _check_centre(self) -> None:
        if self.centre is None:
            return
        centre = np.array(self.centre, dtype=float)
        if centre.ndim > 1 or not np.all(np.isfinite(centre)):
            raise InvalidArgument(
                f"centre={self.centre!r} must be a finite number, one number per input, or None for the data's mean."
            )
        centre.flags.writeable = False
        object.__setattr__(self, "centre", centre)

    def start(self, X: Array) -> Self:
        centre = middle(X) if self.centre is None else self.centre
        started = super(_InnerProduct, replace(self, centre=centre)).start(X)  # type: ignore[type-var]
        with np.errstate(over="ignore"):
            check_range(float(np.abs(X - started._at(X)).max(initial=0.0)))
        return started

    def _at(self, X: Array) -> Array:
        """Return the centre, checked against the inputs there are."""
        centre = np.asarray(0.0 if self.centre is None else self.centre, dtype=float)
        if centre.ndim and len(centre) != X.shape[1]:
            raise InvalidArgument(
                f"centre has {len(centre)} numbers but the data have {X.shape[1]} inputs: give one number per input."
            )
        return centre

    def _centred(self, X: Array) -> Array:
        with np.errstate(over="ignore"):  # a wild row of a batch stays finite and is the only one that suffers
            return np.clip(X - self._at(X), -_LARGEST_INPUT, _LARGEST_INPUT)

    def _inner(self, X: Array, Z: Array) -> Array:
        return np.asarray(self._centred(X) @ self._centred(Z).T, dtype=float)

    def _squared(self, X: Array) -> Array:
        A = self._centred(X)
        return np.einsum("ij,ij->i", A, A)


@dataclass(frozen=True, eq=False)
class Linear(_InnerProduct):
    """Inner product (x - c) . (x' - c); scale it with ``Constant("auto") * Linear()``.

    Parameters
    ----------
    centre : array of shape (n_features,), float or None
        The point c. ``None`` stands for the mean of the training rows, which ``start`` (and so
        every ``fit``) puts here; before that it is the origin. ``centre=0`` keeps the origin.
    """

    centre: Array | float | None = None

    def __post_init__(self) -> None:
        self._check_centre()

    def cross(self, X: Array, Z: Array) -> Array:
        return np.clip(self._inner(X, Z), -_LARGEST, _LARGEST)

    def diagonal(self, X: Array) -> Array:
        return np.minimum(self._squared(X), _LARGEST)

    def linearize(self, X: Array) -> tuple[Array, Pullback]:
        return self._inner(X, X), lambda _: np.zeros(0)

    def cross_pullback(self, X: Array, Z: Array, weights: Array) -> tuple[Array, Array]:
        return np.zeros(0), weights.T @ self._centred(X)


@dataclass(frozen=True, eq=False)
class Polynomial(_InnerProduct):
    """Polynomial kernel (gamma (x - c) . (x' - c) + coef0) ** degree.

    Parameters
    ----------
    degree : int
        Fixed; it is not a continuous parameter.
    gamma, coef0 : float or "auto"
    centre : array of shape (n_features,), float or None
        As in :class:`Linear`.
    """

    degree: int = 2
    gamma: float | Auto = "auto"
    coef0: float | Auto = "auto"
    centre: Array | float | None = None
    _names = ("gamma", "coef0")

    def __post_init__(self) -> None:
        if not isinstance(self.degree, int | np.integer) or self.degree < 1:
            raise InvalidArgument(f"degree={self.degree!r} is not possible: give a whole number of at least 1.")
        for name in self._names:
            object.__setattr__(self, name, check_positive(name, getattr(self, name)))
        self._check_centre()

    def _starts(self, X: Array) -> dict[str, float]:
        mean_square = float(np.mean(self._squared(X)))
        return {"gamma": 1.0 / mean_square if mean_square > 0 else 1.0, "coef0": 1.0}

    def _base(self, T: Array) -> Array:
        return np.asarray(self._value("gamma") * T + self._value("coef0"), dtype=float)

    def _power(self, T: Array) -> Array:
        """Return the kernel's values, bounded so that a wild row gives no infinity."""
        largest = _LARGEST ** (1.0 / self.degree)
        return np.asarray(np.clip(self._base(T), -largest, largest) ** self.degree, dtype=float)

    def cross(self, X: Array, Z: Array) -> Array:
        return self._power(self._inner(X, Z))

    def diagonal(self, X: Array) -> Array:
        return self._power(self._squared(X))

    def linearize(self, X: Array) -> tuple[Array, Pullback]:
        T = self._inner(X, X)
        with np.errstate(over="ignore"):
            gram = self._base(T) ** self.degree
        return gram, lambda weights: self._scale_gradient(T, weights * self._slope(T))

    def cross_pullback(self, X: Array, Z: Array, weights: Array) -> tuple[Array, Array]:
        T = self._inner(X, Z)
        G = weights * self._slope(T)
        return self._scale_gradient(T, G), self._value("gamma") * (G.T @ self._centred(X))

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
