"""The sequential sparse Bayesian algorithm on a linear model with given row precisions.

Notation (Tipping & Faul 2003): D (n, M) all candidate functions, B (n,) precision of each row, z (n,)
targets, alpha the precisions of the m active functions (infinite for all others),
H = Phi^T B Phi + A = Sigma^-1, mu = Sigma Phi^T B z, C = B^-1 + Phi A^-1 Phi^T,

    S_k = phi_k^T C^-1 phi_k,   Q_k = phi_k^T C^-1 z,

s, q are the same with function k itself taken out of C. For an active function s = 1/Sigma_ii - alpha
and q = mu_i / Sigma_ii; these do not cancel if alpha S / (alpha - S) does. The evidence as
a function of one alpha is then l(alpha) = 1/2 [ln alpha - ln(alpha + s) + q^2 / (alpha + s)].

The model keeps V = Phi^T B D, L^-1 with L L^T = H (recomputed for every action, since m is small)
and S, Q by one matrix-vector product. It never updates Sigma itself, because that drifts.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace

import numpy as np

from kernelect.exceptions import InvalidArgument
from kernelect.machines.rvm.noise import Noise
from kernelect.machines.rvm.posterior import ScaledFactor
from kernelect.numerics import first_of_best, matrix_vector, product
from kernelect.typing import Array, Indices

#: A candidate whose part outside the model is below this share of its norm is a copy of what is there.
_COPY = 1e-9

#: A precision as good as infinite, and with finite logarithms.
_OUT = 1e150

#: Relative difference of two gains that rounding may make.
_TIE = 1e-6

#: Largest size of functions, and inverse of their smallest: precisions go as its square, their squares are needed.
_LARGEST = 1e60

#: S and Q are computed afresh after so many actions.
_REFRESH = 40


@dataclass(frozen=True, kw_only=True)
class Columns:
    """All candidate functions at the training rows, with their squares."""

    values: Array  # (n, M), Fortran order
    squares: Array  # (n, M), Fortran order
    left_out: int | None = None  # a function that may not be used

    @classmethod
    def of(cls, gram: Array) -> Columns:
        """Return the columns of ``gram`` after the constant function, which is number 0."""
        size = float(np.abs(gram).max(initial=0.0))
        if size > _LARGEST or 0.0 < size < 1.0 / _LARGEST:
            raise InvalidArgument(
                f"X gives kernel values of {size:.0e}, whose powers double precision does not hold: rescale X, or use "
                "a kernel with widths, such as kernel='rbf'."
            )
        values = np.empty((gram.shape[0], gram.shape[1] + 1), order="F")
        values[:, 0] = 1.0
        values[:, 1:] = gram
        return cls(values=values, squares=values * values)

    def __len__(self) -> int:
        return self.values.shape[1]

    def without(self, function: int) -> Columns:
        """Return the same functions with one excluded from use; nothing is copied."""
        return replace(self, left_out=function)


class LinearModel:
    """A sparse linear model that changes by one function at a time."""

    def __init__(
        self,
        columns: Columns,
        row_precision: Array,
        weighted_targets: Array,  # (n,) B z
        noise: Noise,
        active: Indices,
        alpha: Array,
        least: Array,  # (M,) smallest alpha of each function
        floor: float = 0.0,
    ) -> None:
        self.columns, self.noise, self.floor, self.least = columns, noise, floor, least
        self.row_precision, self.weighted_targets = row_precision, weighted_targets
        self.norms = matrix_vector(columns.squares.T, row_precision)
        self._copy_limit = _COPY * self.norms
        self.active, self.alpha = active.copy(), alpha.copy()
        self.S = self.Q = np.zeros(0)
        self.banned = np.zeros(len(columns), dtype=bool)
        self.outside = np.ones(len(columns), dtype=bool)  # neither active nor banned: these can be added
        self.outside[active] = False
        #: Whether the precisions of active functions are at their best by the exact evidence, whatever the
        #: quadratic says: only additions are actions then.
        self.only_additions = False
        self._last = -1  # the function that was changed last
        if columns.left_out is not None:
            self.ban(columns.left_out)
        rows = np.empty((len(active) + 1, len(row_precision)))
        rows[0] = weighted_targets
        np.multiply(columns.values.T[active], row_precision, out=rows[1:])
        projected = product(rows, columns.values)  # in one pass over D
        self.moment, self.V = projected[0].copy(), projected[1:]
        self._solve()
        self._refresh()

    def copy(self) -> LinearModel:
        """Return an independent copy; the two models share arrays that are never written to."""
        other = copy(self)
        other.alpha, other.banned, other.outside = self.alpha.copy(), self.banned.copy(), self.outside.copy()
        return other

    def ban(self, function: int) -> None:
        """Take no further action on ``function`` and, if it is active, on any other active function.

        The gains of all active functions' precisions come from the same quadratic, which has just
        proved wrong.
        """
        self.banned[function], self.outside[function] = True, False
        self.only_additions |= function in self.active

    def advance(self, count: int, tol: float) -> list[tuple[int, float]]:
        """Take up to ``count`` actions that gain more than ``tol`` nats each, and return (function, gain) pairs."""
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
        new = self._best_addition()
        if self.only_additions or not len(self.active):
            return new
        own = self._best_change()
        # If a copy of an active function gains the same, the active one is changed and the copy stays out.
        return own if own[2] >= (1.0 - _TIE) * new[2] else new

    def _best_change(self) -> tuple[int, float, float]:
        """Return the best action on an active function; as below, bounds matter only if they bind the best.

        What was changed last is at its best: a gain there is rounding, which can go on for ever.
        """
        a, (s, q2, rest) = self.active, self._own()
        now, ratio = self.noise.gain(self.alpha, s, q2, rest), q2 / (s * rest)
        barred = self.banned[a] | (a == self._last)
        gains = np.where(barred, -np.inf, self.noise.most(ratio) - now)
        i = first_of_best(gains, _TIE)
        alpha = float(s[i]) * self.noise.best_share(float(ratio[i]))
        if alpha < self.least[a[i]]:
            best, gains = self._bounded(a, s, q2, rest)
            gains = np.where(barred, -np.inf, gains - now)
            i = first_of_best(gains, _TIE)
            alpha = float(best[i])
        return int(a[i]), alpha, float(gains[i])

    def _best_addition(self) -> tuple[int, float, float]:
        """Return the best action on a function that is not in the model.

        A function's gain at its best alpha depends on Q^2 / S alone (the rest of the energy is the same
        for all) and rises with it, so only the one with the largest ratio is looked at, unless a bound
        keeps it from its best alpha.
        """
        ratio = np.zeros(len(self.S))
        np.divide(self.Q * self.Q, self.S, out=ratio, where=self.outside & (self._copy_limit < self.S))
        function = first_of_best(ratio, _TIE)
        while self.only_additions and ratio[function] > 0.0 and self._is_copy(function):
            self.ban(function)
            ratio[function] = 0.0
            function = first_of_best(ratio, _TIE)
        if ratio[function] <= 0.0:
            return function, np.inf, 0.0
        largest = float(ratio[function]) / self.energy
        alpha = float(self.S[function]) * self.noise.best_share(largest)
        if np.isinf(alpha):  # best left out; a gain would be rounding
            return function, np.inf, 0.0
        if alpha >= self.least[function]:
            return function, alpha, float(self.noise.most(largest))
        functions = ratio.nonzero()[0]
        best, gains = self._bounded(functions, self.S[functions], self.Q[functions] ** 2, self.energy)
        i = first_of_best(gains, _TIE)
        return int(functions[i]), float(best[i]), float(gains[i])

    def _bounded(self, functions: Indices, s: Array, q2: Array, rest: Array | float) -> tuple[Array, Array]:
        """Return the best precisions of ``functions`` within their bounds, and the gains."""
        best = np.maximum(self.noise.best(s, q2, rest), self.least[functions])
        return best, self.noise.gain(np.minimum(best, _OUT), s, q2, rest)

    def _is_copy(self, function: int) -> bool:
        """Return whether an active function has the same values: Cauchy and Schwarz' inequality is an equality then."""
        a, norm = self.active, self.norms[function]
        same = np.abs(self.norms[a] - norm) <= _COPY * norm
        return bool(np.any(same & (np.abs(self.V[:, function] - norm) <= _COPY * norm)))

    def exchanges(self) -> list[tuple[float, int, int, float]]:
        """Return the best replacement for every active function, best exchange first.

        Each is (gain, function to remove, function to add, its alpha), with all other precisions
        held fixed. With function i out, S_k + c_ik^2 / Sigma_ii and Q_k + c_ik mu_i / Sigma_ii are
        exact, c = Sigma V, so all m M exchanges cost O(m^2 M).
        """
        own = self._own()
        inside, (s, _, rest) = self.noise.gain(self.alpha, *own), own
        norms = self.norms[self.active, None]
        copies = (np.abs(self.norms - norms) <= _COPY * norms) & (np.abs(self.V - norms) <= _COPY * norms)
        usable = self.outside & (self._copy_limit < self.S) & ~copies.any(axis=0)
        if not usable.any():
            return []
        found, c, least_s = [], self.covariance @ self.V, self._least_s(slice(None))
        for i, function in enumerate(self.active):
            S = np.maximum(self.S + c[i] ** 2 / self.variance[i], least_s)
            Q2 = (self.Q + c[i] * (self.mean[i] / self.variance[i])) ** 2
            alpha = np.maximum(self.noise.best(S, Q2, rest[i]), self.least)
            # A copy of what leaves would be no exchange: Cauchy and Schwarz' inequality is an equality there.
            another = (c[i] / self.variance[i]) ** 2 < (1.0 - 1e-8) * S * s[i]
            comes = usable & another & np.isfinite(alpha)
            gains = np.where(comes, self.noise.gain(np.minimum(alpha, _OUT), S, Q2, rest[i]), -np.inf)
            best = first_of_best(gains, _TIE)
            if comes[best]:
                found.append((float(gains[best] - inside[i]), int(function), best, float(alpha[best])))
        return sorted(found, reverse=True)

    def _own(self) -> tuple[Array, Array, Array]:
        """Return s, q^2 and the rest of the energy of the active functions, each without itself."""
        lean = self.mean / self.variance
        s = np.maximum(1.0 / self.variance - self.alpha, self._least_s(self.active))
        return s, lean * lean, self.energy + lean * self.mean if self.noise.profiled else np.ones(len(s))

    def _least_s(self, functions: Indices | slice) -> Array:
        """Return what s cannot be below but by rounding."""
        return 1e-15 * self.norms[functions] + 1e-300

    def apply(self, function: int, alpha: float) -> None:
        """Set the precision of ``function`` to ``alpha``: add it, re-estimate it, or remove it if infinite."""
        where = (self.active == function).nonzero()[0]
        if len(where):
            self._change(int(where[0]), alpha)
        else:
            self._add(function, alpha)
        self._last = function
        self._solve()
        self._since_refresh += 1
        if self._since_refresh >= _REFRESH:
            self._refresh()

    def _add(self, function: int, alpha: float) -> None:
        values = self.columns.values
        row = matrix_vector(values.T, self.row_precision * values[:, function])
        c = row - ((self.half @ self.V[:, function]) @ self.half) @ self.V  # phi_k^T C^-1 phi_i for all k
        total = alpha + self.S[function]
        self.Q = self.Q - c * (self.Q[function] / total)
        self.S = self.S - c * c / total
        self.active = np.concatenate([self.active, [function]])
        self.alpha = np.concatenate([self.alpha, [alpha]])
        self.V = np.concatenate([self.V, row[None]])
        self.outside[function] = False

    def _change(self, i: int, alpha: float) -> None:
        c = self.covariance[i] @ self.V
        change = alpha - self.alpha[i]
        step = 1.0 / self.variance[i] if np.isinf(alpha) else change / (1.0 + change * self.variance[i])
        self.S = self.S + c * c * step
        self.Q = self.Q + c * (self.mean[i] * step)
        if np.isinf(alpha):
            function, kept = self.active[i], np.arange(len(self.active)) != i
            self.active, self.alpha, self.V = self.active[kept], self.alpha[kept], self.V[kept]
            self.outside[function] = not self.banned[function]
        else:
            self.alpha[i] = alpha

    def _solve(self) -> None:
        """Set L^-1 with L L^T = H, mean, variances and energy A for the present alpha."""
        H = self.V.take(self.active, axis=1)
        H.ravel()[:: len(H) + 1] += self.alpha
        self.half = ScaledFactor.of(H).half_inverse()
        self.mean = (self.half @ self.moment[self.active]) @ self.half
        self.covariance = self.half.T @ self.half
        self.variance = self.covariance.diagonal()
        self.energy = self._energy()

    def _energy(self) -> float:
        """Return z^T C^-1 z plus the floor, as a sum of squares, which cannot cancel."""
        if not self.noise.profiled:
            return 1.0
        B = self.row_precision
        targets = np.divide(self.weighted_targets, B, out=np.zeros_like(B), where=B > 0.0)
        residual = targets - self.columns.values[:, self.active] @ self.mean
        return float(B @ residual**2 + self.alpha @ self.mean**2) + self.floor

    def _refresh(self) -> None:
        """Compute S and Q from the factor alone, O(m^2 M)."""
        W, target = self.half @ self.V, self.half @ self.moment[self.active]
        self.S = self.norms - np.einsum("ij,ij->j", W, W)
        self.Q = self.moment - target @ W
        self._since_refresh = 0
