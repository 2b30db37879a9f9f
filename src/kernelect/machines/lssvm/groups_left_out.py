"""Exact leave-one-group-out of the LS-SVM on landmarks, and what its adjoint needs.

Notation as in left_out.py; g a group of rows, C_g its scores, U_g = [C_g; 1/sqrt(omega)] with the intercept below them,
H_gg = U_g^T U_g S_g its block of the hat matrix. The residuals of the machine refitted without the group are
r_g = (I - H_gg)^-1 e_g; for groups of one row this is e_i / (1 - h_i).

A criterion Q enters by u = dQ/de and by dQ/dH_gg = u_g r_g^T. Where left_out.py has the diagonal matrix diag(v s), V
has the blocks sym(u_g (S r)_g^T), so that with a_g = C_g u_g and b_g = C_g (S r)_g

    (C V)_g = (a_g (S r)_g^T + b_g u_g^T) / 2        C V C^T = sum_g sym(a_g b_g^T),

summed over outputs. Everything else is as in left_out.py.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from kernelect.exceptions import SingularSystem
from kernelect.machines.lssvm.groups import Groups
from kernelect.machines.lssvm.landmarks import LandmarkState, MachineRows
from kernelect.machines.lssvm.left_out import BlockSlopes, Influence, LeftOut, row_left_out, row_without_own_function
from kernelect.numerics import product
from kernelect.typing import Array, Indices


@dataclass(frozen=True)
class GroupsOut(LeftOut):
    """A block of whole groups of rows, as the machine sees each row with and without its group."""

    groups: Groups
    share: float  # 1 / omega

    @cached_property
    def residuals(self) -> Array:
        """Leave-one-group-out residuals, (b, k)."""
        return self.solve(self.errors)

    @cached_property
    def room(self) -> Array:
        """1 / [(I - H_gg)^-1]_ii, (b,): the counterpart of 1 - h for single rows."""
        out = np.empty(len(self.weights))
        for rows in self.groups.rows:
            U, s = self._extended(rows), self.weights[rows]
            if self._few(rows):
                diagonal = np.diagonal(_inverse(self._system(U, s)), axis1=1, axis2=2)
            else:
                inner = _solved(_identity_less(U * s[:, None, :], U.swapaxes(1, 2)), U * s[:, None, :])
                diagonal = 1.0 + np.einsum("gij,gij->gj", U, inner)
            out[rows] = 1.0 / diagonal
        return out

    def solve(self, right: Array) -> Array:
        """Return (I - H_gg)^-1 right_g of every group, (b, k)."""
        out = np.empty_like(right)
        for rows in self.groups.rows:
            U, s = self._extended(rows), self.weights[rows]
            if self._few(rows):
                out[rows] = _solved(self._system(U, s), right[rows])
                continue
            US = U * s[:, None, :]
            out[rows] = right[rows] + U.swapaxes(1, 2) @ _solved(_identity_less(US, U.swapaxes(1, 2)), US @ right[rows])
        return out

    def solve_transposed(self, right: Array) -> Array:
        """Return (I - H_gg)^-T right_g of every group, (b, k)."""
        out = np.empty_like(right)
        for rows in self.groups.rows:
            U, s = self._extended(rows), self.weights[rows]
            if self._few(rows):
                out[rows] = _solved(self._system(U, s).swapaxes(1, 2), right[rows])
                continue
            inner = _solved(_identity_less(U * s[:, None, :], U.swapaxes(1, 2)), U @ right[rows])
            out[rows] = right[rows] + s[:, :, None] * (U.swapaxes(1, 2) @ inner)
        return out

    def positive(self) -> GroupsOut:
        """Return all rows: those of weight 0 add nothing to sums over groups."""
        return self

    def residuals_only(self) -> LeftOut:
        """Return the residuals alone, stored as errors with leverage 0."""
        none = np.empty((0, len(self.weights)))
        return LeftOut(scores=none, errors=self.residuals, leverage=np.zeros(len(self.weights)), weights=self.weights)

    def _extended(self, rows: Indices) -> Array:
        """Return U_g (G, m + 1, g) of groups of one size."""
        scores = np.moveaxis(self.scores[:, rows], 0, 1)
        intercept = np.full((len(rows), 1, rows.shape[1]), np.sqrt(self.share))
        return np.concatenate([scores, intercept], axis=1)

    def _few(self, rows: Indices) -> bool:
        """Return whether groups have fewer rows than landmarks; of others, systems of this size are solved."""
        return rows.shape[1] <= len(self.scores) + 1

    @staticmethod
    def _system(U: Array, s: Array) -> Array:
        return _identity_less(U.swapaxes(1, 2), U * s[:, None, :])


@dataclass(frozen=True, kw_only=True)
class GroupSlopes(BlockSlopes):
    """What a criterion returns for a block of whole groups; its slopes in H_gg are ``left`` ``right``^T S^-1."""

    left: Array  # (b, k) u
    right: Array  # (b, k) S r
    groups: Groups

    def scaled(self, error: float, leverage: float) -> GroupSlopes:
        """Return the slopes times two factors."""
        return replace(self, by_error=error * self.by_error, left=leverage * self.left)

    def influence(self, block: LeftOut) -> Influence:
        """Return the sums of one block. Cost b m k."""
        a, b = self._by_group(block, self.left), self._by_group(block, self.right)  # (m, groups * k)
        outer = product(a, b.T)
        totals = [self._totals(each) for each in (self.right, self.left)]  # (groups * k,)
        return Influence(
            sums=self.sums,
            by_score=product(block.scores, self.by_error),
            total=self.by_error.sum(axis=0),
            second=np.asfortranarray(0.5 * (outer + outer.T)),
            first=0.5 * (a @ totals[0] + b @ totals[1]),
        )

    def paired(self, block: LeftOut) -> Array:
        """Return C V, (m, b)."""
        out = np.empty_like(block.scores)
        for rows in self.groups.rows:
            C, u, sr = block.scores.T[rows], self.left[rows], self.right[rows]  # (G, g, m), (G, g, k)
            a, b = C.swapaxes(1, 2) @ u, C.swapaxes(1, 2) @ sr
            both = 0.5 * (a @ sr.swapaxes(1, 2) + b @ u.swapaxes(1, 2))  # (G, m, g)
            out[:, rows] = np.moveaxis(both, 1, 0)
        return out

    def _by_group(self, block: LeftOut, values: Array) -> Array:
        parts = [block.scores.T[rows].swapaxes(1, 2) @ values[rows] for rows in self.groups.rows]  # (G, m, k)
        return np.concatenate([np.moveaxis(part, 1, 0).reshape(len(block.scores), -1) for part in parts], axis=1)

    def _totals(self, values: Array) -> Array:
        return np.concatenate([values[rows].sum(axis=1).ravel() for rows in self.groups.rows])


def left_out(state: LandmarkState, rows: MachineRows) -> LeftOut:
    """Return a block at the solution with its rows left out one by one, or group by group if there are groups.

    Cost b m^2; the scores overwrite ``rows.cross``.
    """
    found = row_left_out(state, rows)
    return found if rows.groups is None else grouped(found, rows.groups, state.weight)


def grouped(rows: LeftOut, groups: Groups, weight: float) -> GroupsOut:
    """Return rows that are left out with their groups; ``weight`` is the weight of all rows of the machine."""
    return GroupsOut(**vars(rows), groups=groups, share=1.0 / weight)


def without_own_function(state: LandmarkState, block: LeftOut, landmark: Indices) -> LeftOut:
    """Return the rows left out of machines that also lose the landmarks which the row or group holds.

    For a group with the landmarks J and Q an orthonormal basis of the columns T_J, e_g + C_g^T Q Q^T z and C_g - Q Q^T
    C_g replace e_g and C_g, exactly.

    Parameters
    ----------
    landmark : ndarray of shape (b,)
        Which landmark each row is, -1 if it is none.
    """
    if not isinstance(block, GroupsOut):
        return row_without_own_function(state, block, landmark)
    index = block.groups.index
    touched = np.unique(index[landmark >= 0])
    if not len(touched):
        return block
    scores, errors = block.scores.copy(), block.errors.copy()
    for group in touched:
        rows = np.flatnonzero(index == group)
        own = landmark[rows]
        Q, _ = np.linalg.qr(state.transform[:, own[own >= 0]])
        inside = Q.T @ scores[:, rows]
        errors[rows] += inside.T @ (Q.T @ state.projected)
        scores[:, rows] -= Q @ inside
    return replace(block, scores=scores, errors=errors)


def _identity_less(left: Array, right: Array) -> Array:
    """Return I - left right, for a stack of matrices."""
    out = -(left @ right)
    diagonal = np.arange(out.shape[1])
    out[:, diagonal, diagonal] += 1.0
    return out


def _solved(systems: Array, right: Array) -> Array:
    try:
        return np.asarray(np.linalg.solve(systems, right), dtype=float)
    except np.linalg.LinAlgError:
        raise _on_itself() from None


def _inverse(systems: Array) -> Array:
    try:
        return np.asarray(np.linalg.inv(systems), dtype=float)
    except np.linalg.LinAlgError:
        raise _on_itself() from None


def _on_itself() -> SingularSystem:
    return SingularSystem(
        "A group is on the machine only because of itself, so that nothing predicts it without its rows: use a larger "
        "regularization."
    )
