"""How uncertain a machine on landmarks is at new rows: standard deviations, and jackknife+ without refits.

Notation as in landmarks.py and left_out.py; C scores of training rows and c(x) those of a new row.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kernelect.machines.lssvm.landmarks import LandmarkState, WhitenedFrame
from kernelect.machines.lssvm.left_out import LeftOut
from kernelect.machines.lssvm.sampled import SampledRows
from kernelect.numerics import product
from kernelect.typing import Array, Indices


@dataclass(frozen=True, kw_only=True)
class GroupPulls:
    """What the rows of a group add to decisions; without them a decision is f(x) - c(x) . p_g - q_g.

    Attributes
    ----------
    pulls : ndarray of shape (n_groups, m, k)
        p_g = sum of s_i r_i c_i over the group.
    shifts : ndarray of shape (n_groups, k)
        q_g = sum of s_i r_i / omega.
    owners : ndarray of shape (q,)
        The group of every row of ``LandmarkSpread.inputs``.
    """

    pulls: Array
    shifts: Array
    owners: Indices

    @classmethod
    def of(cls, rows: SampledRows, cross: Array, residuals: Array) -> GroupPulls:
        """Return the pulls of rows in whole groups, from kernel values with the landmarks (m, q), overwritten."""
        assert rows.groups is not None
        numbers, owners = np.unique(rows.groups, return_inverse=True)
        found = cls.none(len(numbers), rows.state, owners)
        found.add(rows.state, cross, rows.weights, residuals, owners)
        return found

    @classmethod
    def none(cls, n_groups: int, state: LandmarkState, owners: Indices) -> GroupPulls:
        """Return pulls of 0, to which rows are added."""
        return cls(
            pulls=np.zeros((n_groups, *state.projected.shape)),
            shifts=np.zeros((n_groups, state.projected.shape[1])),
            owners=owners,
        )

    def add(self, state: LandmarkState, cross: Array, weights: Array, residuals: Array, groups: Indices) -> None:
        """Add rows: their kernel values with the landmarks (m, b), overwritten, residuals and groups."""
        C, moved = state.scores(cross), weights[:, None] * residuals
        for group in np.unique(groups):
            rows = np.flatnonzero(groups == group)
            self.pulls[group] += product(C[:, rows], moved[rows])
            self.shifts[group] += moved[rows].sum(axis=0) / state.weight

    def times(self, unit: float) -> GroupPulls:
        """Return the pulls for targets that are ``unit`` times as large."""
        return replace(self, pulls=unit * self.pulls, shifts=unit * self.shifts)

    def at(self, scores: Array) -> Array:
        """Return what the group of every row of ``inputs`` adds, (q, b, k), at rows with ``scores`` (m, b)."""
        added = np.einsum("gmk,mb->gbk", self.pulls, scores, optimize=True) + self.shifts[:, None, :]
        return np.asarray(added[self.owners], dtype=float)


@dataclass(frozen=True, kw_only=True)
class LandmarkSpread:
    """What standard deviations and intervals need in addition to landmarks and kernel.

    Attributes
    ----------
    state : LandmarkState
    epsilon : float
        What was added to the diagonal of k(Z, Z).
    noise : float
        Variance of a new observation around the function, in the unit of the kernel.
    inputs : ndarray of shape (q, d)
        Training rows that represent all rows in intervals.
    residuals : ndarray of shape (q, k)
        Their leave-one-out residuals.
    weights : ndarray of shape (q,)
    precision : ndarray of shape (n,)
        Inverse variance of each training row when it is left out, in the unit of the kernel.
    scale : ndarray of shape (k,)
        That unit, chosen so that leave-one-out residuals have the predicted variance.
    groups : GroupPulls or None
        If whole groups are left out.
    """

    state: LandmarkState
    epsilon: float
    noise: float
    inputs: Array
    residuals: Array
    weights: Array
    precision: Array
    scale: Array
    groups: GroupPulls | None = None

    def times(self, unit: float) -> LandmarkSpread:
        """Return the spread for targets that are ``unit`` times as large."""
        residuals, scale = unit * self.residuals, unit * unit * self.scale
        groups = None if self.groups is None else self.groups.times(unit)
        return replace(self, state=self.state.times(unit), residuals=residuals, scale=scale, groups=groups)

    def among(self, rows: SampledRows, cross: Array, out: LeftOut, precision: Array, scale: Array) -> LandmarkSpread:
        """Return the spread of the machine on some of the landmarks, with rows that are kept behind its intervals.

        Parameters
        ----------
        rows : SampledRows
            Of the smaller machine.
        cross : ndarray of shape (p, q)
            Kernel values between its landmarks and these rows.
        out : LeftOut
            These rows left out.
        precision, scale : ndarray of shape (q,), (k,)
        """
        return replace(
            self,
            state=rows.state,
            inputs=rows.inputs,
            residuals=out.residuals,
            weights=rows.weights,
            precision=precision,
            scale=scale,
            groups=None if rows.groups is None else GroupPulls.of(rows, cross.copy(), out.residuals),
        )

    def variance(self, landmark_gram: Array, prior: Array, cross: Array) -> Array:
        """Return the variance (b, k) of new observations.

        k(x, x) - |phi|^2 + mu (1/omega + |c|^2) + noise: the part that the landmarks do not span keeps its prior
        variance; the rest is the posterior variance of a linear machine plus the noise. With all rows as
        landmarks this is the variance of the Gaussian process.

        Parameters
        ----------
        landmark_gram : ndarray of shape (m, m)
        prior : ndarray of shape (b,)
            k(x, x).
        cross : ndarray of shape (m, b)
            Kernel values between landmarks and rows; overwritten.
        """
        mu, frame = self.state.regularization, WhitenedFrame.of(landmark_gram, self.state.target_mean, self.epsilon)
        unspanned = np.maximum(prior - frame.spanned(frame.whitened(cross.copy())), 0.0)
        c = self.state.scores(cross)
        spanned = mu * (1.0 / self.state.weight + np.einsum("ij,ij->j", c, c))
        return np.outer(unspanned + spanned + self.noise, self.scale)

    def decided_without(self, cross_rows: Array, cross: Array) -> Array:
        """Return the decisions (q, b, k) at new rows by machines that each lack one of ``inputs``.

        f_-i(x) = f(x) - r_i s_i (1/omega + c_i . c(x)), exactly, with landmarks held fixed. For groups it is the sum
        over their rows.

        Parameters
        ----------
        cross_rows : ndarray of shape (m, q)
            Kernel values between landmarks and ``inputs``; overwritten.
        cross : ndarray of shape (m, b)
            Kernel values between landmarks and new rows; overwritten.
        """
        new = self.state.scores(cross)
        if self.groups is not None:
            return np.asarray(self.state.fitted(new) - self.groups.at(new), dtype=float)
        C = self.state.scores(cross_rows)
        pull = self.weights[:, None] * (1.0 / self.state.weight + product(C.T, new))  # (q, b)
        return np.asarray(self.state.fitted(new) - pull[:, :, None] * self.residuals[:, None, :], dtype=float)


def left_out_precision(state: LandmarkState, unspanned: Array, room: Array, weights: Array) -> Array:
    """Return the inverse variances (b,) of rows when they are left out, in the unit of the kernel.

    k(x, x) - |phi|^2 + mu / (s (1 - h)): the noise plus the uncertainty of the machine without the row.
    """
    return np.asarray(1.0 / (unspanned + state.regularization / (weights * room)), dtype=float)
