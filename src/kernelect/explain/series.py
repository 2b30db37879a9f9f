"""Truncated power series: the numbers in which powers of a sum become products over inputs.

(c + s_1 + ... + s_d)^p is p! times the coefficient of tau^p in exp(c tau) exp(s_1 tau) ... exp(s_d tau),
so a polynomial kernel is a product over inputs as well, of series in tau cut off behind tau^p. A
product of two polynomial kernels has two variables tau. Plain numbers are series without variables.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np

from kernelect.typing import Array


@dataclass(frozen=True)
class Series:
    """Series in several variables, variable v cut off behind the power ``orders[v]``.

    An element is an array whose first axis runs over the coefficients, the constant one first.
    """

    orders: tuple[int, ...] = ()

    @cached_property
    def exponents(self) -> list[tuple[int, ...]]:
        """The powers that each coefficient belongs to."""
        return list(product(*(range(order + 1) for order in self.orders)))

    @property
    def size(self) -> int:
        """Number of coefficients; 1 for plain numbers."""
        return len(self.exponents)

    @cached_property
    def products(self) -> list[tuple[int, int, int]]:
        """Triples (a, b, c): coefficient a times coefficient b goes into coefficient c."""
        place = {powers: c for c, powers in enumerate(self.exponents)}
        sums = [
            (a, b, tuple(i + j for i, j in zip(left, right, strict=True)))
            for a, left in enumerate(self.exponents)
            for b, right in enumerate(self.exponents)
        ]
        return [(a, b, place[total]) for a, b, total in sums if total in place]

    def multiply(self, left: Array, right: Array, out: Array | None = None) -> Array:
        """Return the product of two elements; ``out`` may be an operand for plain numbers only."""
        if self.size == 1:
            return np.multiply(left, right, out=out)
        out = np.empty(np.broadcast_shapes(left.shape, right.shape)) if out is None else out
        out[...] = 0.0
        for a, b, c in self.products:
            out[c] += left[a] * right[b]
        return out

    def integrate(self, left: Array, right: Array, out: Array) -> Array:
        """Write the product of two elements (size, nodes, m), summed over the nodes, into ``out`` (size, m)."""
        out[...] = 0.0
        for a, b, c in self.products:
            out[c] += np.einsum("qm,qm->m", left[a], right[b])
        return out

    def one(self, shape: tuple[int, ...]) -> Array:
        """Return the neutral element for arrays of this shape."""
        ones = np.zeros((self.size, *shape))
        ones[0] = 1.0
        return ones
