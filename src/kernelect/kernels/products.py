"""Products over the inputs of kernels of one input each: rough kernels with one width per input.

Notation: t_ikj = sqrt(gamma_j) |x_ij - z_kj|, f(t) the kernel of one input, K_ik = prod_j f(t_ikj),
G = W o K for weights W on K, so that sum(W o dK) = sum(G o d log K).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from scipy.spatial.distance import cdist

from kernelect.kernels.base import Pullback
from kernelect.kernels.parametric import Parameter, Parametric, widths_for
from kernelect.kernels.scale import (
    WIDTH_ABOVE,
    WIDTH_BELOW,
    median_city_width,
    median_width,
    scaled_widths,
    typical_row,
)
from kernelect.numerics import product, row_blocks, symmetrize_from_lower
from kernelect.typing import Array, Auto, Indices

#: Scaled inputs stop growing here, so that differences and their squares are finite.
_LARGEST = 1e150

#: Elements of a block: every input walks through three of them, which should stay in the second-level cache.
_BLOCK_ELEMENTS = 1 << 16


@dataclass(frozen=True, kw_only=True)
class Side:
    """Scaled rows, also as factors of a product that gives all differences in one input.

    The differences a_i - b_k are the product of the rows (a_i, 1) and (1, -b_k), which takes a third of the
    time of a subtraction with broadcasting.
    """

    rows: Array  # (n, d)
    factors: Array  # (d, n, 2)
    largest: float  # size of any entry, at most

    @classmethod
    def first(cls, A: Array) -> Side:
        factors = np.ones((*A.T.shape, 2))
        factors[..., 0] = A.T
        return cls(rows=A, factors=factors, largest=float(np.abs(A).max(initial=0.0)))

    @classmethod
    def second(cls, B: Array) -> Side:
        factors = np.ones((*B.T.shape, 2))
        np.negative(B.T, out=factors[..., 1])
        return cls(rows=B, factors=factors, largest=float(np.abs(B).max(initial=0.0)))

    def __getitem__(self, rows: slice) -> Side:
        return Side(rows=self.rows[rows], factors=self.factors[:, rows], largest=self.largest)

    def differences(self, other: Side, out: Array) -> Iterator[Array]:
        """Yield a_ij - b_kj for one input j after the other, all of them in ``out``."""
        for a, b in zip(self.factors, other.factors, strict=True):
            yield product(a, b.T, out=out)


class OverInputs(Parametric):
    """A product over the inputs of f(t_j), with one width per input.

    No (n, m, d) array is made. The kernel handles one input after the other, in blocks of pairs that stay in the
    cache. To add one, write a frozen dataclass with ``gamma`` among its fields, its width in ``parameters``, a
    ``profile`` and its ``steepness``; a ``fill`` and an ``elasticity`` of its own can save time. Exports and exact
    Shapley values follow from the ``profile``, if it is made of operators and functions of NumPy.
    """

    gamma: Array | Auto
    elliptical = True
    #: Whether inputs are codes: t_j is then sqrt(gamma_j) if two codes differ, by whatever amount, and 0 if they agree.
    compares_codes: ClassVar[bool] = False

    @abstractmethod
    def profile(self, t: Array) -> Array:
        """Return f(t), which is 1 at 0; may write into ``t``."""

    @abstractmethod
    def steepness(self, t: Array) -> Array:
        """Return -d log f / dt; may write into ``t``."""

    def elasticity(self, t: Array) -> Array:
        """Return -t d log f / dt, twice the fall of log f with log gamma; may write into ``t``."""
        return t * self.steepness(t.copy())

    def fill(self, A: Side, B: Side, out: Array) -> None:
        """Write the kernel's values for all pairs of scaled rows into ``out``."""
        out.fill(1.0)
        for t in self.distances(A, B, np.empty_like(out)):
            out *= self.profile(t)

    def _sides(self, X: Array, Z: Array) -> tuple[Side, Side]:
        A, B = self.scaled(X, Z)
        return Side.first(A), Side.second(B)

    def scaled(self, X: Array, Z: Array) -> tuple[Array, Array]:
        """Return rows centred on what the model stores (``X``) and scaled, so that t_j = |a_j - b_j|; codes as is."""
        gamma = widths_for(self, X)
        if self.compares_codes:
            return X, Z
        root, centre, used = np.sqrt(gamma), typical_row(X), gamma > 0.0

        def of(rows: Array) -> Array:
            with np.errstate(over="ignore", invalid="ignore"):
                return np.clip(np.where(used, (rows - centre) * root, 0.0), -_LARGEST, _LARGEST)

        A = of(X)
        return A, A if X is Z else of(Z)

    def distances(self, A: Side, B: Side, out: Array) -> Iterator[Array]:
        """Yield t for one input after the other, all of them in ``out``."""
        roots = np.sqrt(widths_for(self, A.rows))
        for root, difference in zip(roots, A.differences(B, out), strict=True):
            if self.compares_codes:
                np.not_equal(difference, 0.0, out=difference)
                difference *= root
            yield np.abs(difference, out=difference)

    def cross(self, X: Array, Z: Array) -> Array:
        return self._filled(*self._sides(X, Z))

    def _filled(self, A: Side, B: Side) -> Array:
        out = np.empty((len(A.rows), len(B.rows)))
        for rows in _blocks(*out.shape):
            self.fill(A[rows], B, out[rows])
        return out

    def reordered(self, columns: Indices) -> Self:
        return self.with_widths_reordered(columns)

    def diagonal(self, X: Array) -> Array:
        return np.ones(len(X))

    def linearize(self, X: Array) -> tuple[Array, Pullback]:
        A, B = self._sides(X, X)
        gram = np.empty((len(X), len(X)))
        for rows, block in _left_of_the_diagonal(len(X)):
            self.fill(A[rows], B[: rows.stop], block)
            gram[rows, : rows.stop] = block

        def pull(weights: Array) -> Array:
            total = np.zeros(X.shape[1])
            for rows, G in _folded(gram, weights):
                total += self._elasticities(A[rows], B[: rows.stop], G)
            return -0.5 * total  # t is the root of gamma

        return symmetrize_from_lower(gram), pull

    def _elasticities(self, A: Side, B: Side, G: Array) -> Array:
        """Return sum_ik G_ik elasticity(t_ikj) for every input."""
        return np.array([np.vdot(G, self.elasticity(t)) for t in self.distances(A, B, np.empty_like(G))])

    def linearize_cross(self, X: Array, Z: Array) -> tuple[Array, Pullback]:
        A, B = self._sides(X, Z)
        K = self._filled(A, B)

        def pull(weights: Array) -> Array:
            total = np.zeros(X.shape[1])
            for rows in _blocks(*K.shape):
                total += self._elasticities(A[rows], B, K[rows] * weights[rows])
            return -0.5 * total  # t is the root of gamma

        return K, pull

    def cross_pullback(self, X: Array, Z: Array, weights: Array) -> tuple[Array, Array]:
        return self.linearize_cross(X, Z)[1](weights), self.points_pullback(X, Z, weights)

    def points_pullback(self, X: Array, Z: Array, weights: Array) -> Array:
        (A, B), points = self._sides(X, Z), np.zeros(Z.shape)
        if self.compares_codes:
            return points
        K = self._filled(A, B)
        for rows in _blocks(*K.shape):
            self._add_points(A[rows], B, np.multiply(K[rows], weights[rows], out=K[rows]), points)
        return points * np.sqrt(widths_for(self, X))

    def _add_points(self, A: Side, B: Side, G: Array, points: Array) -> None:
        """Add sum_i G_ik d log K_ik / dz_kj in scaled units: t falls when z moves towards x."""
        signs = A.differences(B, np.empty_like(G))
        for j, (t, sign) in enumerate(zip(self.distances(A, B, np.empty_like(G)), signs, strict=True)):
            points[:, j] += np.einsum("ik,ik->k", G, self.steepness(t) * np.sign(sign))


