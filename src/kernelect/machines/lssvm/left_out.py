"""Exact leave-one-out of the LS-SVM on landmarks, and its adjoint in the kernel values.

Notation as in landmarks.py; e = y - f residuals, h_i = s_i (1/omega + |c_i|^2) leverages, r_i = e_i / (1 - h_i):
exactly the residual of the machine refitted without row i (landmarks held). A criterion Q is a sum over rows of a
function of e_i and h_i, or a function of such sums. The adjoint needs only its slopes u = dQ/de (b, k)
and v = dQ/dh (b,). For Q = 1/2 sum s r^2 these are u = s r / (1 - h) and v = sum_k u r.

Over all rows: g = C u, ubar = sum u / omega, W = C diag(v s) C^T, wbar = C (v s) / omega. With
N = 2 W - z g^T and n = 2 wbar - z ubar,

    dQ/dK  = T^T [ 2 C diag(s v) - (N C + n) diag(s) - z u^T - g (s e)^T ]        (m, b), block by block
    dQ/dM  = mu T^T [ sym(g z^T) - W ] T                                          (m, m)
    dQ/dmu = < g z^T - W, L^-1 L^-T >
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import blas

from kernelect.machines.lssvm.landmarks import EPSILON, LandmarkSolution, LandmarkState, MachineRows
from kernelect.numerics import (
    apply_lower,
    block_gram,
    outer_gram,
    product,
    subtract_product,
    symmetrize_from_lower,
    times_block,
)
from kernelect.typing import Array, Indices

#: Smallest 1 - h: below, a row is on the machine only because of itself, and rounding decides what is left.
SMALLEST_ROOM = 1e-12


@dataclass(frozen=True, kw_only=True)
class LeftOut:
    """A block of rows, as the machine sees each row when trained with and without it."""

    scores: Array  # (m, b) C
    errors: Array  # (b, k) e
    leverage: Array  # (b,) h
    weights: Array  # (b,) s

    @property
    def residuals(self) -> Array:
        """Leave-one-out residuals, (b, k)."""
        return self.errors / self.room[:, None]

    @property
    def room(self) -> Array:
        """1 - h, (b,)."""
        return np.maximum(1.0 - self.leverage, SMALLEST_ROOM)

    def positive(self) -> LeftOut:
        """Return the rows of positive weight, the only ones that a criterion counts."""
        kept = self.weights > 0.0
        if kept.all():
            return self
        return LeftOut(
            scores=self.scores[:, kept],
            errors=self.errors[kept],
            leverage=self.leverage[kept],
            weights=self.weights[kept],
        )

    def residuals_only(self) -> LeftOut:
        """Return what residuals need, without the scores of groups."""
        return self


def row_left_out(state: LandmarkState, rows: MachineRows) -> LeftOut:
    """Return the rows of a block left out one by one. Cost b m^2; the scores overwrite ``rows.cross``."""
    C = state.scores(rows.cross)
    leverage = rows.weights * (1.0 / state.weight + np.einsum("ij,ij->j", C, C))
    return LeftOut(scores=C, errors=rows.targets - state.fitted(C), leverage=leverage, weights=rows.weights)


@dataclass(frozen=True, kw_only=True)
class BlockSlopes:
    """What a criterion returns for a block: its sums, and its slopes in errors and leverages."""

    sums: Array  # (p,) whatever the criterion adds up
    by_error: Array  # (b, k) u
    by_leverage: Array  # (b,) v, none negative

    def scaled(self, error: float, leverage: float) -> BlockSlopes:
        """Return the slopes times two factors, which are known after all rows have been seen."""
        return BlockSlopes(sums=self.sums, by_error=error * self.by_error, by_leverage=leverage * self.by_leverage)

    def influence(self, block: LeftOut) -> Influence:
        """Return the sums of one block. Cost b m^2."""
        heft = self.by_leverage * block.weights
        return Influence(
            sums=self.sums,
            by_score=product(block.scores, self.by_error),
            total=self.by_error.sum(axis=0),
            second=block_gram(block.scores * np.sqrt(heft)),
            first=product(block.scores, heft[:, None])[:, 0],
        )

    def paired(self, block: LeftOut) -> Array:
        """Return C diag(v s), (m, b)."""
        return np.asarray((block.weights * self.by_leverage) * block.scores, dtype=float)


@dataclass(frozen=True, kw_only=True)
class Influence:
    """The sums over rows that the adjoint needs; add those of several blocks with ``+``."""

    sums: Array  # (p,)
    by_score: Array  # (m, k) g
    total: Array  # (k,) sum u
    second: Array  # (m, m) W, the lower triangle, Fortran order
    first: Array  # (m,) C (v s)

    def __add__(self, other: Influence) -> Influence:
        return Influence(
            sums=self.sums + other.sums,
            by_score=self.by_score + other.by_score,
            total=self.total + other.total,
            second=self.second + other.second,
            first=self.first + other.first,
        )

    def scaled(self, error: float, leverage: float) -> Influence:
        """Return the sums for slopes times two factors."""
        return Influence(
            sums=self.sums,
            by_score=error * self.by_score,
            total=error * self.total,
            second=leverage * self.second,
            first=leverage * self.first,
        )


@dataclass(frozen=True, kw_only=True)
class Adjoint:
    """The derivative of a criterion, which can be applied to every block."""

    state: LandmarkSolution
    mixing: Array  # (m, m) N
    shift: Array  # (m,) n
    by_score: Array  # (m, k) g
    inner: Array  # (m, m) g z^T - W

    @classmethod
    def of(cls, state: LandmarkSolution, total: Influence) -> Adjoint:
        """Return the adjoint for the sums over all rows."""
        W = symmetrize_from_lower(np.array(total.second, order="F"))
        outer = product(total.by_score, state.projected.T)
        shift = (2.0 * total.first - state.projected @ total.total) / state.weight
        return cls(
            state=state,
            mixing=np.ascontiguousarray(2.0 * W - outer.T),
            shift=shift,
            by_score=total.by_score,
            inner=outer - W,
        )

    def by_cross(self, block: LeftOut, slopes: BlockSlopes) -> Array:
        """Return dQ/dK of one block, (m, b). Cost 3 b m^2."""
        s, C = block.weights, block.scores
        out = times_block(self.mixing, C)
        out += self.shift[:, None]
        out *= -s
        out += 2.0 * slopes.paired(block)
        left = np.hstack([self.state.projected, self.by_score])  # (m, 2 k) z, g
        right = np.ascontiguousarray(np.vstack([slopes.by_error.T, s * block.errors.T]))  # (2 k, b) u, s e
        subtract_product(out, left, right)
        apply_lower(self.state.transform, out, transposed=True)
        return out

    def by_landmarks(self) -> Array:
        """Return dQ/dk(Z, Z), (m, m), symmetric; it includes the dependence of eps on the mean diagonal."""
        symmetric = 0.5 * (self.inner + self.inner.T)
        root = np.sqrt(self.state.regularization)  # on either side: T^T T overflows if kernel values are tiny
        inner = blas.dtrmm(root, self.state.transform, np.asfortranarray(symmetric), lower=1, trans_a=1)
        outer = blas.dtrmm(root, self.state.transform, inner, side=1, lower=1, overwrite_b=1)
        gradient = np.ascontiguousarray(outer)
        gradient[np.diag_indices_from(gradient)] += EPSILON * np.mean(np.diagonal(gradient))
        return gradient

    def by_regularization(self) -> float:
        """Return dQ/dmu."""
        return float(np.sum(self.inner * outer_gram(self.state.inverse_factor)))


def row_without_own_function(state: LandmarkState, block: LeftOut, landmark: Indices) -> LeftOut:
    """Return the rows left out of machines that also lose the landmark which the row is.

    Leaving out a row that is a landmark should also leave out its basis function; keeping it makes the figure a
    little too good. With T_j column j of T, q = c_i . T_j and beta_j the landmark's coefficients,
    e + q beta_j / |T_j|^2 and h - s q^2 / |T_j|^2 replace e and h, exactly. Use this for a figure to report;
    the selection of hyper-parameters keeps the landmarks fixed.

    Parameters
    ----------
    landmark : ndarray of shape (b,)
        Which landmark each row is, -1 if it is none.
    """
    errors, leverage = block.errors.copy(), block.leverage.copy()
    own = np.flatnonzero(landmark >= 0)
    columns, s = state.transform[:, landmark[own]], block.weights[own]
    length = np.abs(columns).max(axis=0)  # T grows as 1 / k: the square of its columns overflows if k is tiny
    columns = columns / length
    size = np.einsum("ij,ij->j", columns, columns)
    q = np.einsum("ij,ij->j", block.scores[:, own], columns)
    errors[own] += (q / size)[:, None] * (state.dual_coef[landmark[own]] / length[:, None])
    leverage[own] -= s * q**2 / size
    return replace(block, errors=errors, leverage=leverage)
