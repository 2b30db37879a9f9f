"""The span estimate of the leave-one-out error.

Notation as in machines/svm/machine.py; S_i the span of support vector i: the distance of its image from
the span of the free support vectors' images. Leaving row i out lowers its margin by
alpha_i S_i^2, exactly where no other row changes sides, so row i is an error if
x_i = alpha_i S_i^2 - z_i > 0. M = K + diag(e) with e = 1/C_i for quadratic slack, where z_i -> 1.

    free rows      S_i^2 = 1 / [M_FF^-1]_ii
    bounded rows   S_h^2 = M_hh - M_hF M_FF^-1 M_Fh

Smoothed (Gold & Sollich 2003, after eq. 12, who follow Chapelle et al. 2002): a row that is about
to leave the free set loses its weight t_i gradually, M_FF -> M_FF + eta diag(1/t), and the step
becomes a sigmoid sigma(c1 x - c2). With B = T^1/2 M_FF T^1/2 + eta I, R = B^-1, V = T^1/2 M_Fh,

    t_i S_i^2 = 1/R_ii - eta,    S_h^2 = M_hh - v_h^T R v_h,

which does not subtract the two huge numbers of the printed form. Quadratic slack: t = alpha.
Linear slack, which the papers leave open: t = 32 alpha (C_i - alpha) / C_i, 0 at both bounds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from kernelect.criteria.base import CriterionValue
from kernelect.criteria.svm.binary import ErrorEstimate, MachineAdjoint
from kernelect.machines import BinarySVM
from kernelect.numerics import CholeskyFactor, factorize
from kernelect.typing import Array

_TINY = 1e-14

#: With t = alpha (C_i - alpha) / C_i <= C_i / 4 alone, eta = 1 would hide most of the span.
_LINEAR_WEIGHT = 32.0


def span_corrected_margins(machine: BinarySVM) -> Array:
    """Return z_i - alpha_i S_i^2: the margins of all rows when each is left out, by the span rule."""
    p, z = machine, machine.margins.copy()
    spans = np.zeros(0)
    if p.factor is not None:
        # z of quadratic slack is 1 - alpha/C_i, and 1/C_i is part of M
        z[p.free] = 1.0 - p.alpha[p.free] / p.factor.inverse_diagonal()
    if len(p.bounded):
        spans = p.diagonal[p.bounded]
        if p.factor is not None:
            half = p.factor.half_solve(p.gram[np.ix_(p.free, p.bounded)])
            spans = spans - np.einsum("ij,ij->j", half, half)
        z[p.bounded] -= p.alpha[p.bounded] * np.maximum(spans, 0.0)
    return z


class UnsmoothedSpan(ErrorEstimate):
    """The share of rows that the span rule counts as leave-one-out errors (eq. 12); it jumps."""

    name = "unsmoothed-span"
    words = "the span estimate of the leave-one-out error"
    has_gradient = False

    def _value(self, machine: BinarySVM) -> CriterionValue:
        margins = span_corrected_margins(machine)
        return CriterionValue(value=float(np.average(margins <= 0.0, weights=machine.weights)), pointwise=margins)


@dataclass(frozen=True)
class Span(ErrorEstimate):
    """Smoothed span estimate, (1/n) sum_i sigma(c1 x_i - c2) over all n rows.

    Rows that are no support vectors count sigma(-c1 - c2); without them the sum would jump.

    Parameters
    ----------
    c1, c2, eta : float
        The paper's constants.

    Notes
    -----
    Continuous, with kinks when a row changes sides. It has many local minima, some nats apart, and the gradient need
    not vanish if a search has converged; restarts (``n_restarts=3``) may find a lower one. Cost: Cholesky and
    inverse of the order of the free support vectors, and two products for the gradient.

    References
    ----------
    O. Chapelle, V. Vapnik, O. Bousquet, S. Mukherjee. Choosing multiple parameters for support
    vector machines. Machine Learning 46 (2002) 131-159.
    """

    c1: float = 5.0
    c2: float = 0.0
    eta: float = 1.0
    name = "span"
    words = "the smoothed span estimate of the leave-one-out error"
    has_kinks = True

    def _value(self, machine: BinarySVM) -> CriterionValue:
        spans = _Spans.of(machine, self.eta)
        rates = expit(self.c1 * _excess(machine, spans) - self.c2)
        return CriterionValue(value=float(np.average(rates, weights=machine.weights)), pointwise=rates)

    def _value_and_gradient(self, machine: BinarySVM) -> CriterionValue:
        p, spans = machine, _Spans.of(machine, self.eta)
        rates = expit(self.c1 * _excess(p, spans) - self.c2)
        slopes = self.c1 * rates * (1.0 - rates) * p.weights  # N dE/dx
        adjoint = MachineAdjoint(p)
        if len(p.free):
            _add_spans(p, spans, slopes, adjoint)
        h = p.bounded
        adjoint.add_diagonal(h, slopes[h] * p.alpha[h])
        adjoint.by_beta[h] += p.labels[h] * slopes[h] * spans.bounded
        adjoint.by_margin[h] -= slopes[h]
        total = float(p.weights.sum())
        gradient, by_C = adjoint.carried(1.0 / total)
        return CriterionValue(
            value=float(rates @ p.weights) / total, pointwise=rates, grad_gram=gradient, grad_regularization=by_C
        )


@dataclass(frozen=True, kw_only=True)
class _Spans:
    """t, the factor of B, V, and the smoothed spans."""

    t: Array  # (f,)
    ratio: Array  # (f,) alpha_i / t_i
    M: Array  # (f, f)
    factor: CholeskyFactor | None  # of B
    V: Array  # (f, h)
    free: Array  # (f,) t_i S_i^2
    bounded: Array  # (h,) S_h^2

    @classmethod
    def of(cls, p: BinarySVM, eta: float) -> _Spans:
        alpha, box = p.alpha[p.free], p.box[p.free]
        room = np.ones(len(alpha)) if p.quadratic else _LINEAR_WEIGHT * np.maximum(1.0 - alpha / box, _TINY)
        t = np.maximum(alpha, _TINY * box) * room
        bounded = p.diagonal[p.bounded]
        empty = np.zeros((0, 0))
        if not len(t):
            return cls(
                t=t, ratio=1.0 / room, M=empty, factor=None, V=np.zeros((0, len(bounded))), free=t, bounded=bounded
            )
        M, root = p.free_block(), np.sqrt(t)
        factor = factorize(root[:, None] * M * root, eta)
        V = root[:, None] * p.gram[np.ix_(p.free, p.bounded)]
        if len(bounded):
            half = factor.half_solve(V)
            bounded = np.maximum(bounded - np.einsum("ij,ij->j", half, half), 0.0)
        return cls(
            t=t, ratio=1.0 / room, M=M, factor=factor, V=V, free=1.0 / factor.inverse_diagonal() - eta, bounded=bounded
        )


def _excess(p: BinarySVM, spans: _Spans) -> Array:
    """Return x: -1 if a row is no support vector."""
    x = np.full(len(p.labels), -1.0)
    x[p.free] += spans.ratio * spans.free
    x[p.bounded] = p.alpha[p.bounded] * spans.bounded - p.margins[p.bounded]
    return x


def _add_spans(p: BinarySVM, spans: _Spans, slopes: Array, adjoint: MachineAdjoint) -> None:
    """Add the derivatives of sum_i slopes_i x_i through B, V and t."""
    assert spans.factor is not None
    free, h = p.free, p.bounded
    alpha, box, root = p.alpha[free], p.box[free], np.sqrt(spans.t)
    R = spans.factor.inverse()
    by_spans = slopes[free] * spans.ratio
    # d(1/R_ii) = [R dB R]_ii / R_ii^2;  dS_h^2 = dM_hh - 2 dv^T R v + v^T R dB R v
    left = R * (np.sqrt(by_spans) / np.diagonal(R))
    by_B = left @ left.T
    by_t = np.zeros(len(free))
    if len(h):
        weights = slopes[h] * p.alpha[h]
        RV = R @ spans.V
        by_B += (RV * weights) @ RV.T
        by_V = -2.0 * RV * weights
        by_cross = 0.5 * root[:, None] * by_V
        adjoint.block[np.ix_(adjoint.at_free, adjoint.at_bounded)] += by_cross
        adjoint.block[np.ix_(adjoint.at_bounded, adjoint.at_free)] += by_cross.T
        by_t += 0.5 * np.einsum("ij,ij->i", by_V, spans.V) / spans.t
    adjoint.add_free_block(root[:, None] * by_B * root)
    by_t += np.einsum("ij,ij->i", by_B * root, spans.M) / root
    by_alpha, by_box = by_t, np.zeros(len(free))
    if not p.quadratic:
        room = 1.0 / spans.ratio  # w (1 - alpha/C_i) with the weight w: t = alpha room, ratio = 1/room
        through_ratio = _LINEAR_WEIGHT * slopes[free] * spans.free * spans.ratio**2
        by_alpha = by_t * (2.0 * room - _LINEAR_WEIGHT) + through_ratio / box
        by_box = by_t * _LINEAR_WEIGHT * (alpha / box) ** 2 - through_ratio * alpha / box**2
    adjoint.by_beta[free] += p.labels[free] * by_alpha
    adjoint.by_C += float(np.sum(by_box * p.weights[free]))
