"""Slow definitions behind expectation propagation: quadrature, one dimension after the other."""

import functools
import itertools

import mpmath as mp
import numpy as np


def tilted_moments(log_factor, mu, v, digits=50):
    """Return ln Z, mean and variance of N(mu, v) exp(log_factor(z)), by adaptive quadrature.

    The density is cut where it has fallen below 10^-digits of its top, found on a fine walk
    outwards from the top, and split at 1, where the hinges have their kink.
    """
    with mp.workdps(digits + 15):
        mu, v = mp.mpf(mu), mp.mpf(v)

        def log_density(z):
            return log_factor(z) - (z - mu) ** 2 / (2 * v) - mp.log(2 * mp.pi * v) / 2

        mode = _mode(log_density, mu, v)
        top, drop = log_density(mode), mp.mpf(digits) * mp.log(10)
        left, right = (_fallen(log_density, mode, top - drop, side) for side in (-1, 1))
        points = sorted({left, right, mode, *([mp.mpf(1)] if left < 1 < right else [])})
        pieces = [a + (b - a) * k / 8 for a, b in itertools.pairwise(points) for k in range(8)] + [points[-1]]

        @functools.cache  # three integrals have the same nodes
        def density(z):
            return mp.exp(log_density(z) - top)

        def integral(f):
            return mp.quad(lambda z: f(z) * density(z), pieces)

        total = integral(lambda z: mp.mpf(1))
        mean = integral(lambda z: z) / total
        variance = integral(lambda z: (z - mean) ** 2) / total
        return top + mp.log(total), mean, variance


def _mode(log_density, mu, v):
    """Return the maximum of a concave function by golden-section search."""
    low, high = mu - 10 * mp.sqrt(v) - 1, mu + 10 * mp.sqrt(v) + 1
    while log_density(low) > log_density(low + mp.mpf("1e-10")):
        low -= 2 * (high - low)
    while log_density(high) > log_density(high - mp.mpf("1e-10")):
        high += 2 * (high - low)
    ratio = (mp.sqrt(5) - 1) / 2
    for _ in range(60):
        a, b = high - ratio * (high - low), low + ratio * (high - low)
        low, high = (a, high) if log_density(a) < log_density(b) else (low, b)
    return (low + high) / 2


def _fallen(log_density, mode, level, side):
    """Return where the log density has fallen to ``level`` on one side of the mode."""
    step = mp.mpf("1e-12")
    while log_density(mode + side * step) > level:
        step *= 2
    low, high = step / 2, step
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if log_density(mode + side * middle) > level else (low, middle)
    return mode + side * high


def log_factor(name, constant, power=1.0):
    """Return ln t(z)^power of a likelihood, in mpmath."""
    constant, power = mp.mpf(constant), mp.mpf(power)
    if name == "probit":
        return lambda z: power * mp.log(mp.ncdf(z))
    if name == "hinge":
        return lambda z: -power * constant * max(1 - z, mp.mpf(0))
    return lambda z: -power * constant * max(1 - z, mp.mpf(0)) ** 2 / 2


def log_z(name, mu, v, constant):
    """Return the closed form of ln Z as an mpmath number, at the precision in force."""
    s = mp.sqrt(v)
    if name == "probit":
        return mp.log(mp.ncdf(mu / mp.sqrt(1 + v)))
    above = mp.ncdf((mu - 1) / s)
    if name == "hinge":
        below = mp.exp(-constant * (1 - mu) + constant**2 * v / 2) * mp.ncdf((1 - mu - constant * v) / s)
    else:
        u = 1 + constant * v
        below = mp.exp(-constant * (1 - mu) ** 2 / (2 * u)) / mp.sqrt(u) * mp.ncdf((1 - mu) / mp.sqrt(v * u))
    return mp.log(above + below)


def closed_moments(name, mu, v, constant, digits=50):
    """Return ln Z, mean, variance and mean loss from derivatives of the closed form of ln Z.

    Central differences at several hundred digits: their error is far below ``digits``.
    """
    with mp.workdps(12 * digits):
        mu, v, constant, step = mp.mpf(mu), mp.mpf(v), mp.mpf(constant), mp.mpf(10) ** (-3 * digits)
        middle, ahead, behind = (log_z(name, mu + k * step, v, constant) for k in (0, 1, -1))
        g, h = (ahead - behind) / (2 * step), (ahead - 2 * middle + behind) / step**2
        by_c = (log_z(name, mu, v, constant + step) - log_z(name, mu, v, constant - step)) / (2 * step)
        return middle, mu + v * g, v + v**2 * h, -by_c


def exact_posterior(likelihood, gram, y, constant, weights=None, points=61, reach=6.0):
    """Return ln evidence, its derivative in the Gram matrix and in C, on a product grid (n = 2..4).

    The integral of N(f; 0, K) prod_i [kappa t(y_i f_i)]^w_i, in whitened coordinates f = L a with
    Gauss-Legendre nodes along each; with beta = K^-1 f,

        d ln Z/dK = (<beta beta^T> - K^-1)/2,   d ln Z/dC = sum_i w_i (d ln kappa/dC - <l_i>).

    One slab of the first coordinate at a time keeps memory small.
    """
    n, log_kappa, by_constant = len(y), *likelihood.log_normalizer(constant)
    weights = np.ones(n) if weights is None else weights
    L = np.linalg.cholesky(gram)
    nodes, node_weights = np.polynomial.legendre.leggauss(points)
    axis, log_width = reach * nodes, np.log(reach * node_weights)
    rest = np.stack(np.meshgrid(*[axis] * (n - 1), indexing="ij"), axis=-1).reshape(-1, n - 1)
    rest_width = sum(np.meshgrid(*[log_width] * (n - 1), indexing="ij")).ravel()
    total, seconds, losses = 0.0, np.zeros((n, n)), 0.0
    for first, first_width in zip(axis, log_width, strict=True):
        a = np.column_stack([np.full(len(rest), first), rest])
        z = y * (a @ L.T)
        density = first_width + rest_width - 0.5 * np.sum(a**2, axis=1) - 0.5 * n * np.log(2 * np.pi)
        density = np.exp(density + likelihood.log_value(z, constant) @ weights)
        total += density.sum()
        seconds += (density[:, None] * a).T @ a
        losses += density @ (likelihood.loss(z) @ weights)
    inverse = np.linalg.inv(L)
    grad_gram = 0.5 * inverse.T @ (seconds / total - np.eye(n)) @ inverse
    log_evidence = float(np.log(total) + weights.sum() * log_kappa)
    return log_evidence, grad_gram, float(weights.sum() * by_constant - losses / total)
