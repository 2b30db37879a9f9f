"""Laplace approximations to the evidence of support vector machines.

Notation as in machines/svm/machine.py; kappa(C) the normalisation of the likelihood, K_m the Gram matrix
of the marginal support vectors, N = sum_i s_i,

    N ln Q* = -1/2 sum_i alpha_i z_i - sum_i C_i l(z_i) + N ln kappa(C),
    value   = -ln Q* + 1/(2 N) ln det(I + L K_m),
    p = 1:  L_i = 2 pi [alpha_i (C_i - alpha_i) / C_i]^2,     p = 2:  L_i = C_i exp(-a C_i / alpha_i).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernelect.criteria.base import CriterionValue
from kernelect.criteria.svm.binary import BinaryCriterion, MachineAdjoint
from kernelect.machines import BinarySVM, Fitted
from kernelect.machines.ep.slack import log_kappa
from kernelect.numerics import CholeskyFactor, factorize
from kernelect.typing import Array

#: Within this of its limit -ln kappa(C), per sample, the value says nothing about the labels.
_DEGENERATE = 0.05


@dataclass(frozen=True)
class LaplaceEvidence(BinaryCriterion):
    """Minus the Laplace approximation to (1/n) ln evidence, eqs 15-16 and 17 of Gold & Sollich.

    Parameters
    ----------
    smoothing : float
        a of eq. 17, for quadratic slack.

    Notes
    -----
    Neither approximation has a proper maximum: as the kernel's amplitude grows, alpha falls as
    its inverse, the determinant goes to 1 and the evidence to ln kappa(C), whatever the labels
    are, and from there to 0 as C grows. It is here to reproduce the paper. A search ends at the bounds of amplitude
    and C, and the status reports it.

    The value costs one Cholesky factorisation of the order of the marginal support vectors. The gradient also needs
    its inverse and a triangular solve.

    References
    ----------
    C. Gold, P. Sollich. Model selection for support vector machine classification.
    Neurocomputing 55 (2003) 221-249.
    """

    smoothing: float = 0.1
    name = "laplace-evidence"
    words = "the evidence (Laplace's approximation)"
    scale_invariant = False

    def _value(self, machine: BinarySVM) -> CriterionValue:
        L, _, _ = self._curvature(machine)
        half = 0.5 * _smoothed_factor(machine, L).log_determinant() if len(L) else 0.0
        total = float(machine.weights.sum())
        return CriterionValue(value=(_most_probable(machine) + half) / total, pointwise=machine.margins)

    def _value_and_gradient(self, machine: BinarySVM) -> CriterionValue:
        p, adjoint = machine, MachineAdjoint(machine)
        value = _most_probable(p)
        at = adjoint.support
        adjoint.block -= 0.5 * np.outer(p.beta[at], p.beta[at])
        adjoint.by_ridge -= 0.5 * p.beta**2
        total = float(p.weights.sum())
        adjoint.by_C -= total * log_kappa(p.C, quadratic=p.quadratic)[1]
        if not p.quadratic:
            adjoint.by_C += float(p.weights @ p.slacks)
        if len(p.free):
            value += self._add_determinant(p, adjoint)
        gradient, by_C = adjoint.carried(1.0 / total)
        return CriterionValue(value=value / total, pointwise=p.margins, grad_gram=gradient, grad_regularization=by_C)

    def _add_determinant(self, p: BinarySVM, adjoint: MachineAdjoint) -> float:
        """Return 1/2 ln det(I + L K_m) and add its derivatives."""
        L, by_alpha, by_box = self._curvature(p)
        factor, root = _smoothed_factor(p, L), np.sqrt(L)
        # d/dK_m = P/2 with P = (K_m + L^-1)^-1, d/dL_i = q_i/2 with q = diag(K_m - K_m P K_m)
        P = root[:, None] * factor.inverse() * root
        adjoint.add_free_block(0.5 * P, ridge=not p.quadratic)
        K = _marginal_block(p)
        half = factor.half_solve(root[:, None] * K)
        q = np.maximum(np.diagonal(K) - np.einsum("ij,ij->j", half, half), 0.0)
        adjoint.by_beta[p.free] += 0.5 * p.labels[p.free] * q * by_alpha
        adjoint.by_C += 0.5 * float(np.sum(q * by_box * p.weights[p.free]))
        return 0.5 * factor.log_determinant()

    def _curvature(self, p: BinarySVM) -> tuple[Array, Array, Array]:
        """Return L on the free rows and its derivatives in alpha and in C_i."""
        alpha, box = p.alpha[p.free], p.box[p.free]
        if p.quadratic:
            alpha = np.maximum(alpha, 1e-12 * box)
            a = self.smoothing
            L = box * np.exp(-a * box / alpha)
            return L, L * a * box / alpha**2, L / box - a * L / alpha
        t = alpha * (box - alpha) / box
        return 2 * np.pi * t**2, 4 * np.pi * t * (box - 2 * alpha) / box, 4 * np.pi * t * (alpha / box) ** 2

    def nats(self, value: float, fitted: Fitted) -> tuple[float, float]:
        """The value is minus a log evidence per sample."""
        n = float(fitted.weights.sum())
        return n * value, n

    def doubt(self, fitted: Fitted) -> str:
        """Tell the limit that the approximation reaches whatever the labels are."""
        k = fitted.targets.shape[1]
        limit = -log_kappa(fitted.regularization, quadratic=fitted.machine.slack == "quadratic")[0]  # type: ignore[attr-defined]
        if self.value(fitted).value / k - limit > _DEGENERATE:
            return ""
        return (
            "the Laplace evidence is at its degenerate limit ln kappa(C), which it reaches for any labels as the "
            "amplitude grows; prefer criterion='span'"
        )


def _most_probable(p: BinarySVM) -> float:
    """Return -N ln Q*."""
    slacks, box = p.slacks, p.box
    loss = 0.5 * float(box @ slacks**2) if p.quadratic else float(box @ slacks)
    support = np.concatenate([p.free, p.bounded])
    prior = 0.5 * float(p.alpha[support] @ p.margins[support])
    return prior + loss - float(p.weights.sum()) * log_kappa(p.C, quadratic=p.quadratic)[0]


def _marginal_block(p: BinarySVM) -> Array:
    """Return K_m: the prior's covariance, so without 1/C for quadratic slack."""
    return p.gram[np.ix_(p.free, p.free)] if p.quadratic else p.free_block()


def _smoothed_factor(p: BinarySVM, L: Array) -> CholeskyFactor:
    """Return the factor of I + L^1/2 K_m L^1/2."""
    root = np.sqrt(L)
    return factorize(root[:, None] * _marginal_block(p) * root, 1.0)
