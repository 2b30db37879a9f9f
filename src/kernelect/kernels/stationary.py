"""Stationary kernels: a profile of D = sum_j gamma_j (x_j - x'_j)^2.

One name for the width everywhere: ``gamma`` = eta of Cawley & Talbot (2007) = 1/(2 l^2) of
Gold & Sollich (2003) = 1/r^2 of Barrio et al. = 1/(2 sigma^2) of Kropotov et al.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import ClassVar, Self

import numpy as np

from kernelect.exceptions import InvalidArgument
from kernelect.kernels.base import Pullback
from kernelect.kernels.distances import Block, Pairs
from kernelect.kernels.parametric import Parameter, Parametric, widths_for
from kernelect.kernels.scale import WIDTH_ABOVE, WIDTH_BELOW, median_width, scaled_widths
from kernelect.numerics import row_blocks
from kernelect.typing import Array, Auto, Indices


def _width_start(kernel: Stationary, X: Array) -> float | Array:
    return scaled_widths(X, median_width) if kernel.elliptical else median_width(X)


#: The width of every stationary kernel.
WIDTH = Parameter("gamma", _width_start, "width", below=WIDTH_BELOW, above=WIDTH_ABOVE)


class Stationary(Parametric):
    """A kernel k(D) with one width (``elliptical=False``) or one width per input.

    To add one, write a frozen dataclass with ``gamma`` and ``elliptical`` among its fields, a ``profile`` and its
    ``slope``. Declare parameters beyond the width in ``parameters``, and add a ``shape_slope``. If ``elliptical`` is
    a field, a ``gamma`` that is a number or an array decides its value. Exports and exact Shapley values follow from
    the ``profile``, if it is made of operators and functions of NumPy.
    """

    gamma: float | Array | Auto
    parameters: ClassVar[tuple[Parameter, ...]] = (WIDTH,)

    def __post_init__(self) -> None:
        chosen = "elliptical" in {field.name for field in fields(self)}  # type: ignore[arg-type]
        if chosen and not isinstance(self.gamma, str):
            object.__setattr__(self, "elliptical", np.ndim(self.gamma) > 0)
        super().__post_init__()

    @abstractmethod
    def profile(self, D: Array) -> Array:
        """Return k(D); may write into ``D``."""

    @abstractmethod
    def slope(self, D: Array) -> Array:
        """Return dk/dD; may write into ``D``."""

    def shape_slope(self, name: str, D: Array) -> Array:
        """Return the derivative of k in the logarithm of a parameter that is not the width; may write into ``D``."""
        raise NotImplementedError(f"{type(self).__name__} declares {name}: write its method shape_slope")

    def cross(self, X: Array, Z: Array) -> Array:
        out = np.empty((len(X), len(Z)))
        for rows, D in self._pairs(X, Z).blocks(out):
            values = self.profile(D)
            if values is not D:
                out[rows] = values
        return out

    def reordered(self, columns: Indices) -> Self:
        return self.with_widths_reordered(columns)

    def diagonal(self, X: Array) -> Array:
        return np.ones(len(X))

    def linearize(self, X: Array) -> tuple[Array, Pullback]:
        gram, pull = self.linearize_cross(X, X)
        return gram, lambda weights: pull(in_rows(weights))

    def linearize_cross(self, X: Array, Z: Array) -> tuple[Array, Pullback]:
        def pull(weights: Array) -> Array:
            pairs = self._pairs(X, Z)
            return self._gathered(pairs, pairs.width_adjoint(self._sloped(pairs, weights)), weights)

        return self.cross(X, Z), pull

    def cross_pullback(self, X: Array, Z: Array, weights: Array) -> tuple[Array, Array]:
        pairs = self._pairs(X, Z)
        by_input, points = pairs.adjoint(self._sloped(pairs, weights))
        return self._gathered(pairs, by_input, weights), points

    def _sloped(self, pairs: Pairs, weights: Array) -> Iterator[Block]:
        """Yield the weights on D by blocks of rows."""
        for rows, D in pairs.blocks():
            slopes = self.slope(D)
            slopes *= weights[rows]
            yield rows, slopes

    def _gathered(self, pairs: Pairs, by_input: Array, weights: Array) -> Array:
        """Return the derivative in theta from that in the logarithm of every input's width."""
        by_width = by_input if self.elliptical else by_input.sum(keepdims=True)
        return np.concatenate(
            [
                by_width if parameter.role == "width" else self._by_shape(parameter.name, pairs, weights)
                for parameter in self.parameters
            ]
        )

    def _by_shape(self, name: str, pairs: Pairs, weights: Array) -> Array:
        return np.array([sum(float(np.vdot(weights[rows], self.shape_slope(name, D))) for rows, D in pairs.blocks())])

    def _pairs(self, X: Array, Z: Array) -> Pairs:
        return Pairs.of(X, Z, widths_for(self, X))


def in_rows(weights: Array) -> Array:
    """Return weights on a symmetric matrix so that their rows are next to each other in memory."""
    return weights.T if weights.flags.f_contiguous else weights


class _Gaussian(Stationary):
    """exp(-D): its slope is minus itself, so the Gram matrix serves twice."""

    @property
    def words(self) -> str:
        return "Gaussian"

    def profile(self, D: Array) -> Array:
        return np.exp(np.negative(D, out=D), out=D)

    def slope(self, D: Array) -> Array:
        return np.negative(self.profile(D), out=D)

    def linearize_cross(self, X: Array, Z: Array) -> tuple[Array, Pullback]:
        cross = self.cross(X, Z)

        def pull(weights: Array) -> Array:
            pairs = self._pairs(X, Z)
            return -self._gathered(pairs, pairs.width_adjoint(_weighted(pairs, cross, weights)), weights)

        return cross, pull


def _weighted(pairs: Pairs, gram: Array, weights: Array) -> Iterator[Block]:
    buffer = pairs.buffer()
    for rows in row_blocks(*gram.shape):
        yield rows, np.multiply(weights[rows], gram[rows], out=buffer[: rows.stop - rows.start])


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
        Whether there is one width per input; a ``gamma`` that is a number or an array decides this.
    """

    nu: float = 2.5
    gamma: float | Array | Auto = "auto"
    elliptical: bool = False

    def __post_init__(self) -> None:
        if self.nu not in (1.5, 2.5):
            raise InvalidArgument(f"nu={self.nu!r} must be 1.5 or 2.5.")
        super().__post_init__()

    @property
    def words(self) -> str:
        return f"Matérn-{self.nu:g}"

    def profile(self, D: Array) -> Array:
        s = self._root(D)
        polynomial = 1.0 + s if self.nu == 1.5 else 1.0 + s * (1.0 + s / 3.0)
        polynomial *= _decay(s)
        return polynomial

    def slope(self, D: Array) -> Array:
        s = self._root(D)
        if self.nu == 1.5:
            return np.multiply(-3.0, _decay(s), out=s)
        polynomial = -5.0 / 3.0 * (1.0 + s)
        return np.multiply(polynomial, _decay(s), out=s)

    def _root(self, D: Array) -> Array:
        """Return s in the place of ``D``."""
        D *= 4.0 * self.nu
        return np.sqrt(D, out=D)


def _decay(s: Array) -> Array:
    """Return exp(-s) in the place of ``s``."""
    return np.exp(np.negative(s, out=s), out=s)
