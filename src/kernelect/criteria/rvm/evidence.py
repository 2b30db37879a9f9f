"""Evidence of a relevance vector machine, plain and with an Occam factor per precision.

Notation as in machines/rvm/posterior.py: E evidence, alpha precisions, gamma_i = 1 - alpha_i
Sigma_ii, x = ln alpha, followed by ln beta if the noise is normal.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernelect.criteria.base import CriterionValue
from kernelect.criteria.rvm.base import RVMCriterion
from kernelect.machines import Fitted
from kernelect.machines.rvm import (
    SparseFit,
    active_design,
    evidence_curvature,
    evidence_gradient,
    evidence_slope,
    latent,
    packed_logarithms,
    posterior_at,
    trace_gradient,
)
from kernelect.typing import Array, Mask

#: ln of the prior's width in alpha (twelve decades), as for the basis search.
_LOG_WIDTH = float(np.log(27.6))

_STEP = 1e-4


class RVMEvidence(RVMCriterion):
    """Minus ln evidence, summed over the target columns (Laplace for labels, exact for normal noise).

    The precisions are at a stationary point of the evidence, so its derivative in the design
    is the partial one. The exception is a precision at its lower bound, which moves with the function's
    spread. It is biased towards narrow kernels: with as many precisions as rows, it hardly penalises them (Kropotov
    et al., section 4).
    """

    name = "evidence"
    words = "the evidence"
    rescales = True
    is_evidence = True

    def value(self, fitted: Fitted) -> CriterionValue:
        value = -sum(sorted(self.merit(fit) for fit in fitted.state.fits))
        return CriterionValue(
            value=value, pointwise=np.column_stack([latent(fit, fitted.gram) for fit in fitted.state.fits])
        )

    def value_and_gradient(self, fitted: Fitted) -> CriterionValue:
        found = self.value(fitted)
        gradient = np.zeros(fitted.gram.shape)
        for fit in sorted(fitted.state.fits, key=self.merit):  # in any order of the classes the same to the last bit
            kernels = fit.active > 0
            by_design = self._merit_gradient(fit, active_design(fit, fitted.gram))
            gradient[:, fit.active[kernels] - 1] -= by_design[:, kernels]
        return CriterionValue(value=found.value, pointwise=found.pointwise, grad_gram=gradient)

    def nats(self, value: float, fitted: Fitted) -> tuple[float, float]:
        return value, 1.0

    def rescaled(self, value: Array, unit: float, n_rows: float) -> Array:
        return value + n_rows * np.log(unit)

    def merit(self, fit: SparseFit) -> float:
        """Return what is minimised, with the opposite sign, of one target column."""
        return fit.log_evidence

    def _merit_gradient(self, fit: SparseFit, design: Array) -> Array:
        by_x = evidence_slope(fit.posterior, design, fit.likelihood)
        return evidence_gradient(fit.posterior, design).design + _through_bounds(fit, design, by_x)


@dataclass(frozen=True)
class RVMOccamEvidence(RVMEvidence):
    """Minus ln evidence, with a charge for every fitted precision.

    ln E + sum_i min(1/2 ln(4 pi / gamma_i) - ln W, 0): the evidence integrated over each ln
    alpha_i under a uniform prior of width W, about 2 nats per vector. This corrects the plain evidence's bias towards
    narrow kernels at no cost. (It was conceived after looking at curves on pima, banana, Ripley's set and moons, so
    these are no independent test of it.)

    Notes
    -----
    The precisions maximise E, not this sum, so they move with the kernel: their move enters by
    implicit differentiation, dx = -(d2E/dx2)^-1 d2E/dx dPhi, with the exact d2E/dx2 and one
    central difference of dE/dPhi along the direction that is wanted.
    """

    log_width: float = _LOG_WIDTH
    name = "occam-evidence"
    words = "the evidence with a penalty for each fitted precision"

    @property
    def price(self) -> float:
        """The charge for a precision that the data determine, the highest there is."""
        return self.log_width - 0.5 * float(np.log(4.0 * np.pi))

    def merit(self, fit: SparseFit) -> float:
        return fit.log_evidence + float(np.minimum(self._charges(fit), 0.0).sum())

    def _charges(self, fit: SparseFit) -> Array:
        gamma = np.maximum(fit.posterior.determination(), 1e-12)
        return np.asarray(0.5 * np.log(4.0 * np.pi / gamma) - self.log_width, dtype=float)

    def _merit_gradient(self, fit: SparseFit, design: Array) -> Array:
        direct = super()._merit_gradient(fit, design)
        if not len(fit.active):
            return direct
        by_x, by_design = self._charge_gradient(fit, design)
        return direct + by_design + through_precisions(fit, design, by_x)

    def _charge_gradient(self, fit: SparseFit, design: Array) -> tuple[Array, Array]:
        """Return the charges' derivatives in x and in the design, precisions held.

        d(-1/2 ln gamma_i) = 1/2 (alpha_i / gamma_i) (Sigma_ii dln alpha_i + dSigma_ii), and
        sum_i c_i dSigma_ii = -tr(R dH) with R = Sigma diag(c) Sigma.
        """
        posterior = fit.posterior
        Sigma = posterior.covariance
        charged = self._charges(fit) < 0.0
        c = np.where(charged, posterior.alpha / np.maximum(posterior.determination(), 1e-12), 0.0)
        R = (Sigma * c) @ Sigma
        trace = trace_gradient(posterior, design, R)
        by_x = trace.log_alpha + 0.5 * c * np.diagonal(Sigma)
        if fit.likelihood.quadratic:  # dH/dln beta = H - A
            by_x = np.append(by_x, -0.5 * float(c @ np.diagonal(Sigma) - posterior.alpha @ np.diagonal(R)))
        return by_x, trace.design


def through_precisions(fit: SparseFit, design: Array, by_x: Array) -> Array:
    """Return by_x^T dx/dPhi at the maximum of E over x.

    Free precisions follow the design and the precisions b at their bounds, dx_f = K_ff^-1
    (d2E/dx_f dPhi dPhi - K_fb dx_b) with K = -d2E/dx2.
    """
    x = packed_logarithms(fit.posterior.alpha, fit.likelihood)
    curvature = evidence_curvature(fit.posterior, design, fit.likelihood)
    free = np.ones(len(x), dtype=bool)
    free[: len(fit.active)] = ~_at_bound(fit, design)
    direction = np.zeros(len(x))
    direction[free] = _ascent_solve(curvature[np.ix_(free, free)], by_x[free])
    step = _STEP / max(float(np.abs(direction).max()), 1e-12)
    ahead, behind = (
        evidence_gradient(posterior_at(fit, design, x + sign * step * direction).posterior, design).design
        for sign in (1, -1)
    )
    followed = np.asarray((ahead - behind) / (2.0 * step), dtype=float)
    return followed + _through_bounds(fit, design, by_x - curvature @ direction)


def _at_bound(fit: SparseFit, design: Array) -> Mask:
    """Return the functions whose precision is the smallest allowed."""
    return fit.posterior.alpha <= 1.001 * fit.likelihood.least_alpha(design)


def _through_bounds(fit: SparseFit, design: Array, by_x: Array) -> Array:
    """Return by_x^T dx/dPhi of the precisions at their bounds, which move with the functions' spread."""
    bounded = np.where(_at_bound(fit, design), by_x[: len(fit.active)], 0.0)
    return fit.likelihood.least_alpha_slope(design) * bounded if bounded.any() else np.zeros(design.shape)


def _ascent_solve(negative_curvature: Array, right: Array) -> Array:
    """Solve with the curvature at a maximum; directions that rounding has made flat are left out."""
    values, vectors = np.linalg.eigh(negative_curvature)
    kept = values > 1e-8 * max(float(values.max(initial=0.0)), 1e-300)
    return np.asarray(vectors[:, kept] @ ((vectors[:, kept].T @ right) / values[kept]), dtype=float)
