"""Slow definitions of the relevance vector machine: loops and direct maximisation, no cleverness."""

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, log_expit
from scipy.stats import multivariate_normal


def laplace_evidence(Phi, t, alpha):
    """ln E of labels +-1 by a general-purpose maximiser and the definition of Laplace's method."""

    def loss(w):
        return -np.sum(log_expit(t * (Phi @ w))) + 0.5 * np.sum(alpha * w**2)

    def slope(w):
        return -Phi.T @ (t * expit(-t * (Phi @ w))) + alpha * w

    w = minimize(loss, np.zeros(len(alpha)), jac=slope, method="BFGS", options={"gtol": 1e-10, "maxiter": 5000}).x
    p = expit(Phi @ w)
    H = np.diag(alpha).astype(float)
    for i in range(len(t)):
        H += p[i] * (1 - p[i]) * np.outer(Phi[i], Phi[i])
    m = len(alpha)
    log_prior = 0.5 * np.sum(np.log(alpha / (2 * np.pi))) - 0.5 * np.sum(alpha * w**2)
    value = np.sum(log_expit(t * (Phi @ w))) + log_prior
    return value + 0.5 * m * np.log(2 * np.pi) - 0.5 * np.linalg.slogdet(H)[1], w


def normal_evidence(Phi, t, alpha, beta):
    """ln N(t | 0, I / beta + Phi A^-1 Phi^T)."""
    C = np.eye(len(t)) / beta + Phi @ np.diag(1 / alpha) @ Phi.T
    return multivariate_normal(np.zeros(len(t)), C, allow_singular=False).logpdf(t)


def central_difference(function, x, step=1e-5):
    """The derivative of a function of an array, entry by entry."""
    x = np.asarray(x, dtype=float)
    out = np.empty((*np.shape(function(x)), *x.shape))
    for index in np.ndindex(x.shape):
        ahead, behind = x.copy(), x.copy()
        ahead[index] += step
        behind[index] -= step
        out[(..., *index)] = (np.asarray(function(ahead)) - np.asarray(function(behind))) / (2 * step)
    return out


def centre_log_posterior(X, t, gamma, spread, constant, origins, alpha, v):
    """ln p(t | w, z) p(w) p(z) up to constants, v = (w, zeta), one kernel value at a time."""
    m, d = origins.shape
    w, zeta = v[: constant + m], v[constant + m :].reshape(m, d)
    total = 0.0
    for i in range(len(t)):
        h = w[0] if constant else 0.0
        for k in range(m):
            z = origins[k] + spread * zeta[k]
            h += w[constant + k] * np.exp(-np.sum(gamma * (X[i] - z) ** 2))
        total += log_expit(t[i] * h)
    return total - 0.5 * np.sum(alpha * w**2) - 0.5 * np.sum(zeta**2)
