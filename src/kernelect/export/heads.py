"""From latent values to decision values and probabilities, in the operations of a graph.

Notation: m and v mean and variance of the latent value, Phi the normal distribution function,
erfcx(u) = exp(u^2) erfc(u). For u >= 0 and t = 2 / (2 + u), ln(erfcx(u) / t) is a smooth function of t on [0, 1]:
a polynomial, fitted here once, gives erfc and its logarithm by exp and log alone, with a relative error of 1e-14.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, reduce, singledispatch

import numpy as np
from numpy.polynomial import chebyshev
from scipy.special import erfcx

from kernelect.exceptions import MissingCapability
from kernelect.export.graph import Node, added, apply, concatenated, polynomial, reduced
from kernelect.machines import Likelihood
from kernelect.machines.ep.likelihoods import Hinge, Probit, SquaredHinge

#: Degree of the polynomial for ln(erfcx(u) / t).
_DEGREE = 24


@cache
def _erfcx_polynomial() -> tuple[float, ...]:
    """Return the coefficients of ln(erfcx(u) / t) in powers of s = 2 t - 1, the highest first."""
    nodes = np.cos(np.pi * (np.arange(400) + 0.5) / 400)  # Chebyshev's, where interpolation is as good as any
    t = 0.5 * (nodes + 1.0)
    u = 2.0 / t - 2.0
    fitted = chebyshev.chebfit(nodes, np.log(erfcx(u) / t), _DEGREE)
    return tuple(float(value) for value in chebyshev.cheb2poly(fitted)[::-1])


def _log_erfcx(u: Node) -> Node:
    """Return ln erfcx(u) for u >= 0."""
    t = 2.0 / (2.0 + u)
    s = 2.0 * t - 1.0
    return apply("log", t) + polynomial(s, _erfcx_polynomial())


def log_normal(z: Node) -> Node:
    """Return ln Phi(z)."""
    u = apply("abs", z) / np.sqrt(2.0)
    tail = _log_erfcx(u) - u * u - np.log(2.0)  # ln Phi(-|z|)
    return apply("where", apply("less", z, 0.0), tail, apply("log", 1.0 - apply("exp", tail)))


def log_sum(a: Node, b: Node) -> Node:
    """Return ln(e^a + e^b)."""
    return apply("max", a, b) + apply("log", 1.0 + apply("exp", -apply("abs", a - b)))


def log_sigmoid(a: Node) -> Node:
    """Return ln(1 / (1 + e^-a))."""
    return apply("min", a, 0.0) - apply("log", 1.0 + apply("exp", -apply("abs", a)))


def softmax(logs: Node) -> Node:
    """Return e^l / sum e^l."""
    shares = apply("exp", logs - reduced("max", logs))
    return shares / reduced("sum", shares)


def both_way_nodes(decision: Node) -> Node:
    """Return decision values of two classes from one, or all those of more."""
    return concatenated([-decision, decision]) if decision.shape == (1,) else decision


def tempered(decision: Node, inverse_temperature: float) -> Node:
    """Return probabilities by one temperature, as criteria/calibration.py does."""
    return softmax(both_way_nodes(0.5 * decision if decision.shape == (1,) else decision) * inverse_temperature)


def of_log_odds(decision: Node) -> Node:
    """Return probabilities from log-odds of every class against the rest, divided by their sum."""
    return softmax(log_sigmoid(both_way_nodes(decision)))


def of_probits(decision: Node) -> Node:
    """Return probabilities Phi(z) of every class, divided by their sum."""
    return softmax(log_normal(both_way_nodes(decision)))


def moderated_node(mean: Node, variance: Node, factor: float) -> Node:
    """Return m / sqrt(1 + factor v)."""
    return mean / apply("sqrt", 1.0 + factor * variance)


def mixed_log_odds(log_odds: Sequence[Node]) -> Node:
    """Return the log-odds of the mean probability of several machines."""
    if len(log_odds) == 1:
        return log_odds[0]
    sides = ([log_sigmoid(sign * each) for each in log_odds] for sign in (1.0, -1.0))
    plus, minus = (_log_total(side) for side in sides)
    return plus - minus


def _log_total(logs: Sequence[Node]) -> Node:
    """Return ln sum e^l over nodes."""
    top = reduce(lambda a, b: apply("max", a, b), logs)
    return top + apply("log", added([apply("exp", each - top) for each in logs]))


@singledispatch
def decision_nodes(likelihood: Likelihood, mean: Node, variance: Node, constant: float) -> Node:
    """Return the decision values that a likelihood makes of latent values."""
    raise MissingCapability(
        f"{type(likelihood).__name__} is a likelihood of Python, which cannot be exported: use "
        "likelihood='probit', 'hinge' or 'squared-hinge'."
    )


@decision_nodes.register
def _(likelihood: Probit, mean: Node, variance: Node, constant: float) -> Node:
    return moderated_node(mean, variance, 1.0)


@decision_nodes.register
def _(likelihood: Hinge, mean: Node, variance: Node, constant: float) -> Node:
    return _log_hinge(mean, variance, constant) - _log_hinge(-mean, variance, constant)


@decision_nodes.register
def _(likelihood: SquaredHinge, mean: Node, variance: Node, constant: float) -> Node:
    return _log_squared_hinge(mean, variance, constant) - _log_squared_hinge(-mean, variance, constant)


def _log_hinge(mean: Node, variance: Node, C: float) -> Node:
    """Return ln E exp(-C (1 - z)_+) for z ~ N(mean, variance); notation as in machines/ep/likelihoods.py."""
    s = apply("sqrt", variance)
    b1 = (mean - 1.0) / s
    b = -b1 - C * s
    # Where b < 0 the two parts of the plain formula are huge; elsewhere the first one has no meaning.
    tail = _log_erfcx(apply("max", -b, 0.0) / np.sqrt(2.0)) - np.log(2.0) - 0.5 * b1 * b1
    plain = C * (mean - 1.0) + 0.5 * C * C * variance + log_normal(b)
    return log_sum(log_normal(b1), apply("where", apply("less", b, 0.0), tail, plain))


def _log_squared_hinge(mean: Node, variance: Node, C: float) -> Node:
    """Return ln E exp(-C (1 - z)_+^2 / 2) for z ~ N(mean, variance)."""
    u = 1.0 + C * variance
    below = 1.0 - mean
    lower = -0.5 * apply("log", u) - 0.5 * C * below * below / u + log_normal(below / apply("sqrt", variance * u))
    return log_sum(log_normal(-below / apply("sqrt", variance)), lower)
