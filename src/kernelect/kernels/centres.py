"""Gaussian kernels as functions of their centres, with first and second derivatives.

Notation: z_k (d,) centre of function k, r_ik = x_i - z_k, K_ik = exp(-sum_j gamma_j r_ikj^2),

    dK_ik/dz_k = 2 K_ik gamma o r_ik,
    d2K_ik/dz_k dz_k^T = K_ik (4 (gamma o r_ik)(gamma o r_ik)^T - 2 diag gamma).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernelect.exceptions import MissingCapability
from kernelect.kernels.base import Kernel
from kernelect.kernels.scale import input_scales
from kernelect.kernels.stationary import ARD, RBF
from kernelect.typing import Array


@dataclass(frozen=True, kw_only=True)
class GaussianCentres:
    """A Gaussian kernel between given rows and centres that can move.

    Attributes
    ----------
    X : ndarray of shape (n, d)
    gamma : ndarray of shape (d,)
    spread : ndarray of shape (d,)
        Standard deviation of each input, the natural unit of a centre's move; 1 for a
        constant input, in which no centre moves.
    """

    kernel: Kernel
    X: Array
    gamma: Array
    spread: Array

    @classmethod
    def of(cls, kernel: Kernel, X: Array) -> GaussianCentres:
        """Return the centres' geometry, or an error if the kernel is not Gaussian."""
        if not isinstance(kernel, RBF | ARD):
            raise MissingCapability(
                f"centres='movable' and criterion='centre-evidence' need a Gaussian kernel, and this one is "
                f"{kernel.words}: use kernel='rbf' or 'ard', or centres='data' with another criterion."
            )
        scales = input_scales(X)
        gamma = np.broadcast_to(np.asarray(kernel.gamma, dtype=float), X.shape[1])
        return cls(kernel=kernel, X=X, gamma=gamma, spread=np.where(scales > 0.0, scales, 1.0))

    @property
    def steepness(self) -> float:
        """The curvature 1/sigma^2 of the exponent for a move by one unit of spread, its geometric mean."""
        curvatures = self.curvatures
        return float(np.exp(np.mean(np.log(curvatures[curvatures > 0.0])))) if np.any(curvatures > 0.0) else 1.0

    @property
    def curvatures(self) -> Array:
        """The curvature 1/sigma^2 of the exponent in each input, in units of its spread."""
        return np.asarray(2.0 * self.gamma * self.spread**2, dtype=float)

    def distances(self, Z: Array) -> Array:
        """Return (x_i - z_k) in units of the spread, (n, m, d)."""
        return (self.X[:, None, :] - Z) / self.spread

    def in_theta(self, by_log_gamma: Array) -> Array:
        """Return a derivative in the logarithms of the widths of all inputs as one in the kernel's parameters."""
        return by_log_gamma if isinstance(self.kernel, ARD) else by_log_gamma.sum(keepdims=True)

    def values(self, Z: Array) -> Array:
        """Return K (n, m)."""
        return self.kernel.cross(self.X, Z) if len(Z) else np.zeros((len(self.X), 0))

    def jacobian(self, Z: Array) -> Array:
        """Return dK_ik/dz_kj as an (n, m, d) array; the models it is asked for have few centres."""
        return 2.0 * self.values(Z)[:, :, None] * self.gamma * (self.X[:, None, :] - Z)

    def curvature(self, Z: Array, row_weights: Array) -> Array:
        """Return sum_i row_weights_i d2K_ik/dz_k dz_k^T, (m, d, d)."""
        weighted = row_weights[:, None] * self.values(Z)
        blocks = np.empty((len(Z), len(self.gamma), len(self.gamma)))
        for k, z in enumerate(Z):
            r = self.gamma * (self.X - z)
            blocks[k] = 4.0 * (r.T * weighted[:, k]) @ r - 2.0 * weighted[:, k].sum() * np.diag(self.gamma)
        return blocks
