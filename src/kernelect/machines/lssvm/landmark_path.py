"""Leave-one-out of the LS-SVM on landmarks for any number of ridges: one eigendecomposition, then O(b m) per ridge.

Notation as in landmarks.py; Phi_c S Phi_c^T = V diag(lam) V^T, D = V^T Phi_c = U K - V^T phibar with U = V^T H,
q = V^T Phi_c S (y - ybar). At ridge mu

    e = y - ybar - D^T diag(1/(lam + mu)) q        h_i = s_i (1/omega + sum_j d_ji^2 / (lam_j + mu)).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.linalg import blas, eigh

from kernelect.machines.lssvm.groups import Groups
from kernelect.machines.lssvm.groups_left_out import grouped
from kernelect.machines.lssvm.landmarks import Moments, WhitenedFrame, require_finite
from kernelect.machines.lssvm.left_out import LeftOut
from kernelect.numerics import product, times_block
from kernelect.typing import Array


class LandmarkPath:
    """Exact leave-one-out on landmarks along the ridge.

    Parameters
    ----------
    frame : WhitenedFrame
    total : Moments
        Of all rows.
    """

    def __init__(self, frame: WhitenedFrame, total: Moments) -> None:
        require_finite(total)
        second, right = total.centred()
        eigenvalues, V = eigh(second, lower=True, driver="evd", overwrite_a=True, check_finite=False)
        phibar = frame.centre + total.first / total.weight
        self.eigenvalues = np.maximum(eigenvalues, 0.0)
        self._weight = total.weight
        self._target_mean = frame.level + total.target_first / total.weight
        self._projected = product(V.T, right)  # (m, k) q
        self._offset = product(V.T, phibar[:, None])[:, 0]
        # U^T = H^T V in Fortran order is U in C order.
        self._transform = blas.dtrmm(1.0, frame.half, np.asfortranarray(V), lower=1, trans_a=1).T

    def rotated(self, cross: Array) -> Array:
        """Return D (m, b) for the kernel values ``cross`` (m, b), which are not changed. Cost 2 b m^2."""
        D = times_block(self._transform, cross)
        D -= self._offset[:, None]
        return D

    def left_out(
        self, D: Array, targets: Array, weights: Array, ridges: Array, groups: Groups | None = None
    ) -> list[LeftOut]:
        """Return leave-one-out of a block at every ridge, without scores.

        Cost O(b m) for each ridge; groups of g rows cost g times as much.
        """
        shrink = 1.0 / (self.eigenvalues + np.asarray(ridges)[:, None])  # (p, m)
        coefficients = shrink[:, None, :] * self._projected.T  # (p, k, m)
        left = np.ascontiguousarray(coefficients.reshape(-1, len(D)))
        fitted = times_block(left, D).reshape(*coefficients.shape[:2], -1)  # (p, k, b)
        errors = targets - self._target_mean - fitted.transpose(0, 2, 1)
        leverages = weights * (1.0 / self._weight + times_block(shrink, D * D))  # (p, b)
        found = [
            LeftOut(scores=np.empty((0, len(weights))), errors=e, leverage=h, weights=weights)
            for e, h in zip(errors, leverages, strict=True)
        ]
        if groups is None:
            return found
        roots = np.sqrt(shrink)
        return [
            grouped(replace(one, scores=root[:, None] * D), groups, self._weight).residuals_only()
            for one, root in zip(found, roots, strict=True)
        ]
