"""Shapley values of products, by Gauss-Legendre quadrature.

Notation: G players, M products (one per pair of row and vector), p_j (M,) the factor of player j
where it is present and q_j where it is absent, delta_j = p_j - q_j, t_u and w_u nodes and weights on
[0, 1]. Since s! (G-1-s)! / G! is the integral of t^s (1-t)^(G-1-s),

    phi_j  = delta_j int_0^1 prod_{l != j} (q_l + t delta_l) dt,
    I_jk = delta_j delta_k int_0^1 prod_{l != j, k} (q_l + t delta_l) dt.

The integrands are polynomials, so enough nodes make both exact. The products without j are those
before j times those behind it: nothing is divided, and a factor may be 0. Factors are series
(series.py), plain numbers in the usual case: arrays (G, size, M).

Many players need far fewer nodes than the degree asks for. With N nodes the error is at most
32/15 M rho^(-2N) / (1 - rho^-2), M the largest modulus of the integrand on the ellipse with foci 0 and 1 whose
half-axes sum to rho / 2 (Trefethen 2008, theorem 4.5), and there |q_l + t delta_l| is at most
max(|p_l|, |q_l|) + |delta_l| ((rho + 1/rho) / 4 - 1/2). Nodes are added until this is below rounding.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np

from kernelect.explain.series import Series
from kernelect.typing import Array

#: Numbers in an array of one player's factors at all nodes: small enough for the cache, large enough
#: for a call of NumPy to be worth its price.
_BLOCK = 3_500

#: Products in a block, at least.
_FEWEST = 32

#: Error that fewer nodes may make, in units of a product of factors up to 1: the size of rounding.
_ROUNDING = 1e-15

#: Nodes up to which nothing is gained by asking for fewer.
_FEW_NODES = 6

#: Ellipses that are tried; from 3.8 on a factor there is at least delta, which multiplies the integral.
_ELLIPSES = (4.0, 10.0)


@cache
def legendre(count: int) -> tuple[Array, Array]:
    """Return nodes and weights on [0, 1], exact for polynomials of degree 2 count - 1."""
    nodes, weights = np.polynomial.legendre.leggauss(count)
    return (nodes + 1.0) / 2.0, weights / 2.0


@dataclass(frozen=True, kw_only=True)
class Products:
    """Factors of present and absent players.

    Attributes
    ----------
    series : Series
    present, absent : ndarray of shape (n_players, size, n_products)
    order : int
        Most players on which one product depends jointly: what the number of nodes follows from.
    """

    series: Series
    present: Array
    absent: Array
    order: int

    def shapley(self) -> Array:
        """Return phi, (n_players, size, n_products)."""
        out = np.empty(self.present.shape)
        for block, count in self._blocks(max(1, (self.order + 1) // 2)):
            nodes, weights = legendre(count)
            delta, factors = self._at(block, nodes)
            before = self._before(factors, weights)
            behind = self.series.one(factors.shape[2:])
            inner = np.empty(delta.shape[1:])
            for j in reversed(range(len(factors))):
                self.series.integrate(before[j], behind, inner)
                out[j, :, block] = self.series.multiply(delta[j], inner)
                behind = self._times(behind, factors[j])
        return out

    def interactions(self) -> Iterator[tuple[slice, Array]]:
        """Yield blocks of products with their I_jk for j < k, (n_players, n_players, size, m)."""
        for block, count in self._blocks(max(1, self.order // 2)):
            nodes, weights = legendre(count)
            delta, factors = self._at(block, nodes)
            before, behind = self._before(factors, weights), self._behind(factors)
            out, inner = np.zeros((len(factors), *delta.shape)), np.empty(delta.shape[1:])
            for j in range(len(factors)):
                between = before[j]
                for k in range(j + 1, len(factors)):
                    self.series.integrate(between, behind[k], inner)
                    out[j, k] = self.series.multiply(self.series.multiply(delta[j], delta[k]), inner)
                    between = self.series.multiply(between, factors[k])
            yield block, out

    def nobody(self) -> Array:
        """Return the products in which all players are absent, (size, n_products)."""
        total = self.series.one(self.absent.shape[2:])
        for factor in self.absent:
            total = self._times(total, factor)
        return total

    def _blocks(self, most: int) -> Iterator[tuple[slice, int]]:
        """Yield blocks of products with the number of nodes that they need, of the ``most`` that are always enough."""
        products, first = self.present.shape[2], 0
        guess = min(most, _FEW_NODES)
        while first < products:
            block = slice(first, min(first + self._step(guess), products))
            guess = self._enough(block, most)
            yield block, guess
            first = block.stop

    def _step(self, count: int) -> int:
        return max(_FEWEST, _BLOCK // (count * self.series.size))

    def _enough(self, block: slice, most: int) -> int:
        """Return the number of nodes at which the error is below rounding."""
        if most <= _FEW_NODES or self.series.size > 1:
            return most
        present, absent = self.present[:, 0, block], self.absent[:, 0, block]
        larger, delta = np.maximum(np.abs(present), np.abs(absent)), np.abs(present - absent)
        counts = [most]
        for rho in _ELLIPSES:
            factors = (0.25 * (rho + 1.0 / rho) - 0.5) * delta
            factors += larger
            largest = max(float(np.multiply.reduce(factors, axis=0).max()), _ROUNDING)
            bound = np.log(largest / _ROUNDING * 32.0 / 15.0 / (1.0 - rho**-2))
            counts.append(int(np.ceil(bound / (2.0 * np.log(rho)))))
        return max(1, min(counts))

    def _at(self, block: slice, nodes: Array) -> tuple[Array, Array]:
        """Return delta (G, size, m) and the factors q + t delta at all nodes (G, size, nodes, m)."""
        absent = self.absent[:, :, block]
        delta = self.present[:, :, block] - absent
        factors = np.multiply(nodes[:, None], delta[:, :, None, :])
        factors += absent[:, :, None, :]
        return delta, factors

    def _before(self, factors: Array, weights: Array) -> Array:
        """Return the products of all factors before each player, times the weights of the nodes."""
        before = np.empty_like(factors)
        before[0] = self.series.one(factors.shape[2:]) * weights[:, None]
        for j in range(len(factors) - 1):
            self.series.multiply(before[j], factors[j], out=before[j + 1])
        return before

    def _behind(self, factors: Array) -> Array:
        """Return the products of all factors behind each player."""
        behind = np.empty_like(factors)
        behind[-1] = self.series.one(factors.shape[2:])
        for j in reversed(range(1, len(factors))):
            self.series.multiply(behind[j], factors[j], out=behind[j - 1])
        return behind

    def _times(self, total: Array, factor: Array) -> Array:
        """Return the product, in the place of ``total`` if its numbers allow it."""
        return self.series.multiply(total, factor, out=total if self.series.size == 1 else None)
