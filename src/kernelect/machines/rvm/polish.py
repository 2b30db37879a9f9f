"""Exact ascent of the evidence in ln alpha (and ln beta) on a given set of functions.

Notation as in rvm_posterior.py; beta the noise precision of normal targets, gamma_i = 1 -
alpha_i Sigma_ii.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import qr

from kernelect.machines.rvm.ascent import ascend
from kernelect.machines.rvm.curvature import ROUGH_LEVERAGE, evidence_curvature
from kernelect.machines.rvm.likelihoods import Likelihood, Normal
from kernelect.machines.rvm.posterior import EXACT, Posterior, find_mode, precision_slope
from kernelect.typing import Array, Indices

#: Largest alpha, relative to the sum of squares of its function (times beta for normal noise).
_LARGEST_ALPHA = 1e8

#: Relative rise of the evidence at which the ascent ends: its slopes in the kernel's parameters
#: are then good to about the square root.
_TOL = 1e-9

#: A weight that the data determine to less than this part of its prior is taken out.
_UNDETERMINED = 1e-3

#: Below this part it is taken out where the evidence does not fall.
_FADING = 0.1


@dataclass(frozen=True)
class SparseFit:
    """Active functions and their posterior.

    ``active`` holds columns of the dictionary, in increasing order; 0 is the constant.
    """

    active: Indices
    posterior: Posterior
    likelihood: Likelihood

    @property
    def log_evidence(self) -> float:
        """The evidence of the model, in nats."""
        return self.posterior.log_evidence


def solve_at(
    values: Array,
    active: Indices,
    alpha: Array,
    likelihood: Likelihood,
    start: Array | None = None,
    tol: float = EXACT,
) -> SparseFit:
    """Return the fit for given functions and precisions, with ``active`` sorted; ``start`` is near the weights."""
    order = np.argsort(active)
    active, start = active[order], None if start is None else start[order]
    return SparseFit(active, find_mode(values[:, active], alpha[order], likelihood, start, tol), likelihood)


@dataclass(frozen=True)
class Aim:
    """How far a polish should go.

    Parameters
    ----------
    tol : float
        Rise of the evidence, relative to its size, at which it ends.
    goal : float
        Evidence that is wanted: an ascent that will not reach it is given up.
    """

    tol: float = _TOL
    goal: float = -np.inf


def polish(values: Array, fit: SparseFit, aim: Aim | None = None) -> SparseFit:
    """Raise the evidence to a stationary point, and take out what the data do not determine.

    ``values`` (n, M) is the dictionary. The result has no lower evidence than the fit exactly at its
    mode and within the bounds of its precisions, up to the thousandths of a nat that an undetermined
    weight was worth.
    """
    aim = aim or Aim()
    fit, done = _polished(values, fit, _FADING, aim)
    return fit if done else _polished(values, fit, _UNDETERMINED, aim)[0]


def _polished(values: Array, fit: SparseFit, share: float, aim: Aim) -> tuple[SparseFit, bool]:
    """Ascend and take out what falls below ``share``; says whether that was possible.

    A function on its way out takes many steps, in each of which its precision grows by a
    factor of e: it is taken out early where that does not lower the evidence.
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
    """Return the same functions at other precisions ``x``: ln alpha, then ln beta where there is one."""
    alpha, likelihood = _unpacked(x, fit.likelihood)
    return SparseFit(fit.active, find_mode(design, alpha, likelihood, _followed(fit.posterior, alpha)), likelihood)


@dataclass(frozen=True)
class _Point:
    """The evidence at one packed vector, and its derivatives."""

    posterior: Posterior
    design: Array
    likelihood: Likelihood
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
    rows, likelihood = _fewer_rows(design, fit.likelihood)
    start = packed(fit.posterior.alpha, likelihood)
    lower, upper = _bounds(start, design, fit.likelihood)

    def at(x: Array, near: _Point | None) -> _Point:
        alpha, trial = _unpacked(x, likelihood)
        guess = fit.posterior.weights if near is None else _followed(near.posterior, alpha)
        return _Point(find_mode(rows, alpha, trial, guess), rows, trial, share)

    tol = aim.tol * (1.0 + abs(fit.log_evidence))
    # Not compared with the fit's own evidence: away from the mode, if only roughly at it, that may be too high.
    x, top = ascend(at, np.clip(start, lower, upper), lower, upper, tol=tol, goal=aim.goal)
    return _on_all_rows(fit, design, x, top.posterior)


