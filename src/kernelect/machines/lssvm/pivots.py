"""Which rows become landmarks: randomly pivoted Cholesky, block by block.

Notation: k (n, n) kernel matrix of the candidates, of which only chosen rows are computed; B (i, n) with
B^T B the part of k that the i chosen rows span; d the diagonal of what is left, k - B^T B.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg import blas

from kernelect.numerics import canonical_order, product
from kernelect.typing import Array, Indices

#: Rows proposed at once.
_PROPOSALS = 96

#: A row of which less than this part is left is spanned by the landmarks there are: a copy of one, or rounding.
_SPANNED = 1e-9


def pivoted_rows(
    X: Array,
    cross: Callable[[Array, Array], Array],
    diagonal: Array,
    count: int,
    generator: np.random.Generator,
    weights: Array | None = None,
) -> Indices:
    """Return the indices of at most ``count`` rows of ``X`` whose kernel functions span the others best.

    A row is drawn with a probability proportional to what the rows drawn before leave of its k(x, x) (times its
    weight). Rows are proposed in blocks and thinned by rejection, which gives the distribution of single draws.
    Rows that are spanned already, copies among them, are never drawn, so there may be fewer than ``count``.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        The candidates.
    cross : callable
        Kernel values between the rows of two arrays.
    diagonal : ndarray of shape (n,)
        k(x, x).
    count : int
    generator : numpy Generator
    weights : ndarray of shape (n,), optional
        Of the rows; a weight of 2 is a row given twice.

    Notes
    -----
    Cost O(n count^2), memory n count doubles. Equal rows are joined, the rest is brought into its canonical order,
    and rows are drawn by inverting the cumulated probabilities: so the same generator draws the same points
    whatever the order of rows and columns is, and whether a row is given twice or with weight 2 (up to rounding).

    References
    ----------
    Y. Chen, E. N. Epperly, J. A. Tropp, R. J. Webber. Randomly pivoted Cholesky. CPAM (2024).
    E. N. Epperly, J. A. Tropp, R. J. Webber. Embrace rejection: kernel matrix approximation by accelerated randomly
    pivoted Cholesky. SIAM J. Matrix Anal. Appl. (2025).
    """
    distinct, rows, number = np.unique(X, axis=0, return_index=True, return_inverse=True)
    heft = np.bincount(number.reshape(-1), weights).astype(float)
    order = canonical_order(distinct)
    rows = rows[order]
    return rows[_Pivoting(X[rows], cross, diagonal[rows], heft[order]).chosen(count, generator)]


class _Pivoting:
    """One partial factorisation, on candidates in a fixed order."""

    def __init__(self, X: Array, cross: Callable[[Array, Array], Array], diagonal: Array, heft: Array) -> None:
        self.X, self.cross, self.heft = X, cross, heft
        self.floor = _SPANNED * diagonal
        self.left = np.where((diagonal > 0) & (heft > 0), diagonal, 0.0)  # d

    def chosen(self, count: int, generator: np.random.Generator) -> Indices:
        """Return the rows drawn, in the order in which they were."""
        count = min(count, len(self.X))
        B = np.empty((count, len(self.X)))
        chosen = np.empty(count, dtype=np.intp)
        done = 0
        while done < count and np.any(self.left > 0):
            rows, L = self._thinned(B[:done], self._proposed(generator), generator)
            rows, L = rows[: count - done], L[: count - done, : count - done]
            if not len(rows):
                continue
            new = B[done : done + len(rows)]
            new[...] = self.cross(self.X[rows], self.X)
            _subtract_spanned(new, B[:done, rows], B[:done])
            blas.dtrsm(1.0, L, new.T, side=1, lower=1, trans_a=1, overwrite_b=1)  # L^-1 new
            self._take(rows, new)
            chosen[done : done + len(rows)] = rows
            done += len(rows)
        return chosen[:done]

    def _proposed(self, generator: np.random.Generator) -> Indices:
        """Return rows drawn by d times weight, with repetition."""
        cumulated = np.cumsum(self.heft * self.left)
        at = np.searchsorted(cumulated, generator.random(_PROPOSALS) * cumulated[-1], side="right")
        # Rounding may point behind the last row that has anything left.
        return np.minimum(at, int(np.flatnonzero(self.left > 0)[-1]))

    def _thinned(self, B: Array, proposed: Indices, generator: np.random.Generator) -> tuple[Indices, Array]:
        """Return the rows that are accepted one after the other, and the factor of what was left among them."""
        rest = np.array(self.cross(self.X[proposed], self.X[proposed]))
        _subtract_spanned(rest, B[:, proposed], B[:, proposed])
        before, threshold = self.left[proposed], generator.random(len(proposed))
        self._correct(proposed, np.diagonal(rest))
        L = np.zeros_like(rest)
        accepted: list[int] = []
        for i in range(len(proposed)):
            if rest[i, i] <= max(threshold[i] * before[i], self.floor[proposed[i]]):
                continue
            column = rest[i:, i] / np.sqrt(rest[i, i])
            rest[i:, i:] -= np.outer(column, column)
            L[i:, len(accepted)] = column
            accepted.append(i)
        return proposed[accepted], np.asfortranarray(L[accepted, : len(accepted)])

    def _correct(self, rows: Indices, left: Array) -> None:
        """Set d to what was just computed for some rows: a row that is spanned must not be proposed for ever."""
        self.left[rows] = np.where(left > self.floor[rows], left, 0.0)

    def _take(self, rows: Indices, new: Array) -> None:
        """Take from d what the new rows span."""
        self.left -= np.einsum("ij,ij->j", new, new)
        self.left[self.left <= self.floor] = 0.0
        self.left[rows] = 0.0


def _subtract_spanned(values: Array, left: Array, right: Array) -> None:
    """Subtract left^T right in place; nothing while no row has been chosen."""
    if len(left):
        values -= product(left.T, right)
