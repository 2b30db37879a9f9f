"""Scaled squared distances D_ik = sum_j gamma_j (x_ij - z_kj)^2, by rows, and their adjoints.

The products |x|^2 + |z|^2 - 2 x.z are fast, but they cancel badly far from 0. Rows are therefore
centred first, on a point amid ``X`` alone: ``X`` is the side that a model stores, and what is
computed for one row of ``Z`` must not depend on the other rows of its batch. Rows that are still
far from the centre (outliers, wild rows of a batch) are compared by their differences instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from kernelect.kernels.scale import middle, typical_row
from kernelect.numerics import product, row_blocks
from kernelect.typing import Array, Indices

#: Squared scaled distance from the centre beyond which differences are taken one by one: up to here
#: the products keep ten digits after the point.
FAR = 1e6

#: Squares of differences stop growing here, so that 0 times such a square is 0.
_LARGEST_SQUARE = 1e300

#: Rows of an n x m array and the block of them.
Block = tuple[slice, Array]


@dataclass(frozen=True, kw_only=True)
class Pairs:
    """All pairs of a row of X and a row of Z.

    Inputs of width 0 are set to 0, because nothing they hold may matter.
    """

    X: Array
    Z: Array
    gamma: Array
    centre: Array
    A: Array  # (X - centre) sqrt(gamma), 0 in far rows
    B: Array
    a: Array  # squared norms of A
    b: Array
    far_x: Indices
    far_z: Indices

    @classmethod
    def of(cls, X: Array, Z: Array, gamma: Array) -> Pairs:
        """Return the pairs of X and Z, ready for their distances."""
        same, used = X is Z, gamma > 0.0
        if not used.all():
            X = np.where(used, X, 0.0)
            Z = X if same else np.where(used, Z, 0.0)
        root, centre = np.sqrt(gamma), middle(X)
        A, a = _scaled(X, centre, root)
        if len(a) and not np.median(a) <= FAR:  # a few rows carry the mean away from all others
            centre = typical_row(X)
            A, a = _scaled(X, centre, root)
        B, b = (A, a) if same else _scaled(Z, centre, root)
        far_x = _cleared(A, a)
        return cls(
            X=X,
            Z=Z,
            gamma=gamma,
            centre=centre,
            A=A,
            B=B,
            a=a,
            b=b,
            far_x=far_x,
            far_z=far_x if same else _cleared(B, b),
        )

    @property
    def same(self) -> bool:
        return self.X is self.Z

    def buffer(self) -> Array:
        """Return memory for the largest block of rows."""
        first = next(iter(row_blocks(len(self.X), len(self.Z))), slice(0, 0))
        return np.empty((first.stop, len(self.Z)))

    def blocks(self, out: Array | None = None) -> Iterator[Block]:
        """Yield D by blocks of rows, in ``out`` if given, else in one buffer that each block overwrites."""
        buffer = self.buffer() if out is None else out
        for rows in row_blocks(len(self.X), len(self.Z)):
            D = buffer[: rows.stop - rows.start] if out is None else out[rows]
            product(self.A[rows], self.B.T, out=D)
            D *= -2.0
            D += self.a[rows, None]
            D += self.b
            np.maximum(D, 0.0, out=D)
            if self.same:  # a point is at distance exactly 0 from itself
                D[np.arange(len(D)), np.arange(rows.start, rows.stop)] = 0.0
            self._fill_far(rows, D)
            yield rows, D

    def _fill_far(self, rows: slice, D: Array) -> None:
        """Write the distances of far rows into a block of rows."""
        inside = self._far_inside(rows)
        if len(inside):
            D[inside - rows.start] = _distances_by_differences(self.X[inside], self.Z, self.gamma)
        if len(self.far_z):
            D[:, self.far_z] = _distances_by_differences(self.X[rows], self.Z[self.far_z], self.gamma)

    def _far_inside(self, rows: slice) -> Indices:
        return self.far_x[(self.far_x >= rows.start) & (self.far_x < rows.stop)]

    def width_adjoint(self, blocks: Iterable[Block]) -> Array:
        """Return sum_ik G_ik dD_ik/d log gamma_j = gamma_j sum_ik G_ik (x_ij - z_kj)^2, (d,).

        ``blocks`` are the rows of G, which are overwritten.
        """
        return self._adjoint(blocks, None)

    def adjoint(self, blocks: Iterable[Block]) -> tuple[Array, Array]:
        """Return the width adjoint and sum_i G_ik dD_ik/dz_kj = -2 gamma_j sum_i G_ik (x_ij - z_kj), (m, d)."""
        points = np.zeros_like(self.Z)
        return self._adjoint(blocks, points), -2.0 * self.gamma * points

    def _adjoint(self, blocks: Iterable[Block], points: Array | None) -> Array:
        A = _centred(self.X, self.centre, self.far_x)
        B = A if self.same else _centred(self.Z, self.centre, self.far_z)
        by_x, mixed, by_far = (np.zeros(len(self.gamma)) for _ in range(3))
        columns = np.zeros(len(B))
        for rows, G in blocks:
            by_far += self._far_taken(rows, G, points)
            by_x += G.sum(axis=1) @ A[rows] ** 2
            mixed += np.einsum("ij,ij->j", A[rows], product(G, B))
            columns += G.sum(axis=0)
            if points is not None:
                points += product(G.T, A[rows])
        if points is not None:
            points -= columns[:, None] * B
        return np.asarray(self.gamma * (by_x + columns @ B**2 - 2.0 * mixed) + by_far, dtype=float)

    def _far_taken(self, rows: slice, G: Array, points: Array | None) -> Array:
        """Take the pairs with a far row out of ``G``; return what they add by width, and add it to ``points``."""
        total = np.zeros(len(self.gamma))
        everywhere = np.arange(len(self.Z))
        for inside, others in ((self._far_inside(rows), everywhere), (np.arange(rows.start, rows.stop), self.far_z)):
            if len(inside) and len(others):
                place = np.ix_(inside - rows.start, others)
                for j, (square, difference) in enumerate(_differences(self.X[inside], self.Z[others], self.gamma)):
                    total[j] += np.sum(G[place] * square)
                    if points is not None:
                        points[others, j] += np.sum(G[place] * difference, axis=0)
                G[place] = 0.0
        return total


def _scaled(X: Array, centre: Array, root: Array) -> tuple[Array, Array]:
    with np.errstate(over="ignore"):
        A = (X - centre) * root
        return A, np.einsum("ij,ij->i", A, A)


def _cleared(A: Array, a: Array) -> Indices:
    """Return the far rows, after setting them to 0."""
    far = np.flatnonzero(~(a <= FAR))
    A[far], a[far] = 0.0, 0.0
    return far


def _centred(X: Array, centre: Array, cleared: Indices) -> Array:
    with np.errstate(over="ignore"):
        A = X - centre
    A[cleared] = 0.0
    return np.asarray(A, dtype=float)


def _distances_by_differences(X: Array, Z: Array, gamma: Array) -> Array:
    D = np.zeros((len(X), len(Z)))
    for square, _ in _differences(X, Z, gamma):
        D += square
    return D


def _differences(X: Array, Z: Array, gamma: Array) -> Iterator[tuple[Array, Array]]:
    """Yield gamma_j (x_ij - z_kj)^2 and x_ij - z_kj, finite however large, input after input."""
    for j, width in enumerate(gamma):
        with np.errstate(over="ignore"):
            difference = np.subtract.outer(X[:, j], Z[:, j])
            scaled = difference * np.sqrt(width)
            square = np.minimum(scaled * scaled, _LARGEST_SQUARE)
        yield square, np.clip(difference, -_LARGEST_SQUARE, _LARGEST_SQUARE)
