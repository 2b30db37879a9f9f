"""How far a machine's solution is from its own definition: one function per machine, loops and no cleverness."""

import numpy as np

from kernelect.machines import EP, LSSVM, RVM, SVM
from oracles.rvm import laplace_evidence, normal_evidence


def least_squares(machine, state, gram, targets, constant, weights):
    """The bordered linear system, Cawley & Talbot (2007), eq. 8."""
    system = (gram + np.diag(constant / weights)) @ state.dual_coef + state.intercept
    return max(np.abs(system - targets).max(), np.abs(state.dual_coef.sum(axis=0)).max())


def support_vectors(machine, state, gram, targets, constant, weights):
    """The largest gain in the primal objective along any single dual variable, and what leaves the box."""
    worst = 0.0
    for y, beta in zip(targets.T, state.dual_coef.T, strict=True):
        alpha, box = y * beta, constant * weights
        upper = np.full(len(y), np.inf) if machine.quadratic else box
        ridge = 1.0 / box if machine.quadratic else np.zeros(len(y))
        for i in range(len(y)):
            slope = 1.0 - y[i] * (gram[i] @ beta) - ridge[i] * alpha[i]  # of the dual objective
            if alpha[i] <= 0.0:
                slope = max(slope, 0.0)
            if alpha[i] >= upper[i]:
                slope = min(slope, 0.0)
            worst = max(worst, abs(slope), -alpha[i], alpha[i] - upper[i])
    return worst


def moments_matched(machine, state, gram, targets, constant, weights):
    """Every tilted density, by quadrature, has the mean and the variance of the posterior's marginal."""
    column, y, worst = state.columns[0], targets[:, 0], 0.0
    copies = np.ceil(weights)
    precision, shift = copies * column.sites.tau, copies * column.sites.nu
    covariance = np.linalg.inv(np.linalg.inv(gram) + np.diag(precision))
    mean = covariance @ shift
    for i in range(len(y)):
        v = 1.0 / (1.0 / covariance[i, i] - column.sites.tau[i])
        m = v * (mean[i] / covariance[i, i] - column.sites.nu[i])
        f = m + np.sqrt(v) * np.linspace(-12.0, 12.0, 40001)
        log_density = -0.5 * (f - m) ** 2 / v + weights[i] / copies[i] * machine.likelihood.log_value(
            y[i] * f, constant
        )
        density = np.exp(log_density - log_density.max())
        first = np.sum(f * density) / density.sum()
        second = np.sum((f - first) ** 2 * density) / density.sum()
        deviation = np.sqrt(covariance[i, i])
        worst = max(worst, abs(first - mean[i]) / deviation, abs(second / covariance[i, i] - 1.0))
    return worst


def evidence_at_its_peak(machine, state, gram, targets, constant, weights):
    """How much evidence another value of any one precision would add, in nats.

    A function more may add a little: additions are judged by the quadratic at the mode, so they are held to half a nat.
    """
    (fit,) = state.fits
    functions = np.column_stack([np.ones(len(gram)), gram])
    rows = np.repeat(np.arange(len(gram)), weights.astype(int))
    Phi, t, least = functions[rows], targets[rows, 0], fit.likelihood.least_alpha(functions)
    active, alpha = fit.active, fit.posterior.alpha

    def value(chosen, precisions):
        if machine.regression:
            return normal_evidence(Phi[:, chosen], t, precisions, fit.likelihood.precision)
        return laplace_evidence(Phi[:, chosen], t, precisions)[0]

    best = value(active, alpha)
    for k in range(Phi.shape[1]):
        if k not in active:
            for size in (0.1, 1.0, 10.0):
                precision = max(size * np.median(alpha), least[k])
                assert value(np.append(active, k), np.append(alpha, precision)) < best + 0.5
    return max(
        value(active, np.where(active == k, np.maximum(factor * alpha, least[active]), alpha)) - best
        for k in active
        for factor in (0.5, 0.9, 1.1, 2.0)
    )


#: Machine -> (distance from its definition, what rounding and tolerances leave of it).
DEFINITIONS = {
    LSSVM: (least_squares, 1e-10),
    SVM: (support_vectors, 1e-6),
    EP: (moments_matched, 1e-6),
    RVM: (evidence_at_its_peak, 1e-4),
}
