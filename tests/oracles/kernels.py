"""Kernels by their formulas, one pair of rows at a time."""

import math


def distance(x, z, gamma):
    return sum(g * (a - b) ** 2 for g, a, b in zip(gamma, x, z, strict=True))


def rbf(x, z, gamma):
    return math.exp(-distance(x, z, gamma))


def matern(x, z, gamma, nu):
    # With length scales l_j = 1/sqrt(2 gamma_j): r^2 = sum (x_j - z_j)^2 / l_j^2 = 2 D.
    r = math.sqrt(2.0 * distance(x, z, gamma))
    if nu == 1.5:
        return (1 + math.sqrt(3) * r) * math.exp(-math.sqrt(3) * r)
    return (1 + math.sqrt(5) * r + 5 * r * r / 3) * math.exp(-math.sqrt(5) * r)


def rational_quadratic(x, z, gamma, alpha):
    return (1.0 + distance(x, z, gamma) / alpha) ** -alpha


def product_laplace(x, z, gamma):
    return math.exp(-sum(math.sqrt(g) * abs(a - b) for g, a, b in zip(gamma, x, z, strict=True)))


def product_matern(x, z, gamma):
    return math.prod(matern([a], [b], [g], 1.5) for g, a, b in zip(gamma, x, z, strict=True))


def category(x, z, gamma):
    return math.exp(-sum(g for g, a, b in zip(gamma, x, z, strict=True) if a != b))


def agreement(x, z):
    return float(sum(a == b for a, b in zip(x, z, strict=True)))


def linear(x, z):
    return sum(a * b for a, b in zip(x, z, strict=True))


def polynomial(x, z, degree, gamma, coef0):
    return (gamma * linear(x, z) + coef0) ** degree
