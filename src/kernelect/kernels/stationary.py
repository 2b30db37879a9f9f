"""Stationary kernels: a profile of D = sum_j gamma_j (x_j - x'_j)^2.

One name for the width everywhere: ``gamma`` = eta of Cawley & Talbot (2007) = 1/(2 l^2) of
Gold & Sollich (2003) = 1/r^2 of Barrio et al. = 1/(2 sigma^2) of Kropotov et al.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Self

import numpy as np

from kernelect.exceptions import InvalidArgument
from kernelect.kernels.base import Kernel, Pullback, unset_parameter
from kernelect.kernels.distances import map_distances, point_gradients, squared_differences
from kernelect.kernels.scale import WIDTH_ABOVE, WIDTH_BELOW, input_scales, median_width
from kernelect.parameters import ParameterSpace, check_positive
from kernelect.typing import Array, Auto


class Stationary(Kernel):
    """A kernel k(D) with one width (``elliptical=False``) or one width per input."""

    gamma: float | Array | Auto
    elliptical: bool

    @abstractmethod
    def _profile(self, D: Array) -> Array:
        """Return k(D); may write into ``D``."""

    @abstractmethod
    def _slope(self, D: Array) -> Array:
        """Return dk/dD; may write into ``D``."""

    def cross(self, X: Array, Z: Array) -> Array:
        return map_distances(X, Z, self._widths(X), self._profile)

    def diagonal(self, X: Array) -> Array:
        return np.ones(len(X))

    def linearize(self, X: Array) -> tuple[Array, Pullback]:
        def pull(weights: Array) -> Array:
            slopes = map_distances(X, X, self._widths(X), self._slope)
            return self._width_gradient(X, X, np.multiply(slopes, weights, out=slopes))

        return self.cross(X, X), pull

    def cross_pullback(self, X: Array, Z: Array, weights: Array) -> tuple[Array, Array]:
        G = weights * map_distances(X, Z, self._widths(X), self._slope)
        return self._width_gradient(X, Z, G), point_gradients(X, Z, self._widths(X), G)

    def _width_gradient(self, X: Array, Z: Array, G: Array) -> Array:
        """Return the derivative in log gamma for weights ``G`` on D."""
        by_input = squared_differences(X, Z, self._widths(X), G)
        return by_input if self.elliptical else by_input.sum(keepdims=True)

    @property
    def theta(self) -> Array:
        if isinstance(self.gamma, str):
            raise unset_parameter(type(self).__name__, "gamma")
        with np.errstate(divide="ignore"):  # a width of exactly 0 switches its input off
            return np.log(np.atleast_1d(np.asarray(self.gamma, dtype=float)))

    def with_theta(self, theta: Array) -> Self:
        gamma = np.exp(theta)
        return self._replaced(gamma if self.elliptical else float(gamma[0]))

    @abstractmethod
    def _replaced(self, gamma: float | Array) -> Self:
        """Return the kernel with another width."""

    def start(self, X: Array) -> Self:
        if not isinstance(self.gamma, str):
            self._widths(X)
            return self
        if not self.elliptical:
            return self._replaced(median_width(X))
        scales = input_scales(X)
        inverse = np.divide(1.0, scales, out=np.zeros_like(scales), where=scales > 0)
        # A constant input gets width 0: it must not matter when it varies in new data.
        return self._replaced(median_width(X * inverse) * inverse**2)

    def space(self, X: Array) -> ParameterSpace:
        free, start = isinstance(self.gamma, str), self.start(X).theta
        count = len(start)
        finite = np.isfinite(start)
        below, above = (WIDTH_BELOW, WIDTH_ABOVE) if free else (0.0, 0.0)
        return ParameterSpace(
            names=tuple(f"gamma[{j}]" for j in range(count)) if self.elliptical else ("gamma",),
            start=start,
            lower=start - below,
            upper=start + above,
            free=finite & free,
            widths=(np.arange(count),),
            reference=np.where(finite, start, 0.0) if free else np.zeros(count),
        )

    def _widths(self, X: Array) -> Array:
        """Return gamma for every input, checked against the inputs there are."""
        if isinstance(self.gamma, str):
            raise unset_parameter(type(self).__name__, "gamma")
        if not self.elliptical:
            return np.full(X.shape[1], self.gamma)
        gamma = np.asarray(self.gamma, dtype=float)
        if len(gamma) != X.shape[1]:
            raise InvalidArgument(
                f"gamma has {len(gamma)} widths but the data have {X.shape[1]} inputs: give one width per input."
            )
        return gamma


def _check_widths(gamma: object) -> Array | str:
    if isinstance(gamma, str):
        return check_positive("gamma", gamma)  # type: ignore[return-value]
    try:
        widths = np.array(gamma, dtype=float)
    except (TypeError, ValueError):
        widths = np.array(np.nan)
    if widths.ndim != 1 or not len(widths) or not np.all(np.isfinite(widths)) or np.any(widths < 0):
        raise InvalidArgument(
            f"gamma={gamma!r} is not possible: give one number >= 0 per input (0 switches an input off), or 'auto'."
        )
    widths.flags.writeable = False
    return widths


class _Gaussian(Stationary):
    """exp(-D): its slope is minus itself, so the Gram matrix serves twice."""

    def _profile(self, D: Array) -> Array:
        return np.exp(np.negative(D, out=D), out=D)

    def _slope(self, D: Array) -> Array:
        return np.negative(self._profile(D), out=D)

    def linearize(self, X: Array) -> tuple[Array, Pullback]:
        gram = self.cross(X, X)
        return gram, lambda weights: -self._width_gradient(X, X, weights * gram)

    def _replaced(self, gamma: float | Array) -> Self:
        return type(self)(gamma)  # type: ignore[call-arg]


@dataclass(frozen=True, eq=False)
class RBF(_Gaussian):
    """Gaussian kernel exp(-gamma |x - x'|^2) with one width for all inputs.

    Parameters
    ----------
    gamma : float or "auto"

    Examples
    --------
    >>> import numpy as np
    >>> RBF(gamma=0.5).gram(np.array([[0.0], [2.0]])).round(4)
    array([[1.    , 0.1353],
           [0.1353, 1.    ]])
    """

    gamma: float | Auto = "auto"
    elliptical = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "gamma", check_positive("gamma", self.gamma))


@dataclass(frozen=True, eq=False)
class ARD(_Gaussian):
    """Gaussian kernel exp(-sum_j gamma_j (x_j - x'_j)^2) with one width per input.

    Automatic relevance determination: an input with a small width matters little, one with
    width 0 not at all.

    Parameters
    ----------
    gamma : array of shape (n_features,) or "auto"
    """

    gamma: Array | Auto = "auto"
    elliptical = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "gamma", _check_widths(self.gamma))


@dataclass(frozen=True, eq=False)
class Matern(Stationary):
    """Matern kernel of smoothness 3/2 or 5/2, rougher than the Gaussian.

    With s = sqrt(4 nu D): (1 + s) exp(-s) for nu = 3/2 and (1 + s + s^2/3) exp(-s) for 5/2.
    ``gamma`` = 1/(2 l^2) of scikit-learn's ``Matern(length_scale=l)``.

    Parameters
    ----------
    nu : 1.5 or 2.5
    gamma : float, array of shape (n_features,) or "auto"
    elliptical : bool
        One width per input; follows from ``gamma`` where that is a number or an array.
    """

    nu: float = 2.5
    gamma: float | Array | Auto = "auto"
    elliptical: bool = False

    def __post_init__(self) -> None:
        if self.nu not in (1.5, 2.5):
            raise InvalidArgument(f"nu={self.nu!r} is not possible: Matern kernels are offered for nu=1.5 and nu=2.5.")
        if not isinstance(self.gamma, str):
            object.__setattr__(self, "elliptical", np.ndim(self.gamma) > 0)
        check = _check_widths(self.gamma) if self.elliptical else check_positive("gamma", self.gamma)
        object.__setattr__(self, "gamma", check)

    def _profile(self, D: Array) -> Array:
        s = np.sqrt(4.0 * self.nu * D)
        polynomial = 1.0 + s if self.nu == 1.5 else 1.0 + s * (1.0 + s / 3.0)
        return np.asarray(polynomial * np.exp(-s), dtype=float)

    def _slope(self, D: Array) -> Array:
        s = np.sqrt(4.0 * self.nu * D)
        return np.asarray((-3.0 if self.nu == 1.5 else -5.0 / 3.0 * (1.0 + s)) * np.exp(-s), dtype=float)

    def _replaced(self, gamma: float | Array) -> Self:
        return type(self)(self.nu, gamma)
