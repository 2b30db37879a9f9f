"""Logistic regression in the scores of a machine on landmarks: the labels' own loss in the place of squares.

Squares punish a row for being right by more than its label asks for, which costs most with several classes. On the
same landmarks, with the same kernel, the log-loss does not. It has no closed form for a row left out either, so the
rows are dealt into folds, and each row is judged by the machine without its fold. The folds are solved together: one
product with the scores serves them all. Their mean is the machine that predicts.

Notation as in machines/lssvm/landmarks.py: C (m, n) scores of all rows, S = diag(s) weights, y (n, k) targets of least
squares, ybar their weighted mean, mu its ridge. With w the weights of the whitened landmarks, w = L^-T v and
f = C^T v + b, (n, k); two classes have one column, the log-odds of the second. The ridge of least squares is
mu |w|^2 = v^T P v with P = mu L^-1 L^-T, and C S C^T + P = I. Each of the F folds minimises

    sum_i s_i [i not in the fold] (- ln p_i)  +  rho / 2  v^T P v  +  |b|^2 / 2,

rho the ridge in units of that of least squares. The last term keeps the intercept of a class finite that has all its
rows in the fold. A search starts from least squares without the fold (but with the means of all rows):
(I - C_f S_f C_f^T) v = C S (y - ybar) - C_f S_f (y_f - ybar), f the rows of the fold.

With W the curvatures s p (1 - p) of the log-loss (their mean over classes) and C W C^T + rho P = R R^T, a search in
u = R^T v sees curvatures near 1 in all directions, for every fold and class: a few of its steps reach the minimum, of
which thirty in v fall short.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, log_softmax, softmax

from kernelect.numerics import (
    NEVER,
    Deadline,
    apply_lower,
    block_gram,
    factorize,
    outer_gram,
    product,
    symmetrize_from_lower,
    triangular_inverse,
)
from kernelect.typing import Array, Indices

#: Smallest p (1 - p): of rows that are certain.
_LEAST_CURVATURE = 0.01

#: Rows that curvatures are summed over at once.
_ROWS = 2048


@dataclass(frozen=True, kw_only=True)
class FoldedLogistic:
    """The logistic machines that each lack one fold of the rows.

    A solution is an array (m + 1, F k): v of all folds side by side, and b below.

    Attributes
    ----------
    scores : ndarray of shape (m, n)
    ridge : ndarray of shape (m, m)
        P.
    index : ndarray of shape (n,)
        Numbers of the classes.
    n_classes : int
    weights : ndarray of shape (n,)
    fold : ndarray of shape (n,)
        Number of the fold of every row.
    turn : ndarray of shape (m, m) or None
        R^-1 if a solution has u in the place of v, and the scores are R^-1 C.
    unit : float
        Of the intercepts in a solution.
    """

    scores: Array
    ridge: Array
    index: Indices
    n_classes: int
    weights: Array
    fold: Indices
    turn: Array | None = None
    unit: float = 1.0

    @property
    def n_folds(self) -> int:
        """F."""
        return int(self.fold.max()) + 1

    @property
    def n_outputs(self) -> int:
        """k, one for two classes."""
        return 1 if self.n_classes == 2 else self.n_classes

    @cached_property
    def _kept(self) -> Array:
        """The weights (n, F) of rows in the machine without each fold."""
        return np.where(self.fold[:, None] == np.arange(self.n_folds), 0.0, self.weights[:, None])

    def start(self, targets: Array, scale: float) -> Array:
        """Return least squares without each fold, times ``scale``, by which decision values become log-odds."""
        mean = np.average(targets, axis=0, weights=self.weights)
        centred = self.weights[:, None] * (targets - mean)
        whole, found = product(self.scores, centred), []
        for number in range(self.n_folds):
            rows = np.flatnonzero(self.fold == number)
            lacking = self.scores[:, rows]
            system = np.eye(len(lacking)) - outer_gram(lacking * np.sqrt(self.weights[rows]))
            found.append(factorize(system).solve(whole - product(lacking, centred[rows])))
        return scale * np.vstack([np.hstack(found), np.tile(mean, self.n_folds)])

    def turned(self, solution: Array, rho: float) -> tuple[Self, Array]:
        """Return the same machines for searches in u, and a solution there; curvatures are those at the solution.

        Rows have them by the machines without them, so that no label enters. Overwrites the scores. Cost 2 n m^2.
        """
        decision = self.left_out(solution)
        likely = expit(decision) if self.n_outputs == 1 else softmax(decision, axis=1)
        curvature = self.weights * np.maximum(np.mean(likely * (1.0 - likely), axis=1), _LEAST_CURVATURE)
        system = np.asfortranarray(rho * self.ridge)
        for first in range(0, len(curvature), _ROWS):
            rows = slice(first, first + _ROWS)
            system += block_gram(np.ascontiguousarray(self.scores[:, rows] * np.sqrt(curvature[rows])))
        factor, unit = factorize(symmetrize_from_lower(system)).lower, float(1.0 + curvature.sum()) ** -0.5
        turn = triangular_inverse(factor)
        apply_lower(turn, self.scores)
        turn = np.tril(turn)
        found = replace(self, ridge=product(product(turn, self.ridge), turn.T), turn=turn, unit=unit)
        return found, np.vstack([product(np.tril(factor).T, solution[:-1]), solution[-1:] / unit])

    def value_and_gradient(self, solution: Array, rho: float) -> tuple[float, Array]:
        """Return what is minimised, summed over the folds, and its gradient."""
        v, b, kept = solution[:-1], self.unit * solution[-1], self._kept
        decision = product(self.scores.T, v) + b
        if self.n_outputs == 1:
            sign = np.where(self.index == 1, 1.0, -1.0)[:, None]
            margin = sign * decision
            loss, slope = float(np.sum(kept * np.logaddexp(0.0, -margin))), -sign * kept * expit(-margin)
        else:
            rows = np.arange(len(self.index))
            logs = log_softmax(decision.reshape(len(rows), self.n_folds, -1), axis=2)
            loss = -float(np.sum(kept * logs[rows, :, self.index]))
            slopes = np.exp(logs, out=logs)
            slopes[rows, :, self.index] -= 1.0
            slope = (slopes * kept[:, :, None]).reshape(decision.shape)
        pulled = rho * product(self.ridge, v)
        gradient = np.vstack([product(self.scores, slope) + pulled, self.unit * (slope.sum(axis=0) + b)])
        return loss + 0.5 * float(np.sum(v * pulled) + b @ b), gradient

    def minimized(
        self, solution: Array, rho: float, max_iter: int, deadline: Deadline = NEVER, *, tol: float = 1e-5
    ) -> Array:
        """Return what L-BFGS finds from ``solution`` in so many iterations, or until time is up."""

        def objective(x: Array) -> tuple[float, Array]:
            value, gradient = self.value_and_gradient(x.reshape(solution.shape), rho)
            return value, gradient.reshape(-1)

        def stop_in_time(_: Array) -> None:
            if deadline.passed:
                raise StopIteration

        found = minimize(
            objective,
            solution.reshape(-1),
            jac=True,
            method="L-BFGS-B",
            callback=stop_in_time,
            options={"maxiter": max_iter, "ftol": tol},
        )
        return np.asarray(found.x, dtype=float).reshape(solution.shape)

    def left_out(self, solution: Array) -> Array:
        """Return decision values (n, k) of every row by the machine without its fold."""
        decision = product(self.scores.T, solution[:-1]) + self.unit * solution[-1]
        decision = decision.reshape(len(self.index), self.n_folds, -1)
        return np.asarray(decision[np.arange(len(self.index)), self.fold], dtype=float)

    def mean(self, solution: Array) -> tuple[Array, Array]:
        """Return v (m, k) and b (k,) of the machine that predicts."""
        average = solution.reshape(len(solution), self.n_folds, -1).mean(axis=1)
        v = average[:-1] if self.turn is None else product(self.turn.T, average[:-1])
        return v, self.unit * average[-1]
