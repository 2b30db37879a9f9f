"""Leave-one-out of the LS-SVM on landmarks for any number of ridges: one eigendecomposition, then O(b m) per ridge.

Notation as in landmarks.py; Phi_c S Phi_c^T = V diag(lam) V^T, D = V^T Phi_c = U K - V^T phibar with U = V^T H,
q = V^T Phi_c S (y - ybar). At ridge mu

    e = y - ybar - D^T diag(1/(lam + mu)) q        h_i = s_i (1/omega + sum_j d_ji^2 / (lam_j + mu)).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import blas, eigh

from kernelect.machines.lssvm.landmarks import Frame, Moments, Rows, require_finite
from kernelect.machines.lssvm.left_out import SMALLEST_ROOM
from kernelect.numerics import product, times_block
from kernelect.typing import Array


@dataclass(frozen=True)
class PathSums:
    """Sums over rows, one entry per ridge; those of several blocks are added with ``+``."""

    count: int
    press: Array  # (p,) 1/2 sum s r^2
    squares: Array  # (p,) sum over rows of the square of their part of press
    errors: Array  # (p,) sum s e^2

    def __add__(self, other: PathSums) -> PathSums:
        return PathSums(
            self.count + other.count,
            self.press + other.press,
            self.squares + other.squares,
            self.errors + other.errors,
        )

    def standard_errors(self) -> Array:
        """Return the standard error of ``press``, as a sum of independent rows."""
        return np.sqrt(np.maximum(self.squares - self.press**2 / self.count, 0.0))


class LandmarkPath:
    """Exact leave-one-out on landmarks along the ridge.

    Parameters
    ----------
    frame : Frame
    total : Moments
        Of all rows.
    """

    def __init__(self, frame: Frame, total: Moments) -> None:
        require_finite(total)
        second, right = total.centred()
        eigenvalues, V = eigh(second, lower=True, driver="evd", overwrite_a=True, check_finite=False)
        phibar = frame.centre + total.first / total.weight
        self.eigenvalues = np.maximum(eigenvalues, 0.0)
        self._weight, self._count = total.weight, total.count
        self._target_mean = frame.level + total.target_first / total.weight
        self._projected = product(V.T, right)  # (m, k) q
        self._offset = product(V.T, phibar[:, None])[:, 0]
        # U^T = H^T V in Fortran order is U in C order.
        self._transform = blas.dtrmm(1.0, frame.half, np.asfortranarray(V), lower=1, trans_a=1).T

    def leave_one_out(self, rows: Rows, ridges: Array) -> tuple[Array, Array]:
        """Return leave-one-out residuals (b, k, p) and 1 - h (b, p) of a block at all ridges. Cost 2 b m^2."""
        shrink = 1.0 / (self.eigenvalues + np.atleast_1d(ridges)[:, None])  # (p, m)
        D = times_block(self._transform, rows.cross)
        D -= self._offset[:, None]
        coefficients = self._projected.T[:, None, :] * shrink  # (k, p, m)
        fitted = times_block(coefficients.reshape(-1, len(D)), D).reshape(*coefficients.shape[:2], -1)  # (k, p, b)
        errors = (rows.targets - self._target_mean)[:, :, None] - fitted.transpose(2, 0, 1)
        np.multiply(D, D, out=D)
        leverage = rows.weights[:, None] * (1.0 / self._weight + times_block(shrink, D).T)
        room = np.maximum(1.0 - leverage, SMALLEST_ROOM)
        return errors / room[:, None, :], room

    def sums(self, rows: Rows, ridges: Array) -> PathSums:
        """Return what one block adds to the criteria at all ridges."""
        residuals, room = self.leave_one_out(rows, ridges)
        return self.added(residuals, room, rows.weights)

    @staticmethod
    def added(residuals: Array, room: Array, weights: Array) -> PathSums:
        """Return the sums of residuals that are at hand."""
        parts = 0.5 * weights[:, None] * np.sum(residuals**2, axis=1)  # (b, p)
        errors = 2.0 * np.sum(parts * room**2, axis=0)
        return PathSums(len(weights), parts.sum(axis=0), np.sum(parts**2, axis=0), errors)

    def effective_parameters(self, ridges: Array) -> Array:
        """Return the trace of the hat matrix at every ridge."""
        ridges = np.atleast_1d(ridges)
        return 1.0 + np.sum(self.eigenvalues[:, None] / (self.eigenvalues[:, None] + ridges), axis=0)

    def gcv(self, sums: PathSums, ridges: Array) -> Array:
        """Return generalised cross-validation, 1/2 sum s e^2 / (1 - tr H / n)^2, from the sums over all rows."""
        room = np.maximum(1.0 - self.effective_parameters(ridges) / self._count, SMALLEST_ROOM)
        return np.asarray(0.5 * sums.errors / room**2, dtype=float)
