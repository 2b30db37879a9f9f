"""The choice of rows as landmarks, by randomly pivoted Cholesky in blocks.

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


class Pivots:
    """Draws rows one after the other whose kernel functions span those of the other rows best.

    The probability of drawing a row is proportional to the part of its k(x, x) that earlier rows do not span
    (times its weight). Rows are proposed in blocks and thinned by rejection, which gives the distribution of
    single draws. Rows that are already spanned, such as copies, are never drawn.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        The candidates.
    cross : callable
        Kernel values between the rows of two arrays.
    diagonal : ndarray of shape (n,)
        k(x, x).
    generator : numpy Generator
    weights : ndarray of shape (n,), optional
        Weights of the rows; a weight of 2 is the same as a row given twice.

    Notes
    -----
    Cost O(n m^2) and memory n m doubles for m rows. Equal rows are merged, the others are sorted into their
    canonical order, and rows are drawn by inverting the cumulated probabilities. The same generator therefore
    draws the same points for any order of rows and columns, and a row given twice is the same as one with weight 2
    (up to rounding).

    References
    ----------
    Y. Chen, E. N. Epperly, J. A. Tropp, R. J. Webber. Randomly pivoted Cholesky. CPAM (2024).
    E. N. Epperly, J. A. Tropp, R. J. Webber. Embrace rejection: kernel matrix approximation by accelerated randomly
    pivoted Cholesky. SIAM J. Matrix Anal. Appl. (2025).
    """

    def __init__(
        self,
        X: Array,
        cross: Callable[[Array, Array], Array],
        diagonal: Array,
        generator: np.random.Generator,
        weights: Array | None = None,
    ) -> None:
        distinct, rows, number = np.unique(X, axis=0, return_index=True, return_inverse=True)
        heft = np.bincount(number.reshape(-1), weights).astype(float)
        order = canonical_order(distinct)
        self.rows, self.heft = rows[order], heft[order]
        self.X, self.cross, self.generator = X[self.rows], cross, generator
        self.floor = _SPANNED * diagonal[self.rows]
        self.left = np.where((diagonal[self.rows] > 0) & (self.heft > 0), diagonal[self.rows], 0.0)  # d
        self.drawn = np.zeros(0, dtype=np.intp)
        self.B = np.empty((0, len(self.rows)))

    def first(self, count: int) -> Indices:
        """Return the first ``count`` rows drawn, or all that are not spanned; a call for more continues from there.

        If the kernel is 0 at every row, there is nothing to span, and the result is the first row.
        """
        while len(self.drawn) < count and np.any(self.left > 0):
            self._draw_more(count)
        return self.rows[self.drawn[:count]] if len(self.drawn) else self.rows[:1]

    @property
    def exhausted(self) -> bool:
        """Whether the rows drawn span all others."""
        return not np.any(self.left > 0)

    def _draw_more(self, count: int) -> None:
        rows, L = self._thinned(self._proposed())
        if not len(rows):
            return
        done = len(self.drawn)
        self._make_room(done + len(rows), count)
        new = self.B[done : done + len(rows)]
        new[...] = self.cross(self.X[rows], self.X)
        _subtract_spanned(new, self.B[:done, rows], self.B[:done])
        blas.dtrsm(1.0, L, new.T, side=1, lower=1, trans_a=1, overwrite_b=1)  # L^-1 new
        self._take(rows, new)
        self.drawn = np.append(self.drawn, rows)

    def _make_room(self, needed: int, count: int) -> None:
        """Let B grow to what was asked for at once: a row more at a time would copy it again and again."""
        if needed <= len(self.B):
            return
        B = np.empty((max(needed, min(count + _PROPOSALS, len(self.rows))), len(self.rows)))
        B[: len(self.drawn)] = self.B[: len(self.drawn)]
        self.B = B

    def _proposed(self) -> Indices:
        """Return rows drawn by d times weight, with repetition."""
        cumulated = np.cumsum(self.heft * self.left)
        at = np.searchsorted(cumulated, self.generator.random(_PROPOSALS) * cumulated[-1], side="right")
        # Rounding may point behind the last row that has anything left.
        return np.minimum(at, int(np.flatnonzero(self.left > 0)[-1]))

    def _thinned(self, proposed: Indices) -> tuple[Indices, Array]:
        """Return the rows that are accepted one after the other, and the factor of what was left among them."""
        B = self.B[: len(self.drawn)]
        rest = np.array(self.cross(self.X[proposed], self.X[proposed]))
        _subtract_spanned(rest, B[:, proposed], B[:, proposed])
        before, threshold = self.left[proposed], self.generator.random(len(proposed))
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
