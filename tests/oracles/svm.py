"""Support vector machines and their criteria from the definitions: loops, refits, direct formulas.

LIBLINEAR on the rows of a Cholesky factor of the Gram matrix is the same machine (no intercept),
solved by another method; C of its squared hinge is half of ours.
"""

import numpy as np
from scipy.optimize import minimize_scalar
from sklearn.svm import LinearSVC


def liblinear_decisions(gram, labels, C, weights, slack):
    rows = np.linalg.cholesky(gram + 1e-12 * np.mean(np.diag(gram)) * np.eye(len(gram)))
    loss, constant = ("hinge", C) if slack == "linear" else ("squared_hinge", 0.5 * C)
    machine = LinearSVC(C=constant, loss=loss, dual=True, fit_intercept=False, tol=1e-9, max_iter=2_000_000)
    machine.fit(rows, labels, sample_weight=weights)
    return rows @ machine.coef_[0]


def primal_objective(gram, labels, C, weights, beta, slack):
    """1/2 theta^T K^-1 theta + sum_i C_i l(y_i theta_i), with theta = K beta."""
    theta = gram @ beta
    total = 0.5 * beta @ theta
    for i in range(len(labels)):
        miss = max(0.0, 1.0 - labels[i] * theta[i])
        total += C * weights[i] * (miss if slack == "linear" else 0.5 * miss**2)
    return total


def dual_objective(gram, labels, C, weights, alpha, slack):
    beta = labels * alpha
    total = sum(alpha) - 0.5 * beta @ gram @ beta
    if slack == "quadratic":
        total -= 0.5 * sum(alpha[i] ** 2 / (C * weights[i]) for i in range(len(alpha)))
    return total


def kappa(C, slack):
    """The largest factor for which both labels' likelihoods sum to at most 1 at every theta."""

    def negative_sum(z):
        first, second = max(0.0, 1.0 - z), max(0.0, 1.0 + z)
        if slack == "linear":
            return -(np.exp(-C * first) + np.exp(-C * second))
        return -(np.exp(-0.5 * C * first**2) + np.exp(-0.5 * C * second**2))

    grid = np.linspace(0.0, 2.0, 2001)
    best = grid[int(np.argmin([negative_sum(z) for z in grid]))]
    bounds = (max(best - 2e-3, 0.0), best + 2e-3)
    refined = minimize_scalar(negative_sum, bounds=bounds, method="bounded", options={"xatol": 1e-12})
    return -1.0 / min(refined.fun, negative_sum(best))


def laplace_evidence(gram, labels, C, alpha, slack, a=0.1):
    """-(1/n) ln evidence by eqs 15-17, from alpha alone."""
    n = len(labels)
    theta = gram @ (labels * alpha)
    log_evidence = n * np.log(kappa(C, slack))
    curvature = np.zeros(n)
    for i in range(n):
        z = labels[i] * theta[i]
        miss = max(0.0, 1.0 - z)
        log_evidence -= 0.5 * alpha[i] * z + C * (miss if slack == "linear" else 0.5 * miss**2)
        if slack == "linear":
            curvature[i] = 2 * np.pi * (alpha[i] * (C - alpha[i]) / C) ** 2
        elif alpha[i] > 0:
            curvature[i] = C * np.exp(-a * C / alpha[i])
    log_evidence -= 0.5 * np.linalg.slogdet(np.eye(n) + curvature[:, None] * gram)[1]
    return -log_evidence / n


def smoothed_span(gram, labels, C, alpha, c1=5.0, c2=0.0, eta=1.0):
    """Eq. 12 smoothed as printed, for quadratic slack: over all n rows."""
    n = len(labels)
    support = [i for i in range(n) if alpha[i] > 0]
    inner = gram[np.ix_(support, support)] + np.eye(len(support)) / C
    inverse = np.linalg.inv(inner + eta * np.diag(1.0 / alpha[support]))
    total = (n - len(support)) / (1.0 + np.exp(c1 + c2))
    for position, i in enumerate(support):
        square = 1.0 / inverse[position, position] - eta / alpha[i]
        total += 1.0 / (1.0 + np.exp(-(c1 * (alpha[i] * square - 1.0) - c2)))
    return total / n


def smoothed_span_linear(gram, labels, C, alpha, c1=5.0, eta=1.0):
    """The same for linear slack: each span from the other free rows, of weight 32 alpha (C - alpha)/C."""
    n = len(labels)
    theta = gram @ (labels * alpha)
    free = [i for i in range(n) if 0 < alpha[i] < C]
    total = 0.0
    for i in range(n):
        if alpha[i] == 0:
            x = -1.0
        else:
            others = [j for j in free if j != i]
            t = np.array([32.0 * alpha[j] * (C - alpha[j]) / C for j in others])
            inner = gram[np.ix_(others, others)] + eta * np.diag(1.0 / t)
            cross = gram[i, others]
            square = gram[i, i] - cross @ np.linalg.solve(inner, cross)
            x = alpha[i] * square - min(labels[i] * theta[i], 1.0)
        total += 1.0 / (1.0 + np.exp(-c1 * x))
    return total / n


def gacv(gram, labels, C, alpha):
    """Eq. 13, with f = 1 for marginal support vectors."""
    theta = gram @ (labels * alpha)
    total = 0.0
    for i in range(len(labels)):
        z = labels[i] * theta[i]
        total += max(0.0, 1.0 - z) + alpha[i] * gram[i, i] * (2.0 if z < -1.0 else 1.0)
    return total / len(labels)


def leave_one_out_decisions(fit_alpha, gram, labels):
    """Decision of every row by the machine trained on the others; ``fit_alpha(gram, labels)`` trains."""
    decisions = np.zeros(len(labels))
    for i in range(len(labels)):
        others = np.delete(np.arange(len(labels)), i)
        alpha = fit_alpha(gram[np.ix_(others, others)], labels[others])
        decisions[i] = gram[i, others] @ (labels[others] * alpha)
    return decisions
