"""The sequential sparse Bayesian algorithm on a linear model with given row precisions.

Notation (Tipping & Faul 2003): D (n, M) dictionary, B (n,) precision of each row, z (n,)
targets, alpha the precisions of the m active functions (infinite for all others),
H = Phi^T B Phi + A = Sigma^-1, mu = Sigma Phi^T B z, C = B^-1 + Phi A^-1 Phi^T,

    S_k = phi_k^T C^-1 phi_k,   Q_k = phi_k^T C^-1 z,

s, q the same with function k itself taken out of C: for an active one s = 1/Sigma_ii - alpha
and q = mu_i / Sigma_ii, which do not cancel where alpha S / (alpha - S) does. The evidence as
a function of one alpha is then l(alpha) = 1/2 [ln alpha - ln(alpha + s) + q^2 / (alpha + s)].

What is kept up to date is V = D^T B Phi, the factor of H (made anew for every action: m is
small) and S, Q by one matrix-vector product; Sigma itself is never updated, because that drifts.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace

import numpy as np

from kernelect.linalg import matrix_vector, product
from kernelect.machines.rvm_noise import Noise
from kernelect.machines.rvm_posterior import ScaledFactor
from kernelect.typing import Array, Indices, Mask

#: A candidate whose part outside the model is below this share of its norm is a copy of what is there.
_COPY = 1e-9

#: Relative difference of two gains that rounding may make.
_TIE = 1e-6

#: S and Q are computed afresh after so many actions.
_REFRESH = 40


@dataclass(frozen=True)
class Dictionary:
    """All candidate functions at the training rows, with their squares."""

    values: Array  # (n, M), Fortran order
    squares: Array  # (n, M), Fortran order
    left_out: int | None = None  # a function that is not to be had

    @classmethod
    def of(cls, gram: Array) -> Dictionary:
        """Return the columns of ``gram`` after the constant function, which is number 0."""
        values = np.empty((gram.shape[0], gram.shape[1] + 1), order="F")
        values[:, 0] = 1.0
        values[:, 1:] = gram
        return cls(values, values * values)

    def __len__(self) -> int:
        return self.values.shape[1]

    def without(self, function: int) -> Dictionary:
        """Return the same functions, of which one is not to be had; nothing is copied."""
        return replace(self, left_out=function)

    def project(self, rows: Array) -> Array:
        """Return D^T rows for (n,) or (n, k) ``rows``."""
        if rows.ndim == 1:
            return matrix_vector(self.values.T, rows)
        return product(self.values.T, rows)


class LinearModel:
    """A sparse linear model that is changed by one function at a time."""

    def __init__(
        self,
        dictionary: Dictionary,
        row_precision: Array,
        weighted_targets: Array,  # (n,) B z
        noise: Noise,
        active: Indices,
        alpha: Array,
        least: Array,  # (M,) smallest alpha of each function
        floor: float = 0.0,
    ) -> None:
        self.dictionary, self.noise, self.floor, self.least = dictionary, noise, floor, least
        self.row_precision, self.weighted_targets = row_precision, weighted_targets
        self.norms = matrix_vector(dictionary.squares.T, row_precision)
        self.active, self.alpha = active.copy(), alpha.copy()
        self.S = self.Q = np.zeros(0)
        self.banned = np.zeros(len(dictionary), dtype=bool)
        if dictionary.left_out is not None:
            self.banned[dictionary.left_out] = True
        #: Whether the precisions of active functions are at their best by the exact evidence, whatever the
        #: quadratic says: only additions are actions then.
        self.settled = False
        weighted = row_precision[:, None] * dictionary.values[:, active]
        projected = dictionary.project(np.column_stack([weighted_targets, weighted]))  # in one pass over D
        self.moment, self.V = projected[:, 0].copy(), projected[:, 1:]
        self._solve()
        self._refresh()

    def copy(self) -> LinearModel:
        """Return a model that can be changed by itself; what is never written to is shared."""
        other = copy(self)
        other.alpha, other.banned = self.alpha.copy(), self.banned.copy()
        return other

    def ban(self, function: int) -> None:
        """Take no further action on ``function``, nor on any other that is active where it is.

        The precisions of active functions all gain by the same quadratic, which was just seen
        to be wrong in that.
        """
        self.banned[function] = True
        self.settled |= function in self.active

    def advance(self, count: int, tol: float) -> list[tuple[int, float]]:
        """Take up to ``count`` actions that gain more than ``tol`` nats each; returns (function, gain) pairs."""
        taken: list[tuple[int, float]] = []
        while len(taken) < count:
            function, alpha, gain = self.best_action()
            if gain <= tol:
                break
            self.apply(function, alpha)
            taken.append((function, gain))
        return taken

    def best_action(self) -> tuple[int, float, float]:
        """Return the function to change, its new alpha (infinite: out) and the gain in evidence."""
        s, q2, rest, usable = self._without_itself()
        best = np.maximum(self.noise.best(s, q2, rest), self.least)
        gains = np.zeros(len(s))
        inside = np.isfinite(best) & usable
        gains[inside] = self.noise.gain(best[inside], s[inside], q2[inside], rest[inside])
        a = self.active
        gains[a] -= self.noise.gain(self.alpha, s[a], q2[a], rest[a])
        if self.settled:
            gains[a] = 0.0
        gains[self.banned] = -np.inf
        function = int(np.argmax(gains))
        while self.settled and self._is_copy(function):
            self.banned[function], gains[function] = True, -np.inf
            function = int(np.argmax(gains))
        # Where a copy of an active function gains the same, the active one is changed and the copy stays out.
        own = int(a[np.argmax(gains[a])]) if len(a) else function
        if gains[own] >= (1.0 - _TIE) * gains[function]:
            function = own
        return function, float(best[function]), float(gains[function])

    def _is_copy(self, function: int) -> bool:
        """Tell whether an active function has the same values: Cauchy and Schwarz' inequality is an equality then."""
        a, norm = self.active, self.norms[function]
        same = np.abs(self.norms[a] - norm) <= _COPY * norm
        return bool(np.any(same & (np.abs(self.V[function] - norm) <= _COPY * norm) & (a != function)))

    def exchanges(self) -> list[tuple[float, int, int, float]]:
        """Return, for every active function, the best one to take its place, best exchange first.

        Each is (gain, function that leaves, function that comes, its alpha), all other
        precisions held. With function i out, S_k + c_ik^2 / Sigma_ii and Q_k + c_ik mu_i /
        Sigma_ii are exact, c = V Sigma, so all m M exchanges cost O(m^2 M).
        """
        s, q2, rest, usable = self._without_itself()
        inside = self.noise.gain(self.alpha, s[self.active], q2[self.active], rest[self.active])
        norms = self.norms[self.active]
        copies = (np.abs(self.norms[:, None] - norms) <= _COPY * norms) & (np.abs(self.V - norms) <= _COPY * norms)
        usable &= ~(self.banned | copies.any(axis=1))  # the active functions are among their copies
        if not usable.any():
            return []
        found, c = [], self.V @ self.covariance
        for i, function in enumerate(self.active):
            S = np.maximum(self.S + c[:, i] ** 2 / self.variance[i], 1e-15 * self.norms + 1e-300)
            Q2 = (self.Q + c[:, i] * (self.mean[i] / self.variance[i])) ** 2
            rest_i = np.full(len(S), rest[function])
            alpha = np.maximum(self.noise.best(S, Q2, rest_i), self.least)
            gains = np.full(len(S), -np.inf)
            # A copy of what leaves would be no exchange: Cauchy and Schwarz' inequality is an equality there.
            another = (c[:, i] / self.variance[i]) ** 2 < (1.0 - 1e-8) * S * s[function]
            comes = usable & another & np.isfinite(alpha)
            gains[comes] = self.noise.gain(alpha[comes], S[comes], Q2[comes], rest_i[comes])
            best = int(np.argmax(gains))
            if np.isfinite(gains[best]):
                found.append((float(gains[best] - inside[i]), int(function), best, float(alpha[best])))
        return sorted(found, reverse=True)

    def _without_itself(self) -> tuple[Array, Array, Array, Mask]:
        """Return s, q^2, the rest of the energy and which functions can be had."""
        s, q2 = self.S.copy(), self.Q**2
        rest = np.full(len(s), self.energy)
        usable = s > _COPY * self.norms
        a = self.active
        s[a] = 1.0 / self.variance - self.alpha
        q2[a] = (self.mean / self.variance) ** 2
        rest[a] += self.mean**2 / self.variance
        usable[a] = True
        return np.maximum(s, 1e-15 * self.norms + 1e-300), q2, rest, usable

    def apply(self, function: int, alpha: float) -> None:
        """Put ``function`` at precision ``alpha``: add, re-estimate, or take out where infinite."""
        where = (self.active == function).nonzero()[0]
        if len(where):
            self._change(int(where[0]), alpha)
        else:
            self._add(function, alpha)
        self._solve()
        self._since_refresh += 1
        if self._since_refresh >= _REFRESH:
            self._refresh()

    def _add(self, function: int, alpha: float) -> None:
        column = self.dictionary.project(self.row_precision * self.dictionary.values[:, function])
        c = column - self.V @ self.factor.solve(self.V[function])  # phi_k^T C^-1 phi_i for all k
        total = alpha + self.S[function]
        self.Q = self.Q - c * (self.Q[function] / total)
        self.S = self.S - c**2 / total
        self.active = np.append(self.active, function)
        self.alpha = np.append(self.alpha, alpha)
        self.V = np.column_stack([self.V, column])

    def _change(self, i: int, alpha: float) -> None:
        c = self.V @ self.covariance[i]
        change = alpha - self.alpha[i]
        step = 1.0 / self.variance[i] if np.isinf(alpha) else change / (1.0 + change * self.variance[i])
        self.S = self.S + c**2 * step
        self.Q = self.Q + c * (self.mean[i] * step)
        if np.isinf(alpha):
            kept = np.arange(len(self.active)) != i
            self.active, self.alpha, self.V = self.active[kept], self.alpha[kept], self.V[:, kept]
        else:
            self.alpha[i] = alpha

    def _solve(self) -> None:
        """Set factor, mean, variances and energy A for the present alpha."""
        H = self.V[self.active]
        H.flat[:: len(H) + 1] += self.alpha
        self.factor = ScaledFactor.of(H)
        self.mean = self.factor.solve(self.moment[self.active])
        self.covariance = self.factor.inverse()
        self.variance = self.covariance.diagonal()
        self.energy = self._energy()

    def _energy(self) -> float:
        """Return z^T C^-1 z plus the floor, as a sum of squares, which cannot cancel."""
        if not self.noise.profiled:
            return 1.0
        B = self.row_precision
        targets = np.divide(self.weighted_targets, B, out=np.zeros_like(B), where=B > 0.0)
        residual = targets - self.dictionary.values[:, self.active] @ self.mean
        return float(B @ residual**2 + self.alpha @ self.mean**2) + self.floor

    def _refresh(self) -> None:
        """Compute S and Q from the factor alone, O(m^2 M)."""
        half = self.factor.half_solve(np.column_stack([self.V.T, self.moment[self.active]]))
        W, target = half[:, :-1], half[:, -1]
        self.S = self.norms - np.einsum("ij,ij->j", W, W)
        self.Q = self.moment - target @ W
        self._since_refresh = 0
