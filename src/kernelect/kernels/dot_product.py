"""Kernels of the inner product, and the constant one."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from kernelect.exceptions import InvalidArgument
from kernelect.kernels.base import Pullback
from kernelect.kernels.parametric import Parameter, Parametric
from kernelect.kernels.scale import check_range, middle
from kernelect.typing import Array, Auto, Indices

#: Values of a kernel stop growing here: a wild row of a batch gives large numbers, not infinite ones.
_LARGEST = 1e300
#: Distance from the centre beyond which an input of a new row does not grow.
_LARGEST_INPUT = 1e150


class InnerProduct(Parametric):
    """A function k(T) of the inner product T = (x - c) . (x' - c) of rows that are centred first.

    Away from the data's middle all inner products are alike: a column such as a year would leave
    no digits for the differences between rows.

    To add one, write a frozen dataclass with ``centre`` among its fields, a ``profile`` and its ``slope``. Declare
    parameters in ``parameters``, and add a ``shape_slope``.
    """

    centre: Array | float | None

    @abstractmethod
    def profile(self, T: Array) -> Array:
        """Return k(T)."""

    @abstractmethod
    def slope(self, T: Array) -> Array:
        """Return dk/dT."""

    def shape_slope(self, name: str, T: Array) -> Array:
        """Return the derivative of k in the logarithm of a parameter."""
        raise NotImplementedError(f"{type(self).__name__} declares {name}: write its method shape_slope")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.centre is None:
            return
        centre = np.array(self.centre, dtype=float)
        if centre.ndim > 1 or not np.all(np.isfinite(centre)):
            raise InvalidArgument(
                f"centre={self.centre!r} must be a finite number, one number per input, or None for the data's mean."
            )
        centre.flags.writeable = False
        object.__setattr__(self, "centre", centre if centre.ndim else float(centre))

    def start(self, X: Array) -> Self:
        centred = self if self.centre is not None else replace(self, centre=middle(X))  # type: ignore[type-var]
        started = Parametric.start(centred, X)
        with np.errstate(over="ignore"):
            check_range(float(np.abs(X - started._at(X)).max(initial=0.0)))
        return started

    def reordered(self, columns: Indices) -> Self:
        if not isinstance(self.centre, np.ndarray) or len(self.centre) != len(columns):
            return self
        return replace(self, centre=self.centre[columns])  # type: ignore[type-var]

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

    def squared_norms(self, X: Array) -> Array:
        """Return |x - c|^2 of every row."""
        A = self._centred(X)
        return np.einsum("ij,ij->i", A, A)

    def cross(self, X: Array, Z: Array) -> Array:
        return self._bounded(self._inner(X, Z))

    def diagonal(self, X: Array) -> Array:
        return self._bounded(self.squared_norms(X))

    def _bounded(self, T: Array) -> Array:
        """Return the kernel's values, bounded so that a wild row gives no infinity."""
        with np.errstate(over="ignore"):
            return np.clip(self.profile(T), -_LARGEST, _LARGEST)

    def linearize(self, X: Array) -> tuple[Array, Pullback]:
        T = self._inner(X, X)
        with np.errstate(over="ignore"):
            gram = self.profile(T)
        return gram, lambda weights: self._by_shape(T, weights)

    def cross_pullback(self, X: Array, Z: Array, weights: Array) -> tuple[Array, Array]:
        T = self._inner(X, Z)
        return self._by_shape(T, weights), (weights * self.slope(T)).T @ self._centred(X)

    def _by_shape(self, T: Array, weights: Array) -> Array:
        slopes = (self.shape_slope(parameter.name, T) for parameter in self.parameters)
        return np.array([np.sum(weights * slope) for slope in slopes], dtype=float)


@dataclass(frozen=True, eq=False)
class Linear(InnerProduct):
    """Inner product (x - c) . (x' - c); scale it with ``Constant("auto") * Linear()``.

    Parameters
    ----------
    centre : array of shape (n_features,), float or None
        The point c. ``None`` is the origin until ``start`` (and so every ``fit``) replaces it with the mean of the
        training rows. ``centre=0`` keeps the origin.
    """

    centre: Array | float | None = None

    @property
    def is_affine(self) -> bool:
        return True

    def profile(self, T: Array) -> Array:
        return T

    def slope(self, T: Array) -> Array:
        return np.ones_like(T)


def _inverse_mean_square(kernel: InnerProduct, X: Array) -> float:
    mean_square = float(np.mean(kernel.squared_norms(X)))
    check_range(float(np.sqrt(mean_square)))
    return 1.0 / mean_square if mean_square > 0 else 1.0


@dataclass(frozen=True, eq=False)
class Polynomial(InnerProduct):
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
    parameters = (Parameter("gamma", _inverse_mean_square), Parameter("coef0", 1.0))

    def __post_init__(self) -> None:
        if not isinstance(self.degree, int | np.integer) or self.degree < 1:
            raise InvalidArgument(f"degree={self.degree!r} must be a whole number of at least 1.")
        super().__post_init__()

    def _base(self, T: Array) -> Array:
        return self.value("gamma") * T + self.value("coef0")

    def profile(self, T: Array) -> Array:
        return self._base(T) ** self.degree

    def slope(self, T: Array) -> Array:
        return self.value("gamma") * self.degree * self._base(T) ** (self.degree - 1)

    def shape_slope(self, name: str, T: Array) -> Array:
        slope = self.slope(T)
        return slope * T if name == "gamma" else slope * (self.value("coef0") / self.value("gamma"))


@dataclass(frozen=True, eq=False)
class Constant(Parametric):
    """A constant: an offset when added, an amplitude when multiplied.

    Parameters
    ----------
    constant : float or "auto"
    """

    constant: float | Auto = "auto"
    parameters = (Parameter("constant", 1.0),)

    @property
    def is_affine(self) -> bool:
        return True

    def cross(self, X: Array, Z: Array) -> Array:
        return np.full((len(X), len(Z)), self.value("constant"))

    def reordered(self, columns: Indices) -> Self:
        return self

    def diagonal(self, X: Array) -> Array:
        return np.full(len(X), self.value("constant"))

    def linearize(self, X: Array) -> tuple[Array, Pullback]:
        # A view without memory: composites only read it.
        gram = np.broadcast_to(self.value("constant"), (len(X), len(X)))
        return gram, lambda weights: np.array([self.value("constant") * weights.sum()])

    def gram(self, X: Array) -> Array:
        return self.cross(X, X)

    def cross_pullback(self, X: Array, Z: Array, weights: Array) -> tuple[Array, Array]:
        return np.array([self.value("constant") * weights.sum()]), np.zeros_like(Z)
