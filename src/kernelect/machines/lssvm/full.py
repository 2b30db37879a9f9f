"""The least-squares support vector machine by Cholesky.

Notation (Cawley & Talbot 2007, eqs 7-12): K (n, n) Gram matrix, mu > 0 ridge, s_i sample
weights, M = K + mu diag(1/s), y (n, k) targets, rho = M^-1 1, total = 1^T rho, b intercept,
alpha dual coefficients, P = M^-1 - rho rho^T / total the leading block of the bordered
inverse, c = diag P, r_i leave-one-out residuals.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernelect.machines.base import KernelExpansion, Machine, factorisation
from kernelect.numerics import Bordered, factorize
from kernelect.typing import Array


@dataclass(frozen=True, kw_only=True)
class LSSVMState(Bordered):
    """The solution, with the parts that leave-one-out needs."""

    dual_coef: Array  # (n, k) alpha
    intercept: Array  # (k,) b

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
        lam = state.bordered_solve(cotangent)
        outer = lam @ state.dual_coef.T
        gradient = -0.5 * (outer + outer.T)
        return gradient, float(np.sum(np.diagonal(gradient) / weights))
