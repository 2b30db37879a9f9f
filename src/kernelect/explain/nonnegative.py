"""Shapley values of sums of products whose factors are nonnegative, as those of nearly all kernels are.

Notation as in quadrature.py. With m_l = (p_l + q_l) / 2, e_l = (p_l - q_l) / (p_l + q_l) in [-1, 1] and s = 2 t - 1,

    phi_j = prod_l m_l  e_j int_{-1}^1 prod_{l != j} (1 + s e_l) ds.

Nodes lie inside (-1, 1), so 1 + s e_l is never 0 and the product without j is the whole product divided by it:
half the work of products before and behind j. The sum over products is a matrix product. Where p_l = q_l = 0,
no coalition counts, and e_l may be 0.

Fewer nodes than half the players are enough where the integrand is smooth. With N nodes the error is at most
64/15 M rho^(-2N) / (1 - rho^-2), M the largest modulus of the integrand on the ellipse with foci -1 and 1 whose
half-axes sum to rho (Trefethen 2008, theorem 4.5). There |s| is at most r = (rho + 1/rho) / 2, and from
|1 + z|^2 <= exp(2 Re z + |z|^2)

    |e_j prod_{l != j} (1 + s e_l)| <= exp(1/2 + r |sum_l e_l| + r^2 / 2 sum_l e_l^2),

which sees that small steps up and down cancel. Where single steps are large, prod_l (1 + r |e_l|) is the better bound.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kernelect.explain.quadrature import legendre
from kernelect.typing import Array

#: Numbers in a block: small enough for the cache, large enough for a call of NumPy to be worth its price.
_BLOCK = 30_000

#: Products in a block, at least.
_FEWEST = 32

#: Error that fewer nodes may make, in units of a product of factors up to 1: the size of rounding.
_ROUNDING = 1e-15

#: Nodes up to which nothing is gained by asking for fewer.
_FEW_NODES = 6

#: Nodes from which the second bound is worth its price.
_MANY_NODES = 12

#: Ellipses that are tried with the first bound, and with the second.
_ELLIPSES = (5.0, 12.0, 30.0, 80.0)
_SECOND = (4.0, 10.0)


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
    most = max(1, (order + 1) // 2)
    # New memory for every block would cost as much as the sums. Rows by players by products, whatever way the
    # views lie: another order makes what follows several times slower.
    space = np.empty((2, max(_BLOCK, players * _FEWEST)))
    for rows, products in _blocks(m, players, n):
        here = rows, slice(None), products
        steps, work = (part[: present[here].size].reshape(present[here].shape) for part in space)
        whole = _means(present[here], absent[here], steps, work)
        nodes, weights = legendre(_enough(steps, whole, most, work))
        for node, weight in zip(2.0 * nodes - 1.0, 2.0 * weights, strict=True):
            np.multiply(steps, node, out=work)
            work += 1.0
            product = np.multiply.reduce(work, axis=1)
            product *= whole
            np.divide(steps, work, out=work)
            out[rows] += work @ (product[:, :, None] * (weight * coefficients[products]))
    return out


def _blocks(m: int, players: int, n: int) -> Iterator[tuple[slice, slice]]:
    """Yield blocks of rows and products."""
    width = min(n, max(_FEWEST, _BLOCK // players))
    height = max(1, _BLOCK // (players * max(width, 1)))
    for row in range(0, m, height):
        for product in range(0, n, max(width, 1)):
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


def _enough(steps: Array, whole: Array, most: int, work: Array) -> int:
    """Return a number of nodes at which the error is below rounding, of the ``most`` that are always enough."""
    if most <= _FEW_NODES:
        return most
    ones = np.ones(steps.shape[1])
    linear, quadratic = np.abs(ones @ steps), ones @ np.multiply(steps, steps, out=work)
    with np.errstate(divide="ignore"):
        size = np.log(whole)
    counts = [most]
    for rho in _ELLIPSES:
        r = 0.5 * (rho + 1.0 / rho)
        counts.append(_count(0.5 + float(np.max(size + r * linear + 0.5 * r * r * quadratic)), rho))
    if min(counts) > _MANY_NODES:
        for rho in _SECOND:
            np.abs(steps, out=work)
            work *= 0.5 * (rho + 1.0 / rho)
            work += 1.0
            with np.errstate(divide="ignore"):
                largest = np.log(np.max(whole * np.multiply.reduce(work, axis=1)))
            counts.append(_count(float(largest), rho))
    return min(counts)


def _count(largest: float, rho: float) -> int:
    """Return the nodes for an integrand up to exp(``largest``) on the ellipse."""
    bound = max(largest, np.log(_ROUNDING)) - np.log(_ROUNDING) + np.log(64.0 / 15.0 / (1.0 - rho**-2))
    return max(1, int(np.ceil(bound / (2.0 * np.log(rho))))) if np.isfinite(bound) else np.iinfo(np.int64).max