def _blocks(n_rows: int, n_columns: int) -> Iterator[slice]:
    return row_blocks(n_rows, n_columns, _BLOCK_ELEMENTS)


def _left_of_the_diagonal(n: int) -> Iterator[tuple[slice, Array]]:
    """Yield blocks of rows and memory for their columns up to the end of the diagonal block, used again by the next."""
    largest = max((rows.stop - rows.start for rows in _blocks(n, n)), default=0)
    buffer = np.empty(largest * n)
    for rows in _blocks(n, n):
        height = rows.stop - rows.start
        yield rows, buffer[: height * rows.stop].reshape(height, rows.stop)


def _folded(gram: Array, weights: Array) -> Iterator[tuple[slice, Array]]:
    """Yield G + G^T left of the diagonal block and G in it, by blocks of rows: each pair is met once."""
    for rows, G in _left_of_the_diagonal(len(gram)):
        np.copyto(G, weights[rows, : rows.stop])
        G[:, : rows.start] += weights[: rows.start, rows].T
        G *= gram[rows, : rows.stop]
        yield rows, G


def _city_start(_kernel: OverInputs, X: Array) -> Array:
    return scaled_widths(X, median_city_width)


@dataclass(frozen=True, eq=False)
class ProductLaplace(OverInputs):
    """Product of Laplace kernels, exp(-sum_j sqrt(gamma_j) |x_j - x'_j|): steps and corners cost little.

    Parameters
    ----------
    gamma : array of shape (n_features,) or "auto"
        One width per input; 0 switches an input off.
    """

    gamma: Array | Auto = "auto"
    # The kernel depends on the root of gamma: twice the range of the kernels that depend on gamma itself.
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter("gamma", _city_start, "width", below=2.0 * WIDTH_BELOW, above=2.0 * WIDTH_ABOVE),
    )

    def profile(self, t: Array) -> Array:
        return np.exp(-t)

    def fill(self, A: Side, B: Side, out: Array) -> None:
        cdist(A.rows, B.rows, "cityblock", out=out)
        np.exp(np.negative(out, out=out), out=out)

    def elasticity(self, t: Array) -> Array:
        return t

    def steepness(self, t: Array) -> Array:
        t.fill(1.0)
        return t


