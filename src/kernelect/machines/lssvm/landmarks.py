"""The LS-SVM on landmarks: rows enter only through sums, and the system is as large as the number of landmarks.

The machine is the LS-SVM whose kernel is k(x, Z) M^-1 k(Z, x'). No n x n array is ever formed, and no n x m
array has to be kept. Every pass applies a function to one block of rows and adds up the results, so the same
code runs on arrays in memory, on blocks that are read one by one, and as tree sums on a cluster.

Notation: Z the m landmarks; for a block of b rows X: K (m, b) kernel values k(Z, X), S = diag(s) sample weights,
y (b, k) targets. M = k(Z, Z) + eps I = R^T R, H = R^-T (lower triangular), Phi = H K the whitened rows, one per
column, c their mean over the landmarks themselves. mu ridge. Over all rows: omega = sum s, phibar and ybar weighted
means, Phi_c = Phi - phibar, A = Phi_c S Phi_c^T + mu I = L L^T, T = L^-1 H, t = L^-1 phibar,
C = L^-1 Phi_c = T K - t the scores of a block, z = L^-1 Phi_c S (y - ybar), f = ybar + C^T z.

Centring eliminates the intercept: this is the bordered system [Phi; 1] solved for its last row first.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np
from scipy.linalg import blas, qr, solve_triangular

from kernelect.exceptions import SingularSystem
from kernelect.machines.lssvm.groups import Groups
from kernelect.numerics import (
    apply_lower,
    block_gram,
    factorize,
    mean_diagonal,
    product,
    times_block,
    triangular_inverse,
)
from kernelect.typing import Array, Indices

#: What is added to the diagonal of k(Z, Z), as a part of its mean. It is no approximation of the leave-one-out: it
#: belongs to the machine, whose kernel it defines. Without it, landmarks close to each other have no factor R.
EPSILON = 1e-8


@dataclass(frozen=True, kw_only=True)
class MachineRows:
    """A block of rows as the machine sees it. A function that takes it may overwrite ``cross``."""

    cross: Array  # (m, b) K
    targets: Array  # (b, k) y
    weights: Array  # (b,) s
    groups: Groups | None = None  # who leaves with whom; the block holds whole groups

    @classmethod
    def of(cls, cross: Array, targets: Array, weights: Array) -> MachineRows:
        """Return the block in double precision and C order, with copies only where needed."""
        return cls(
            cross=np.require(cross, dtype=np.float64, requirements=["C", "W"]),
            targets=np.asarray(targets, dtype=np.float64),
            weights=np.asarray(weights, dtype=np.float64),
        )


@dataclass(frozen=True, kw_only=True)
class WhitenedFrame:
    """Coordinates for the sums over rows: whitened by the landmarks, and centred near their mean.

    Sums of squares around 0 would lose the digits that matter when the kernel is wide (all columns of Phi nearly
    equal) or the targets lie far from 0. Around ``centre`` and ``level`` they lose none.
    """

    half: Array  # (m, m) H, Fortran order
    centre: Array  # (m,) c
    level: Array  # (k,) a value near the targets
    epsilon: float

    @classmethod
    def of(cls, landmark_gram: Array, level: Array, given: float | None = None) -> WhitenedFrame:
        """Return the frame of landmarks with Gram matrix ``landmark_gram`` = k(Z, Z).

        ``level`` is a rough mean of the targets, from any rows that are available. ``given`` is an epsilon to
        use instead of the one of these landmarks.
        """
        eps = epsilon(landmark_gram) if given is None else given
        lower = factorize(landmark_gram, eps).lower
        # Whitened, the landmarks themselves are the rows of R^T, up to eps.
        return cls(
            half=triangular_inverse(lower),
            centre=np.tril(lower).mean(axis=0),
            level=np.asarray(level, dtype=float),
            epsilon=eps,
        )

    def leading(self, count: int) -> WhitenedFrame:
        """Return the frame of the first ``count`` landmarks."""
        half = np.asfortranarray(self.half[:count, :count])
        return WhitenedFrame(half=half, centre=self.centre[:count], level=self.level, epsilon=self.epsilon)

    def whitened(self, cross: Array) -> Array:
        """Return Phi - c, written into ``cross``."""
        # By the inverse of the factor: a product takes a third of the time of a triangular solution, and
        # the two differ by rounding, since R is no worse conditioned than eps^-1/2.
        apply_lower(self.half, cross)
        cross -= self.centre[:, None]
        return cross

    def spanned(self, whitened: Array) -> Array:
        """Return |phi|^2, (b,), the part of k(x, x) that the landmarks span, from Phi - c."""
        shifted = np.einsum("ij,ij->j", whitened, whitened) + 2.0 * product(whitened.T, self.centre[:, None])[:, 0]
        return np.asarray(shifted + self.centre @ self.centre, dtype=float)

    def unspanned_by_others(self) -> Array:
        """Return what the other landmarks leave of k(z, z) at each of them, (m,): 1 / [M^-1]_jj - eps, M^-1 = H^T H."""
        return np.maximum(1.0 / np.sum(np.tril(self.half) ** 2, axis=0) - self.epsilon, 0.0)


def epsilon(landmark_gram: Array) -> float:
    """Return what is added to the diagonal of k(Z, Z)."""
    return EPSILON * (mean_diagonal(landmark_gram) or 1.0)


@dataclass(frozen=True, kw_only=True)
class Moments:
    """What the machine needs to know about all rows; add the moments of several blocks with ``+``."""

    count: int
    weight: float  # sum s
    first: Array  # (m,) sum s (phi - c)
    second: Array  # (m, m) sum s (phi - c)(phi - c)^T; the lower triangle, Fortran order
    mixed: Array  # (m, k) sum s (phi - c)(y - level)^T
    target_first: Array  # (k,) sum s (y - level)
    target_second: Array  # (k,) sum s (y - level)^2

    def __add__(self, other: Moments) -> Moments:
        return Moments(
            count=self.count + other.count,
            weight=self.weight + other.weight,
            first=self.first + other.first,
            second=self.second + other.second,
            mixed=self.mixed + other.mixed,
            target_first=self.target_first + other.target_first,
            target_second=self.target_second + other.target_second,
        )

    def centred(self) -> tuple[Array, Array]:
        """Return Phi_c S Phi_c^T (lower triangle) and Phi_c S (y - ybar)."""
        mean = self.first / self.weight
        return (
            np.asfortranarray(self.second - np.outer(self.first, mean)),
            self.mixed - np.outer(mean, self.target_first),
        )

    def leading(self, count: int) -> Moments:
        """Return the moments for the first ``count`` landmarks: H is triangular, so they are the leading blocks."""
        return replace(
            self,
            first=self.first[:count],
            second=np.asfortranarray(self.second[:count, :count]),
            mixed=self.mixed[:count],
        )


def moments(frame: WhitenedFrame, rows: MachineRows) -> Moments:
    """Return the moments of one block. Cost 2 b m^2; overwrites ``rows.cross``."""
    return whitened_moments(frame, frame.whitened(rows.cross), rows)


def whitened_moments(frame: WhitenedFrame, Phi: Array, rows: MachineRows) -> Moments:
    """Return the moments of a block whose rows are already whitened. Cost b m^2; overwrites ``Phi``."""
    root = np.sqrt(rows.weights)
    targets = rows.targets - frame.level
    if not np.all(root == 1.0):
        Phi *= root
    scaled = root[:, None] * targets
    return Moments(
        count=len(root),
        weight=float(rows.weights.sum()),
        first=product(Phi, root[:, None])[:, 0],
        second=block_gram(Phi),
        mixed=product(Phi, scaled),
        target_first=rows.weights @ targets,
        target_second=np.sum(scaled**2, axis=0),
    )


@dataclass(frozen=True, kw_only=True)
class LandmarkState:
    """The solution at one ridge: a linear function of the scores C = T K - t."""

    transform: Array  # (m, m) T, lower triangular, Fortran order
    offset: Array  # (m,) t
    projected: Array  # (m, k) z
    target_mean: Array  # (k,) ybar
    weight: float  # omega
    regularization: float  # mu

    @property
    def dual_coef(self) -> Array:
        """Coefficients of the landmarks, (m, k)."""
        return product(self.transform.T, self.projected)

    @property
    def intercept(self) -> Array:
        """Intercepts, (k,)."""
        return np.asarray(self.target_mean - self.offset @ self.projected, dtype=float)

    def scores(self, cross: Array) -> Array:
        """Return C, written into ``cross``. Cost b m^2."""
        apply_lower(self.transform, cross)
        cross -= self.offset[:, None]
        return cross

    def times(self, unit: float) -> LandmarkState:
        """Return the machine for targets that are ``unit`` times as large."""
        return replace(self, projected=unit * self.projected, target_mean=unit * self.target_mean)

    def among(self, places: Indices) -> LandmarkState:
        """Return the machine on some of the landmarks.

        A fit of all rows would give the same machine: T^-1 T^-T = K_c S K_c^T + mu M and T^-1 z = K_c S (y - ybar)
        hold the sums over rows, and the new system takes their rows and columns at ``places``. With J these rows of
        T^-1 and J^T = P^T U (QR), the factor of J J^T is U^T, so nothing is squared, and its scores are P times those
        on all landmarks. Cost O(m^2 p).
        """
        chosen = np.zeros((len(self.offset), len(places)))
        chosen[places, np.arange(len(places))] = 1.0
        orthogonal, upper = qr(solve_triangular(self.transform, chosen, trans="T", lower=True), mode="economic")
        turned = np.asarray(orthogonal.T)
        return replace(
            self,
            transform=np.asfortranarray(triangular_inverse(np.asfortranarray(upper.T))),
            offset=turned @ self.offset,
            projected=product(turned, self.projected),
        )

    def fitted(self, scores: Array) -> Array:
        """Return decision values (b, k) of rows with ``scores`` (m, b)."""
        return self.target_mean + times_block(np.ascontiguousarray(self.projected.T), scores).T

    def decide(self, cross: Array) -> Array:
        """Return decision values (b, k) for rows with kernel values ``cross`` (m, b)."""
        return product(cross.T, self.dual_coef) + self.intercept


@dataclass(frozen=True)
class LandmarkSolution(LandmarkState):
    """The solution with the factor of its system; derivatives need the factor, predictions do not."""

    inverse_factor: Array  # (m, m) L^-1, Fortran order

    def state(self) -> LandmarkState:
        """Return what predictions need."""
        return LandmarkState(**{each.name: getattr(self, each.name) for each in fields(LandmarkState)})


def solve(frame: WhitenedFrame, total: Moments, regularization: float) -> LandmarkSolution:
    """Return the machine for the moments of all rows: minimises |w|^2/2 + sum_i s_i e_i^2 / (2 mu). Cost O(m^3)."""
    require_finite(total)
    second, right = total.centred()
    L_inverse = triangular_inverse(factorize(second, regularization).lower)
    phibar = frame.centre + total.first / total.weight
    return LandmarkSolution(
        transform=np.asfortranarray(blas.dtrmm(1.0, L_inverse, frame.half, lower=1)),
        offset=product(L_inverse, phibar[:, None])[:, 0],
        projected=product(L_inverse, right),
        target_mean=frame.level + total.target_first / total.weight,
        weight=total.weight,
        regularization=regularization,
        inverse_factor=L_inverse,
    )


def require_finite(total: Moments) -> None:
    """Raise :class:`SingularSystem` if the sums contain NaN or infinity from any block."""
    if np.isfinite(total.weight + total.target_second.sum() + np.diagonal(total.second).sum()):
        return
    raise SingularSystem(
        "The kernel values, targets or weights of the rows hold NaN or infinite entries. "
        "Check the inputs for extreme values and scale them."
    )