def _on_all_rows(fit: SparseFit, design: Array, x: Array, posterior: Posterior) -> SparseFit:
    """Return the fit at ``x``, whose posterior is known where the likelihood has kept its rows."""
    _, likelihood = _unpacked(x, fit.likelihood)
    if len(posterior.slopes.error) < len(design):
        posterior = find_mode(design, posterior.alpha, likelihood, posterior.weights)
    return SparseFit(fit.active, posterior, likelihood)


def _followed(posterior: Posterior, alpha: Array) -> Array:
    """Return about where the weights go with new precisions: Newton's step with B held."""
    change = posterior.covariance * (alpha - posterior.alpha)
    w = posterior.weights
    return w - np.linalg.solve(np.eye(len(w)) + change, change @ w)


def _fewer_rows(design: Array, likelihood: Likelihood) -> tuple[Array, Likelihood]:
    """Return m + 1 rows with the same sums of squares where the noise is normal, else all rows."""
    n, m = design.shape
    if not isinstance(likelihood, Normal) or n <= m + 1:
        return design, likelihood
    root = np.sqrt(likelihood.sample_weight)
    R = qr(np.column_stack([design, likelihood.targets]) * root[:, None], mode="r", check_finite=False)[0][: m + 1]
    return R[:, :-1], Normal(R[:, -1], np.ones(m + 1), likelihood.precision, likelihood.count)


def packed(alpha: Array, likelihood: Likelihood) -> Array:
    """Return ln alpha, then ln beta where there is one."""
    logs = np.log(alpha)
    return np.append(logs, np.log(likelihood.precision)) if isinstance(likelihood, Normal) else logs


def _unpacked(x: Array, likelihood: Likelihood) -> tuple[Array, Likelihood]:
    if not isinstance(likelihood, Normal):
        return np.exp(x), likelihood
    return np.exp(x[:-1]), _with_precision(likelihood, x[-1])


def _with_precision(likelihood: Likelihood, log_precision: float) -> Likelihood:
    assert isinstance(likelihood, Normal)
    return likelihood.with_precision(float(np.exp(log_precision)))


def evidence_slope(posterior: Posterior, design: Array, likelihood: Likelihood) -> Array:
    """Return the derivative of ln E in ln alpha, then in ln beta where there is one."""
    by_alpha = precision_slope(posterior, design)
    if not isinstance(likelihood, Normal):
        return by_alpha
    # dE/dln beta = 1/2 (N - beta |t - Phi w|^2 - sum gamma), and e = beta s (t - Phi w)
    misfit = float(posterior.slopes.error**2 @ (1.0 / posterior.slopes.curvature))
    gamma = 1.0 - posterior.alpha * np.diagonal(posterior.covariance)
    return np.append(by_alpha, 0.5 * (likelihood.count - misfit - float(gamma.sum())))


def _bounds(start: Array, design: Array, likelihood: Likelihood) -> tuple[Array, Array]:
    """Return bounds of the packed vector; the noise may fall to the floor."""
    least = np.log(likelihood.least_alpha(design))
    precision = likelihood.precision if isinstance(likelihood, Normal) else 1.0
    lower, upper = least, np.log(_LARGEST_ALPHA * precision * (likelihood.sample_weight @ design**2))
    if not isinstance(likelihood, Normal):
        return lower, upper
    s, t = likelihood.sample_weight, likelihood.targets
    most = np.log(likelihood.count / max(NOISE_FLOOR * float(s @ t**2), 1e-300))
    least = np.log(likelihood.count / max(2.0 * float(s @ t**2), 1e-300))
    return np.append(lower, min(least, start[-1])), np.append(upper, max(most, start[-1]))


#: The noise's share of the targets' sum of squares never falls below this.
NOISE_FLOOR = 1e-12
