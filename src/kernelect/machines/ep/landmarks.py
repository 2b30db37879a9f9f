"""The posterior of a latent function on landmarks, which span its prior; the variance of each row stays exact.

Notation as in machines/ep/machine.py, and: Z the m landmarks, K (m, n) kernel values k(Z, X), M = k(Z, Z) + eps I with
M = R^T R, H = R^-T, Phi = H K the whitened rows, one per column, D = k(x, x) - |phi|^2 what the landmarks leave of each
row. The prior is Phi^T Phi + diag(D) (fully independent training conditional, Snelson & Ghahramani 2006).
a = 1/(1 + T D), e = T a, C = I + Phi diag(e) Phi^T = L L^T, q_i = |L^-1 phi_i|^2, u = Phi b.

All sums below are of positive terms: posterior and cavity variances lose no digits to differences.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from kernelect.machines.ep.machine import EPColumn
from kernelect.machines.ep.marginals import Marginals
from kernelect.machines.lssvm.landmarks import EPSILON, epsilon
from kernelect.numerics import CholeskyFactor, factorize, outer_gram, product, triangular_inverse
from kernelect.typing import Array


@dataclass(frozen=True, eq=False, kw_only=True)
class LandmarkSlopes:
    """Derivatives in kernel values: between landmarks and rows (m, n), among landmarks (m, m), of rows (n,)."""

    cross: Array
    landmarks: Array
    diagonal: Array

    def __add__(self, other: LandmarkSlopes) -> LandmarkSlopes:
        return LandmarkSlopes(
            cross=self.cross + other.cross,
            landmarks=self.landmarks + other.landmarks,
            diagonal=self.diagonal + other.diagonal,
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class LandmarkGram:
    """The prior covariance of the rows, in the place of their Gram matrix.

    Attributes
    ----------
    half : ndarray of shape (m, m)
        H.
    whitened : ndarray of shape (m, n)
        Phi.
    rest : ndarray of shape (n,)
        D.
    """

    half: Array
    whitened: Array
    rest: Array

    @classmethod
    def of(cls, landmark_gram: Array, cross: Array, diagonal: Array) -> Self:
        """Return the covariance of rows from k(Z, Z), k(Z, X) and k(x, x)."""
        half = np.tril(triangular_inverse(factorize(landmark_gram, epsilon(landmark_gram)).lower))
        whitened = product(half, cross)
        rest = diagonal - np.einsum("ij,ij->j", whitened, whitened)
        return cls(half=half, whitened=whitened, rest=np.maximum(rest, 0.0))

    def __len__(self) -> int:
        return len(self.rest)

    def marginals(self, tau: Array, nu: Array, copies: Array) -> Marginals:
        """Return the posterior with given sites."""
        Phi, total, shift = self.whitened, copies * tau, copies * nu
        own = 1.0 / (1.0 + total * self.rest)
        e = total * own
        factor = factorize(outer_gram(Phi * np.sqrt(e)), 1.0)
        q = np.sum(factor.half_solve(Phi) ** 2, axis=0)
        # Sigma N = D a N + a Phi^T C^-1 Phi a N, and b = N - T mu
        mean = own * (self.rest * shift + Phi.T @ factor.solve(Phi @ (own * shift)))
        variance = own * self.rest + own**2 * q
        dual = shift - total * mean
        left = 1.0 - tau * variance
        return Marginals(dual=dual, mean=mean, variance=variance, cavity_variance=variance / left, factor=factor)

    def column(self, **known: object) -> LandmarkColumn:
        """Return the posterior of one output with this prior."""
        return LandmarkColumn(gram=self, **known)  # type: ignore[arg-type]


@dataclass(frozen=True, kw_only=True)
class LandmarkColumn(EPColumn):
    """The Gaussian posterior of one output on landmarks; ``factor`` is that of C."""

    gram: LandmarkGram

    @property
    def coefficients(self) -> Array:
        """Return those of the landmarks: H^T u."""
        return self.gram.half.T @ (self.gram.whitened @ self.dual)

    def log_determinant(self) -> float:
        """Return ln |B| = sum ln(1 + T D) + ln |C|."""
        return float(np.log1p(self.copies * self.sites.tau * self.gram.rest).sum()) + _log_determinant(self.factor)

    def explained_root(self) -> Array:
        """Return W (m, m), so that |W k(Z, x)|^2 is the variance that the data explain: W^T W = H^T (I - C^-1) H."""
        lower = np.tril(self.factor.lower)
        values, vectors = np.linalg.eigh(lower @ lower.T)  # of C
        share = np.sqrt(np.maximum(1.0 - 1.0 / np.maximum(values, 1.0), 0.0))
        return np.ascontiguousarray(share[:, None] * (vectors.T @ self.gram.half))

    def grad_gram(self, scale: float) -> LandmarkSlopes:
        """Return scale * d ln Z in the kernel values.

        With G = (b b^T - R)/2, R = E - E Phi^T C^-1 Phi E, g its diagonal, G' = G - diag(g):
        Phi G = (u b^T - C^-1 Phi E)/2, and d ln Z = <G', dQ> + <g, dk(x, x)> with Q = K^T M^-1 K.
        """
        Phi, half = self.gram.whitened, self.gram.half
        total = self.copies * self.sites.tau
        e = total / (1.0 + total * self.gram.rest)
        u, weighted = Phi @ self.dual, self.factor.solve(Phi * e)
        g = 0.5 * (self.dual**2 - e + e * np.einsum("ij,ij->j", Phi, weighted))
        rows = 0.5 * (np.outer(u, self.dual) - weighted)
        rows -= Phi * g
        return LandmarkSlopes(
            cross=2.0 * scale * product(half.T, rows),
            landmarks=-scale * (half.T @ product(rows, Phi.T) @ half),
            diagonal=scale * g,
        )

    def without_factor(self) -> LandmarkColumn:
        """Return what a later fit begins with: no prior of these rows is kept."""
        few = LandmarkGram(half=self.gram.half[:0, :0], whitened=self.gram.whitened[:0, :0], rest=self.gram.rest[:0])
        return replace(self, factor=None, gram=few)


def _log_determinant(factor: CholeskyFactor) -> float:
    return 2.0 * float(np.log(np.diagonal(factor.lower)).sum())


def with_epsilon(slopes: Array) -> Array:
    """Return the derivative in k(Z, Z) from that in M, whose eps is a part of the mean diagonal of k(Z, Z)."""
    found = slopes.copy()
    found[np.diag_indices_from(found)] += EPSILON * np.trace(slopes) / len(slopes)
    return found
