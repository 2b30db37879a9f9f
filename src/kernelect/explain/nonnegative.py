"""Shapley values of sums of products whose factors are nonnegative, as those of nearly all kernels are.

Notation as in quadrature.py. With m_l = (p_l + q_l) / 2, e_l = (p_l - q_l) / (p_l + q_l) in [-1, 1] and s = 2 t - 1,

    phi_j = prod_l m_l  e_j int_{-1}^1 prod_{l != j} (1 + s e_l) ds.

Nodes lie inside (-1, 1), so 1 + s e_l is never 0 and the product without j is the whole product divided by it:
half the work of products before and behind j. The sum over products is a matrix product. Where p_l = q_l = 0,
no coalition counts, and e_l may be 0. At the node in the middle, s = 0, all products are 1; at others 1 / s + e_l
stands for 1 + s e_l, one operation in the place of two, and powers of s make up for it.

Fewer nodes than half the players are enough where the integrand is smooth. With N nodes the error is at most
64/15 M rho^(-2N) / (1 - rho^-2), M the largest modulus of the integrand on the ellipse with foci -1 and 1 whose
half-axes sum to rho (Trefethen 2008, theorem 4.5). There |s| is at most r = (rho + 1/rho) / 2, and from
|1 + z|^2 <= exp(2 Re z + |z|^2)

    |e_j prod_{l != j} (1 + s e_l)| <= exp(1/2 + r |sum_l e_l| + r^2 / 2 sum_l e_l^2),

which sees that small steps up and down cancel. Where single steps are large, prod_l (1 + r |e_l|) is the better bound.
What has to be small is the error of the sum: the mean of the products' bounds, weighted by the sizes of their
coefficients, not the largest of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from math import ceil, isfinite, log

import numpy as np

from kernelect.typing import Array

#: Numbers in a block: small enough for the cache, large enough for a call of NumPy to be worth its price.
_BLOCK = 100_000

#: Products in a block, at least.
_FEWEST = 32

#: Error that fewer nodes may make, in units of the sum of the coefficients' sizes: that of rounding.
_ROUNDING = 1e-15

#: Nodes up to which nothing is gained by asking for fewer.
_FEW_NODES = 6

#: Nodes from which the second bound is worth its price.
_MANY_NODES = 12

#: Ellipses that are tried with the first bound, and with the second.
_ELLIPSES = (5.0, 8.0, 12.0, 20.0, 30.0, 50.0, 80.0)
_SECOND = (4.0, 10.0)

#: Nodes where the bound says nothing: more than ever needed.
_NO_BOUND = 2**62

#: Size of s below which a node is the one in the middle.
_MIDDLE = 1e-14

#: Logarithm up to which products of 1 / s + e_l are kept from overflow.
_LARGEST = 600.0


def weighted_sums(present: Array, absent: Array, coefficients: Array, order: int) -> Array:
    """Return the Shapley values of sum_i c_i prod_j factor_ij, one game per row, (m, n_players, k).

    Parameters
    ----------
    present, absent : ndarray of shape (m, n_players, n)
        Factors of present and absent players, nonnegative.
    coefficients : ndarray of shape (n, k)
    order : int
        Most players on which one product depends jointly.
    """
    m, players, n = present.shape
    out = np.zeros((m, players, coefficients.shape[1]))
    most, parts = max(1, (order + 1) // 2), _parts(coefficients)
    # New memory for every block would cost as much as the sums. Rows by players by products, whatever way the
    # views lie: another order makes what follows several times slower.
    space = np.empty((2, max(_BLOCK, players * _FEWEST)))
    for rows, products in _blocks(m, players, n):
        here = rows, slice(None), products
        steps, work = (part[: present[here].size].reshape(present[here].shape) for part in space)
        whole = _means(present[here], absent[here], steps, work)
        count = _enough(steps, whole, most, work, parts[products])
        shares = whole[:, :, None] * coefficients[products]
        for node in _rule(count, players):
            out[rows] += node.weight * _at(node, steps, shares, work)
    return out


@dataclass(frozen=True, kw_only=True)
class _Node:
    """A node s with its weight.

    Attributes
    ----------
    place : float
        s, exactly 0 in the middle.
    shift : float or None
        1 / s where 1 / s + e_l stands for 1 + s e_l, else None.
    weight : float
        Times the power of s that makes up for that in a product without one player.
    """

    place: float
    shift: float | None
    weight: float


@cache
def _rule(count: int, players: int) -> tuple[_Node, ...]:
    """Return the nodes on [-1, 1]."""
    found = []
    for at, weight in zip(*np.polynomial.legendre.leggauss(count), strict=True):
        place = 0.0 if abs(at) < _MIDDLE else float(at)
        shift = 1.0 / place if place and players * np.log1p(1.0 / abs(place)) <= _LARGEST else None
        power = 1.0 if shift is None else place ** (players - 1)
        found.append(_Node(place=place, shift=shift, weight=float(weight) * power))
    return tuple(found)


def _at(node: _Node, steps: Array, shares: Array, work: Array) -> Array:
    """Return the sums over products of the integrand at a node, (m, G, k); ``shares`` is what a product counts."""
    if not node.place:
        return np.asarray(steps @ shares)
    if node.shift is None:
        np.multiply(steps, node.place, out=work)
        work += 1.0
    else:
        np.add(steps, node.shift, out=work)
    product = np.multiply.reduce(work, axis=1)
    np.divide(steps, work, out=work)
    return np.asarray(work @ (product[:, :, None] * shares))


def _blocks(m: int, players: int, n: int) -> Iterator[tuple[slice, slice]]:
    """Yield blocks of rows and products; all rows of some products first, as rows often share one side."""
    width = min(n, max(_FEWEST, _BLOCK // players))
    height = max(1, _BLOCK // (players * max(width, 1)))
    for product in range(0, n, max(width, 1)):
        for row in range(0, m, height):
            yield slice(row, row + height), slice(product, product + width)


def _means(present: Array, absent: Array, steps: Array, work: Array) -> Array:
    """Write e into ``steps`` (m, G, n) and return the products of the m_l, (m, n)."""
    np.add(present, absent, out=work)
    np.subtract(present, absent, out=steps)
    with np.errstate(invalid="ignore"):
        steps /= work
    work *= 0.5
    whole: Array = np.multiply.reduce(work, axis=1)
    if not whole.all():
        steps[work == 0.0] = 0.0
    return whole


def _parts(coefficients: Array) -> Array:
    """Return every product's part in the sizes of the coefficients, the largest over outputs, (n,)."""
    sizes = np.abs(coefficients)
    totals = sizes.mean(axis=0)
    return np.asarray((sizes / np.where(totals > 0.0, totals, 1.0)).max(axis=1))