_ROOT_6 = float(np.sqrt(6.0))
#: Inputs after which the exponential is taken, before a product of polynomials can overflow.
_GROUP = 16
#: A distance beyond which the Matern kernel of one input is 0 in any case.
_NOTHING_LEFT = 1e15


def _euclidean_start(_kernel: OverInputs, X: Array) -> Array:
    return scaled_widths(X, median_width)


@dataclass(frozen=True, eq=False)
class ProductMatern(OverInputs):
    """Product of Matern-3/2 kernels of one input each: prod_j (1 + s_j) exp(-s_j), s_j = sqrt(6 gamma_j) |x_j - x'_j|.

    With one input it is ``Matern(1.5)``. Unlike the radial one it is a product over inputs, so that
    exact explanations are possible.

    Parameters
    ----------
    gamma : array of shape (n_features,) or "auto"
        One width per input; 0 switches an input off.
    """

    gamma: Array | Auto = "auto"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter("gamma", _euclidean_start, "width", below=WIDTH_BELOW, above=WIDTH_ABOVE),
    )

    def profile(self, t: Array) -> Array:
        s = _ROOT_6 * t
        return (1.0 + s) * np.exp(-s)

    def scaled(self, X: Array, Z: Array) -> tuple[Array, Array]:
        A, B = super().scaled(X, Z)
        A = A * _ROOT_6
        return A, A if X is Z else B * _ROOT_6

    def fill(self, A: Side, B: Side, out: Array) -> None:
        out.fill(1.0)
        total = np.zeros_like(out)
        wild = A.largest + B.largest > _NOTHING_LEFT
        for j, s in enumerate(self.distances(A, B, np.empty_like(out)), start=1):
            if wild:
                np.minimum(s, _NOTHING_LEFT, out=s)
            total += s
            s += 1.0
            out *= s
            if j % _GROUP == 0 or j == len(A.factors):
                out *= np.exp(np.negative(total, out=total), out=total)
                total.fill(0.0)

    def elasticity(self, t: Array) -> Array:
        shifted = t + 1.0
        t *= t
        t /= shifted
        return t

    def steepness(self, t: Array) -> Array:
        return np.asarray(_ROOT_6 * t / (1.0 + t), dtype=float)
