"""Exact ascent of the evidence in ln alpha (and ln beta) on a given set of functions.

Notation as in posterior.py; beta the noise precision of normal targets, gamma_i = 1 -
alpha_i Sigma_ii.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernelect.machines.rvm.ascent import ascend
from kernelect.machines.rvm.curvature import ROUGH_LEVERAGE, evidence_curvature
from kernelect.machines.rvm.likelihoods import TargetLikelihood
from kernelect.machines.rvm.posterior import EXACT, Posterior, find_mode, precision_slope
from kernelect.numerics import NEVER, Deadline
from kernelect.typing import Array, Indices

#: Largest alpha, relative to the sum of squares of its function (times beta for normal noise).
_LARGEST_ALPHA = 1e8

#: Relative rise of the evidence at which the ascent ends: its slopes in the kernel's parameters
#: are then good to about the square root.
_TOL = 1e-9

#: A weight that the data determine to less than this part of its prior is taken out.
_UNDETERMINED = 1e-3

#: Below this part it is taken out if the evidence does not fall.
_FADING = 0.1


@dataclass(frozen=True)
class SparseFit:
    """Active functions and their posterior.

    ``active`` holds columns of the candidate functions, in increasing order; 0 is the constant.
    """

    active: Indices
    posterior: Posterior
    likelihood: TargetLikelihood

    @property
    def log_evidence(self) -> float:
        """The evidence of the model, in nats."""
        return self.posterior.log_evidence


def solve_at(
    values: Array,
    active: Indices,
    alpha: Array,
    likelihood: TargetLikelihood,
    start: Array | None = None,
    tol: float = EXACT,
) -> SparseFit:
    """Return the fit for given functions and precisions, with ``active`` sorted; ``start`` is near the weights."""
    order = np.argsort(active)
    active, start = active[order], None if start is None else start[order]
    return SparseFit(active, find_mode(values[:, active], alpha[order], likelihood, start, tol), likelihood)


@dataclass(frozen=True, kw_only=True)
class Aim:
    """How far a polish should go.

    Parameters
    ----------
    tol : float
        The polish ends when the evidence rises by less than this, relative to its size.
    goal : float
        Evidence to reach: an ascent that will not reach it stops early.
    deadline : Deadline
        When to stop, wherever the ascent is then.
    """

    tol: float = _TOL
    goal: float = -np.inf
    deadline: Deadline = NEVER


def polish(values: Array, fit: SparseFit, aim: Aim | None = None) -> SparseFit:
    """Raise the evidence to a stationary point, and remove functions that the data do not determine.

    ``values`` (n, M) holds all candidate functions. The evidence of the result is not lower than that of the fit
    exactly at its mode and within the bounds of its precisions, except for the thousandths of a nat that an
    undetermined weight was worth.
    """
    aim = aim or Aim()
    fit, done = _polished(values, fit, _FADING, aim)
    return fit if done else _polished(values, fit, _UNDETERMINED, aim)[0]


def _polished(values: Array, fit: SparseFit, share: float, aim: Aim) -> tuple[SparseFit, bool]:
    """Ascend and take out what falls below ``share``; returns whether that was possible.

    A function on its way out takes many steps, in each of which its precision grows by a
    factor of e: it is taken out early if that does not lower the evidence.
    """
    while len(fit.active):
        fit = _ascend(values, fit, share, aim)
        kept = fit.posterior.determination() >= share
        if kept.all():
            break
        without = solve_at(
            values, fit.active[kept], fit.posterior.alpha[kept], fit.likelihood, fit.posterior.weights[kept]
        )
        if share > _UNDETERMINED and without.log_evidence < fit.log_evidence:
            return fit, False
        fit = without
    return fit, True


def posterior_at(fit: SparseFit, design: Array, x: Array) -> SparseFit:
    """Return the same functions at other precisions ``x``: ln alpha, then ln beta if there is one."""
    alpha, likelihood = _unpacked(x, fit.likelihood)
    return SparseFit(fit.active, find_mode(design, alpha, likelihood, _followed(fit.posterior, alpha)), likelihood)


@dataclass(frozen=True)
class _Point:
    """The evidence at one packed vector, and its derivatives."""

    posterior: Posterior
    design: Array
    likelihood: TargetLikelihood
    share: float

    @property
    def value(self) -> float:
        return self.posterior.log_evidence

    @property
    def ended(self) -> bool:
        """Whether a function is to be taken out before the ascent goes on."""
        return bool(np.any(self.posterior.determination() < self.share))

    def slope(self) -> Array:
        return evidence_slope(self.posterior, self.design, self.likelihood)

    def curvature(self) -> Array:
        return evidence_curvature(self.posterior, self.design, self.likelihood, ROUGH_LEVERAGE)


def _ascend(values: Array, fit: SparseFit, share: float, aim: Aim) -> SparseFit:
    """Climb to the top, or to where a weight is determined to less than ``share``."""
    design = values[:, fit.active]
    rows, likelihood = fit.likelihood.condensed(design)
    start = packed_logarithms(fit.posterior.alpha, likelihood)
    lower, upper = _bounds(start, design, fit.likelihood)

    def at(x: Array, near: _Point | None) -> _Point:
        alpha, trial = _unpacked(x, likelihood)
        guess = fit.posterior.weights if near is None else _followed(near.posterior, alpha)
        return _Point(find_mode(rows, alpha, trial, guess), rows, trial, share)

    tol = aim.tol * (1.0 + abs(fit.log_evidence))
    # Not compared with the fit's own evidence: away from the mode, if only roughly at it, that may be too high.
    x, top = ascend(at, np.clip(start, lower, upper), lower, upper, tol=tol, goal=aim.goal, deadline=aim.deadline)
    return _on_all_rows(fit, design, x, top.posterior)


def _on_all_rows(fit: SparseFit, design: Array, x: Array, posterior: Posterior) -> SparseFit:
    """Return the fit at ``x``, whose posterior is known if the likelihood has kept its rows."""
    _, likelihood = _unpacked(x, fit.likelihood)
    if len(posterior.slopes.error) < len(design):
        posterior = find_mode(design, posterior.alpha, likelihood, posterior.weights)
    return SparseFit(fit.active, posterior, likelihood)


def _followed(posterior: Posterior, alpha: Array) -> Array:
    """Return about where the weights go with new precisions: Newton's step with B held."""
    change = posterior.covariance * (alpha - posterior.alpha)
    w = posterior.weights
    return w - np.linalg.solve(np.eye(len(w)) + change, change @ w)


