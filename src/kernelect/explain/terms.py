"""Kernels as sums of products over inputs.

A :class:`Term` is scale * prod_j k_j(x_j, z_j) * prod_v p_v(sum_j g_vj (x_j - m_vj)(z_j - m_vj)): one-input
factors times polynomials of inner products. :func:`product_terms` writes a kernel as a sum of terms, from its
profile alone (profiles.py): a product over inputs is one, a sum has those of its parts, a product all products
of them, and a function of the distance one for every Gaussian that it is a sum of.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property, reduce, singledispatch
from math import factorial
from typing import Self

import numpy as np

from kernelect.exceptions import MissingCapability
from kernelect.explain.profiles import exponential_rate, gaussian_scales, power_series
from kernelect.explain.series import Series
from kernelect.kernels import (
    Agreement,
    Category,
    Constant,
    InnerProduct,
    Kernel,
    OnColumns,
    OverInputs,
    Product,
    Stationary,
    Sum,
)
from kernelect.typing import Array, Indices, Mask

#: Powers end here: a wild row has values that mean nothing, but no infinities, which would spread.
_LARGEST = 1e250

#: Exponents end here, for the same reason.
_LARGEST_EXPONENT = 500.0

#: A width at which a kernel of categories is 0 if two rows differ.
_NOTHING_LEFT = 1e4


class PerInput:
    """What has numbers for every input."""

    def within(self, columns: Indices, n_inputs: int) -> Self:
        """Return the same as one of ``n_inputs`` inputs, of which these ``columns`` are the ones here."""
        names = [name for name in ("widths", "slopes", "centre") if hasattr(self, name)]
        return replace(self, **{name: _spread_out(getattr(self, name), columns, n_inputs) for name in names})  # type: ignore[type-var]


class InputFactors(PerInput, ABC):
    """One-input factors k_j(x, z); 1 if the width is 0.

    Attributes
    ----------
    widths : ndarray of shape (n_inputs,)
    """

    widths: Array

    @abstractmethod
    def factor(self, j: int, x: Array, z: Array) -> Array:
        """Return k_j between values ``x`` (m,) and ``z`` (n,) of input j, (m, n)."""


@dataclass(frozen=True, eq=False)
class GaussianFactors(InputFactors):
    """exp(-widths_j (x - z)^2)."""

    widths: Array

    def factor(self, j: int, x: Array, z: Array) -> Array:
        with np.errstate(over="ignore"):  # an infinite distance is one at which the kernel is 0
            D = np.subtract.outer(x, z)
            D *= D
            D *= -self.widths[j]
        return np.exp(D, out=D)


@dataclass(frozen=True, eq=False)
class KernelFactors(InputFactors):
    """The factors of a kernel that is a product over inputs: the same kernel with one of its widths alone."""

    kernel: OverInputs
    widths: Array

    def factor(self, j: int, x: Array, z: Array) -> Array:
        alone = replace(self.kernel, gamma=self.widths[[j]])  # type: ignore[type-var]
        return np.ascontiguousarray(alone.cross(z[:, None], x[:, None]).T)


@dataclass(frozen=True, eq=False, kw_only=True)
class ExponentialFactors(InputFactors):
    """exp(widths_j (x - centre_j)(z - centre_j))."""

    widths: Array
    centre: Array

    def factor(self, j: int, x: Array, z: Array) -> Array:
        with np.errstate(over="ignore"):
            T = self.widths[j] * np.multiply.outer(x - self.centre[j], z - self.centre[j])
        return np.exp(np.clip(T, -_LARGEST_EXPONENT, _LARGEST_EXPONENT))


@dataclass(frozen=True, eq=False, kw_only=True)
class Power(PerInput):
    """sum_k coefficients_k T^k of the inner product T = sum_j slopes_j (x_j - centre_j)(z_j - centre_j)."""

    coefficients: Array  # of 1, T, ..., T^degree
    slopes: Array
    centre: Array

    @property
    def degree(self) -> int:
        return len(self.coefficients) - 1

    def series(self, j: int, x: Array, z: Array) -> list[Array]:
        """Return the coefficients s^k / k! of exp(s tau), s the share of input j, for k = 0, ..., degree."""
        with np.errstate(over="ignore"):
            s = self.slopes[j] * np.multiply.outer(x - self.centre[j], z - self.centre[j])
        largest = _LARGEST ** (1.0 / max(self.degree, 1))
        s = np.clip(s, -largest, largest)
        return [s**k / factorial(k) for k in range(self.degree + 1)]

    @property
    def readout(self) -> Array:
        """What the coefficients of tau^0, ..., tau^degree count."""
        return self.coefficients * [float(factorial(k)) for k in range(self.degree + 1)]


def _spread_out(values: Array, columns: Indices, n_inputs: int) -> Array:
    out = np.zeros(n_inputs)
    out[columns] = values
    return out


@dataclass(frozen=True, eq=False, kw_only=True)
class Term:
    """A product over inputs.

    Attributes
    ----------
    scale : float
    factors : tuple of InputFactors
    powers : tuple of Power
    """

    scale: float = 1.0
    factors: tuple[InputFactors, ...] = ()
    powers: tuple[Power, ...] = ()

    def __mul__(self, other: Term) -> Term:
        return Term(
            scale=self.scale * other.scale,
            factors=self.factors + other.factors,
            powers=self.powers + other.powers,
        )

    def within(self, columns: Indices, n_inputs: int) -> Term:
        """Return the term of ``n_inputs`` inputs, of which these ``columns`` are the ones here."""
        return replace(
            self,
            factors=tuple(part.within(columns, n_inputs) for part in self.factors),
            powers=tuple(part.within(columns, n_inputs) for part in self.powers),
        )

    @cached_property
    def series(self) -> Series:
        """The numbers that the factors are."""
        return Series(tuple(power.degree for power in self.powers))

    @cached_property
    def readout(self) -> Array:
        """What each coefficient of the product counts, (size,)."""
        return self.scale * reduce(np.multiply.outer, [power.readout for power in self.powers], np.ones(1)).ravel()

    def active(self, n_inputs: int) -> Mask:
        """Return the inputs on which the term depends."""
        used = np.zeros(n_inputs, dtype=bool)
        for each in self.factors:
            used |= each.widths > 0.0
        for power in self.powers:
            used |= power.slopes != 0.0
        return used

    def order(self, n_players: int) -> int:
        """Return how many players enter jointly, of the ``n_players`` that enter at all."""
        return n_players if self.factors else min(n_players, sum(power.degree for power in self.powers))

    def factor(self, j: int, x: Array, z: Array) -> Array:
        """Return the factor of input j between values ``x`` (m,) and ``z`` (n,), (size, m, n)."""
        plain = [each.factor(j, x, z) for each in self.factors if each.widths[j] > 0.0]
        scalar = reduce(np.multiply, plain) if plain else np.ones((len(x), len(z)))
        if not self.powers:
            return scalar[None]
        coefficients = [scalar]
        for power in self.powers:
            own = power.series(j, x, z)
            coefficients = [one * two for one in coefficients for two in own]
        return np.stack(coefficients)


@singledispatch
def product_terms(kernel: Kernel, spans: Array) -> list[Term]:
    """Return the terms of a kernel, or an error that names what remains.

    Parameters
    ----------
    kernel : Kernel
        With numbers for all parameters.
    spans : ndarray of shape (n_inputs,)
        Range of each input among the vectors: the distances that heavy-tailed mixtures have to cover.
    """
    raise _no_exact_form(kernel, "sum of products over inputs")


@product_terms.register
def _(kernel: Constant, spans: Array) -> list[Term]:
    return [Term(scale=float(kernel.constant))]


@product_terms.register
def _(kernel: Stationary, spans: Array) -> list[Term]:
    widths = _widths(kernel, len(spans))
    # New rows may lie beyond the vectors; whole powers of 10 share a sum.
    reach = 10.0 ** np.ceil(np.log10(max(10.0 * float(widths @ spans**2), 1.0)))
    found = gaussian_scales(kernel.profile, reach)
    if found is None:
        raise _no_exact_form(kernel, "sum of Gaussians")
    return [
        Term(scale=float(weight), factors=(GaussianFactors(float(scale) * widths),))
        for scale, weight in zip(found.scales, found.weights, strict=True)
    ]


@product_terms.register
def _(kernel: OverInputs, spans: Array) -> list[Term]:
    return [Term(factors=(KernelFactors(kernel, _widths(kernel, len(spans))),))]


@product_terms.register
def _(kernel: OnColumns, spans: Array) -> list[Term]:
    columns = np.array(kernel.columns, dtype=np.intp)
    return [term.within(columns, len(spans)) for term in product_terms(kernel.kernel, spans[columns])]


@product_terms.register
def _(kernel: InnerProduct, spans: Array) -> list[Term]:
    centre, everywhere = centre_of(kernel, len(spans)), np.ones(len(spans))
    coefficients = power_series(kernel.profile)
    if coefficients is not None:
        return [Term(powers=(Power(coefficients=coefficients, slopes=everywhere, centre=centre),))]
    rate = exponential_rate(kernel.profile)
    if rate is None or rate < 0.0:
        raise _no_exact_form(kernel, "polynomial (of +, *, **) or an exponential")
    scale = float(kernel.profile(np.zeros(1))[0])
    return [Term(scale=scale, factors=(ExponentialFactors(widths=rate * everywhere, centre=centre),))]


@product_terms.register
def _(kernel: Agreement, spans: Array) -> list[Term]:
    # exp(-w [x != z]) with a width at which nothing is left if two rows differ.
    alone = [np.where(np.arange(len(spans)) == j, _NOTHING_LEFT, 0.0) for j in range(len(spans))]
    return [Term(factors=(KernelFactors(Category(widths), widths),)) for widths in alone]


@product_terms.register
def _(kernel: Sum, spans: Array) -> list[Term]:
    return [term for part in kernel.parts for term in product_terms(part, spans)]


@product_terms.register
def _(kernel: Product, spans: Array) -> list[Term]:
    terms = [Term()]
    for part in kernel.parts:
        terms = [one * two for one in terms for two in product_terms(part, spans)]
    return terms


def _widths(kernel: Stationary | OverInputs, n_inputs: int) -> Array:
    return np.array(np.broadcast_to(np.asarray(kernel.gamma, dtype=float), n_inputs))


def centre_of(kernel: InnerProduct, n_inputs: int) -> Array:
    """Return the point that inner products are taken from."""
    centre = 0.0 if kernel.centre is None else kernel.centre
    return np.array(np.broadcast_to(np.asarray(centre, dtype=float), n_inputs))


def _no_exact_form(kernel: Kernel, what: str) -> MissingCapability:
    return MissingCapability(
        f"{type(kernel).__name__} is not a {what}, so its Shapley values have no exact form: "
        "use method='permutation', which estimates them and gives their standard errors."
    )
