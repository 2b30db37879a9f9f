"""L of the papers' section on priors, written out, for a given criterion value Q."""

import math


def gaussian(Q, n, gammas):
    return n / 2 * math.log(Q) + len(gammas) / 2 * math.log(0.5 * sum(g * g for g in gammas))


def laplace(Q, n, gammas):
    on = [g for g in gammas if g > 0]
    return n / 2 * math.log(Q) + len(on) * math.log(0.5 * sum(on))


def shrinkage(Q, n, gammas, a=1.0, b=0.1):
    logs = [math.log(g) for g in gammas]
    mean = sum(logs) / len(logs)
    spread = b + 0.5 * sum((t - mean) ** 2 for t in logs)
    return n / 2 * math.log(Q) + (a + (len(logs) - 1) / 2) * math.log(spread)


def evidence(Q, n, gammas, g):
    return (n - g) / 2 * math.log(Q) + g / 2 * math.log(0.5 * sum(x * x for x in gammas))


def curvature_of_gaussian_kernel(X, alpha, gammas):
    """1/(2n) sum_ij (d^2 f / dx_ij^2)^2 for f = sum_k alpha_k exp(-sum gamma (x - x_k)^2), analytically."""
    n, d = X.shape
    total = 0.0
    for i in range(n):
        for j in range(d):
            bend = 0.0
            for k in range(n):
                value = math.exp(-sum(gammas[m] * (X[i, m] - X[k, m]) ** 2 for m in range(d)))
                bend += alpha[k] * value * (4 * gammas[j] ** 2 * (X[i, j] - X[k, j]) ** 2 - 2 * gammas[j])
            total += bend**2
    return total / (2 * n)


def slope_of_gaussian_kernel(X, alpha, gammas):
    """1/(2n) sum_ij (d f / dx_ij)^2 for the same f."""
    n, d = X.shape
    total = 0.0
    for i in range(n):
        for j in range(d):
            slope = 0.0
            for k in range(n):
                value = math.exp(-sum(gammas[m] * (X[i, m] - X[k, m]) ** 2 for m in range(d)))
                slope -= alpha[k] * value * 2 * gammas[j] * (X[i, j] - X[k, j])
            total += slope**2
    return total / (2 * n)