def _enough(steps: Array, whole: Array, most: int, work: Array, parts: Array) -> int:
    """Return a number of nodes at which the error is below rounding, of the ``most`` that are always enough."""
    if most <= _FEW_NODES:
        return most
    ones = np.ones(steps.shape[1])
    linear, quadratic = np.abs(ones @ steps), ones @ np.multiply(steps, steps, out=work)
    with np.errstate(divide="ignore"):
        size = np.log(whole)
    rho = _ellipse(float(size.max()), float(linear.max()), float(quadratic.max()))
    r = _half_axis(rho)
    found = min(most, _count(_mean(0.5 + size + r * linear + 0.5 * r * r * quadratic, parts), rho))
    if found <= _MANY_NODES:
        return found
    return min(found, *(_count(_mean(_second(steps, whole, rho, work), parts), rho) for rho in _SECOND))


def _ellipse(size: float, linear: float, quadratic: float) -> float:
    """Return the ellipse with the best of the first bounds for products up to these."""

    def count(rho: float) -> int:
        r = _half_axis(rho)
        return _count(0.5 + size + r * linear + 0.5 * r * r * quadratic, rho)

    return min(_ELLIPSES, key=count)


def _half_axis(rho: float) -> float:
    return 0.5 * (rho + 1.0 / rho)


def _second(steps: Array, whole: Array, rho: float, work: Array) -> Array:
    """Return the logarithm of the second bound, (m, n)."""
    np.abs(steps, out=work)
    work *= _half_axis(rho)
    work += 1.0
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(whole * np.multiply.reduce(work, axis=1)))


def _mean(logarithms: Array, parts: Array) -> float:
    """Return the logarithm of a row's weighted mean, the largest of all rows'."""
    largest = float(logarithms.max(initial=-np.inf))
    if not np.isfinite(largest):
        return largest
    with np.errstate(divide="ignore"):
        return largest + float(np.log((np.exp(logarithms - largest) @ parts).max() / len(parts)))


def _count(largest: float, rho: float) -> int:
    """Return the nodes for an integrand up to exp(``largest``) on the ellipse."""
    bound = max(largest, log(_ROUNDING)) - log(_ROUNDING) + log(64.0 / 15.0 / (1.0 - rho**-2))
    return max(1, ceil(bound / (2.0 * log(rho)))) if isfinite(bound) else _NO_BOUND
