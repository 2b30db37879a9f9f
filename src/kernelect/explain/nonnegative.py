"""Shapley values of sums of products whose factors are nonnegative, as those of nearly all kernels are.

Notation as in quadrature.py. With m_l = (p_l + q_l) / 2, e_l = (p_l - q_l) / (p_l + q_l) in [-1, 1] and s = 2 t - 1,

    phi_j = prod_l m_l  e_j int_{-1}^1 prod_{l != j} (1 + s e_l) ds.

Nodes lie inside (-1, 1), so 1 + s e_l is never 0 and the product without j is the whole product divided by it:
half the work of products before and behind j. The sum over products is a matrix product. If p_l = q_l = 0,
no coalition counts, and e_l may be 0. At the node in the middle, s = 0, all products are 1; at others 1 / s + e_l
stands for 1 + s e_l, one operation in the place of two, and powers of s make up for it.

Half as many nodes as players are exact, but far fewer are enough if the integrand is smooth: each one more takes two
to four digits off the error. How many are enough is measured, not bounded: the values of all players have to add up to
the difference of the products of all p and of all q, to rounding, in every block. An error that cancels in this sum
would not be seen there, so two more nodes have to give the same values as well, in the first block and now and then.

"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache, partial

import numpy as np

from kernelect.typing import Array

#: Numbers in a block: small enough for the cache, large enough for a call of NumPy to be worth its price.
_BLOCK = 100_000

#: Products in a block, at least.
_FEWEST = 32

#: Error that fewer nodes may make, in units of the sum of the coefficients' sizes: that of rounding.
_ROUNDING = 4e-15

#: Nodes that are tried first. Odd numbers have one in the middle, which costs next to nothing.
_FIRST_NODES = 5

#: Blocks of which the first is computed with more nodes too.
_AGAIN = 64

#: Players up to which products of p + q, not of their means, stay far from overflow.
_MANY = 500

#: Size of s below which a node is the one in the middle.
_MIDDLE = 1e-14

#: Logarithm up to which products of 1 / s + e_l are kept from overflow.
_LARGEST = 600.0


@dataclass(kw_only=True)
class Nodes:
    """How many nodes are enough, of the ``most`` that always are, as blocks of products have shown so far."""

    most: int
    count: int
    blocks: int = 0
    space: Array = field(default_factory=lambda: np.empty((2, 0)))

    @classmethod
    def of(cls, order: int) -> Nodes:
        """Return the nodes to begin with, for products that depend on so many players jointly."""
        most = max(1, (order + 1) // 2)
        return cls(most=most, count=min(most, _FIRST_NODES))

    def room(self, numbers: int) -> Array:
        """Return memory for two arrays: new memory for every block would cost as much as the sums."""
        if self.space.shape[1] < numbers:
            self.space = np.empty((2, numbers))
        return self.space

    def found(self, integral: Callable[[int], Array], total: Array, allowed: Array) -> Array:
        """Return the integral (m, G, k) with enough nodes: its sum over players has to be ``total`` (m, k).

        ``allowed`` (k,) is how far it may be off.
        """
        while True:
            values = integral(self.count)
            if self.count == self.most:
                break
            right = bool((np.abs(values.sum(axis=1) - total) <= allowed).all())
            if right and self.blocks % _AGAIN == 0:
                more = integral(min(self.count + 2, self.most))
                right = bool((np.abs(more - values) <= allowed).all())
            if right:
                break
            self.count = min(self.count + 2, self.most)
        self.blocks += 1
        return values


def weighted_sums(present: Array, absent: Array, coefficients: Array, nodes: Nodes, totals: Array) -> Array:
    """Return the Shapley values of sum_i c_i prod_j factor_ij, one game per row, (m, n_players, k).

    Parameters
    ----------
    present, absent : ndarray of shape (m, n_players, n)
        Factors of present and absent players, nonnegative.
    coefficients : ndarray of shape (n, k)
    nodes : Nodes
        Learns how many are enough.
    totals : ndarray of shape (m, n)
        The product of all factors of present players less that of absent ones.
    """
    m, players, n = present.shape
    out = np.zeros((m, players, coefficients.shape[1]))
    # Rows by players by products, whatever way the views lie: another order makes what follows several times slower.
    space = nodes.room(max(_BLOCK, players * _FEWEST))
    for rows, products in _blocks(m, players, n):
        here, c = (rows, slice(None), products), coefficients[products]
        steps, work = (part[: present[here].size].reshape(present[here].shape) for part in space)
        shares = _means(present[here], absent[here], steps, work)[:, :, None] * c
        integral = partial(_integral, steps=steps, shares=shares, work=work)
        out[rows] += nodes.found(integral, totals[rows, products] @ c, _ROUNDING * np.abs(c).sum(axis=0))
    return out


def _integral(count: int, steps: Array, shares: Array, work: Array) -> Array:
    """Return the sums over products of the integral with so many nodes, (m, G, k)."""
    return np.asarray(sum(node.weight * _at(node, steps, shares, work) for node in _rule(count, steps.shape[1])))


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
    players = steps.shape[1]
    np.add(present, absent, out=work)
    np.subtract(present, absent, out=steps)
    with np.errstate(invalid="ignore"):
        steps /= work
    if players > _MANY:
        work *= 0.5
    whole: Array = np.multiply.reduce(work, axis=1)
    if not whole.all():
        steps[work == 0.0] = 0.0
    return whole if players > _MANY else whole * 0.5**players