def packed_logarithms(alpha: Array, likelihood: TargetLikelihood) -> Array:
    """Return ln alpha, then ln beta if there is one."""
    return np.concatenate([np.log(alpha), likelihood.log_noise()])


def _unpacked(x: Array, likelihood: TargetLikelihood) -> tuple[Array, TargetLikelihood]:
    alpha, noise = np.split(np.exp(x), [len(x) - len(likelihood.log_noise())])
    return alpha, likelihood.with_noise_precision(float(noise[0])) if len(noise) else likelihood


def evidence_slope(posterior: Posterior, design: Array, likelihood: TargetLikelihood) -> Array:
    """Return the derivative of ln E in ln alpha, then in ln beta if there is one."""
    gamma = 1.0 - posterior.alpha * np.diagonal(posterior.covariance)
    return np.concatenate([precision_slope(posterior, design), likelihood.log_noise_slope(posterior.slopes, gamma)])


def _bounds(start: Array, design: Array, likelihood: TargetLikelihood) -> tuple[Array, Array]:
    """Return bounds of the packed vector; a noise beyond its own bounds may stay where it is."""
    largest = _LARGEST_ALPHA * likelihood.noise_precision * (likelihood.sample_weight @ design**2)
    low, high = likelihood.log_noise_bounds()
    own = start[len(largest) :]
    lower = np.concatenate([np.log(likelihood.least_alpha(design)), np.minimum(low, own)])
    return lower, np.concatenate([np.log(largest), np.maximum(high, own)])
