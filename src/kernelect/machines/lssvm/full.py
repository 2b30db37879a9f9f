"""The least-squares support vector machine by Cholesky.

Notation (Cawley & Talbot 2007, eqs 7-12): K (n, n) Gram matrix, mu > 0 ridge, s_i sample
weights, M = K + mu diag(1/s), y (n, k) targets, rho = M^-1 1, total = 1^T rho, b intercept,
alpha dual coefficients, P = M^-1 - rho rho^T / total the leading block of the bordered
inverse, c = diag P, r_i leave-one-out residuals.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import blas

from kernelect.machines.base import KernelExpansion, Machine, factorisation
from kernelect.numerics import CholeskyFactor, factorize
from kernelect.typing import Array


@dataclass(frozen=True, kw_only=True)
class LSSVMState:
    """The solution, with the parts that leave-one-out needs."""

    dual_coef: Array  # (n, k) alpha
    intercept: Array  # (k,) b
    factor: CholeskyFactor
    ones_solution: Array  # (n,) rho
    ones_total: float

    def bordered_inverse(self) -> Array:
        """Return P, with alpha = P y. The inverse itself is needed, for its diagonal and for adjoints."""
        P = self.factor.inverse()
        rho = self.ones_solution
        P = blas.dger(-1.0 / self.ones_total, rho, rho, a=P, overwrite_a=1)
        return np.asarray(P, dtype=float)

    def bordered_diagonal(self) -> Array:
        """Return c = diag P in n^3/3: the squared columns of L^-1 sum to diag M^-1.

        (The paper writes row sums; with S = L^-1 it is sum_{j >= i} s_ji^2.)
        """
        return self.factor.inverse_diagonal() - self.ones_solution * (self.ones_solution / self.ones_total)

    def leave_one_out_residuals(self, diagonal: Array) -> Array:
        """Return y_i minus the prediction of the machine trained without row i, exactly."""
        return np.asarray(self.dual_coef / diagonal[:, None], dtype=float)


class LSSVM(Machine[LSSVMState]):
    """Minimises |w|^2/2 + sum_i s_i e_i^2 / (2 mu) with an unpenalised intercept.

    All outputs share one kernel and one factorisation. Cost n^3/3.
    """

    name = "lssvm"
    differentiable = True

    def fit(
        self, gram: Array, targets: Array, regularization: float, weights: Array, warm: LSSVMState | None = None
    ) -> LSSVMState:
        factor = factorize(gram, regularization / weights)
        level = targets.mean(axis=0)  # the intercept takes it up; solved for, it costs the digits that it has
        solutions = factor.solve(np.column_stack([np.ones(len(gram)), targets - level]))
        rho, v = solutions[:, 0], solutions[:, 1:]
        total = float(rho.sum())
        intercept = v.sum(axis=0) / total
        return LSSVMState(
            dual_coef=v - np.outer(rho, intercept),
            intercept=level + intercept,
            factor=factor,
            ones_solution=rho,
            ones_total=total,
        )

    def work(self, n_rows: float, n_outputs: int) -> float:
        """Return the operations of PRESS and its gradient: 6.5 factorisations, which all outputs share."""
        return 6.5 * factorisation(n_rows)

    def decide(self, state: LSSVMState, cross: Array) -> Array:
        return KernelExpansion(dual_coef=state.dual_coef, intercept=state.intercept).decide(cross)

    def coefficient_pullback(self, state: LSSVMState, weights: Array, cotangent: Array) -> tuple[Array, float]:
        """Return the derivative of ``sum(cotangent * dual_coef)`` in the Gram matrix and in mu.

        d alpha = -P dM alpha, hence -sym((P cotangent) alpha^T), with the intercept held fixed.
        """
        lam = self.bordered_solve(state, cotangent)
        outer = lam @ state.dual_coef.T
        gradient = -0.5 * (outer + outer.T)
        return gradient, float(np.sum(np.diagonal(gradient) / weights))

    @staticmethod
    def bordered_solve(state: LSSVMState, right: Array) -> Array:
        """Return P right without forming P."""
        solved = state.factor.solve(right)
        return np.asarray(solved - np.outer(state.ones_solution, solved.sum(axis=0) / state.ones_total), dtype=float)
