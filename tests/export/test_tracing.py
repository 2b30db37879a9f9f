"""Functions of NumPy against the graphs that tracing makes of them."""

import numpy as np
import pytest
from scipy import special

from kernelect.exceptions import MissingCapability
from kernelect.export.evaluate import evaluate
from kernelect.export.graph import Const, Raw, const
from kernelect.export.program import ExportedColumn, Program
from kernelect.export.tracing import traced

POINTS = np.concatenate([np.linspace(-3.0, 3.0, 41), [-40.0, -1e-9, 1e-12, 40.0, 700.0]])

FUNCTIONS = {
    "operators": lambda u: (2.0 * u - 3.0) / (u * u + 1.0) + -u,
    "operators from the right": lambda u: 1.0 - (2.0 / (3.0 + u * u)),
    "whole powers": lambda u: u**0 + u**1 + 2.0 * u**2 - u**3 + 0.01 * u**7,
    "negative power": lambda u: (1.0 + u**2) ** -2,
    "root": lambda u: np.abs(u) ** 0.5,
    "other power": lambda u: (1.0 + np.abs(u)) ** -0.3,
    "power of 0": lambda u: np.abs(np.maximum(u, 0.0)) ** 1.5,
    "number to a power": lambda u: 2.0 ** np.clip(u, -3.0, 3.0),
    "exponentials": lambda u: np.exp(-np.abs(u)) + np.expm1(-np.abs(u)) + np.expm1(np.minimum(u, 2.0)),
    "logarithms": lambda u: np.log(1.0 + u**2) + np.log1p(np.abs(u)),
    "waves": lambda u: np.sin(u) + 2.0 * np.cos(3.0 * u),
    "tanh": np.tanh,
    "others": lambda u: np.reciprocal(1.0 + np.square(u)) + np.fabs(u) + np.positive(u) + np.sqrt(np.abs(u)),
    "branches": lambda u: np.where((u > 0.5) & ~(u >= 2.0), u, np.where((u < -1.0) | (u == 0.0), 2.0, -u)),
    "more branches": lambda u: np.where(np.logical_or(u <= -1.0, u != 0.0), np.floor(u), 7.0),
    "arrays of the same shape": lambda u: np.ones_like(u) * u + np.zeros_like(u),
    "a copy": lambda u: u.copy() + u,
}


def run(node):
    columns = (ExportedColumn(name="u", place=0, kind="number"),)
    return evaluate(Program(columns=columns, result=node), POINTS[:, None])[0][:, 0]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_traced_function_has_the_values_of_the_function(name):
    function = FUNCTIONS[name]
    np.testing.assert_allclose(run(traced(function, Raw((0,)), "It")), function(POINTS.copy()), rtol=1e-13, atol=1e-13)


def in_place(u):
    s = np.sqrt(np.abs(u, out=u), out=u)
    polynomial = 1.0 + s
    polynomial *= np.exp(np.negative(s, out=s), out=s)
    u += polynomial
    return u


def test_a_profile_may_write_into_its_argument():
    np.testing.assert_allclose(run(traced(in_place, Raw((0,)), "It")), in_place(POINTS.copy()), rtol=1e-13)


def test_a_function_of_numbers_is_numbers():
    found = traced(np.exp, const(np.array([0.0, 1.0])), "It")
    assert isinstance(found, Const)
    np.testing.assert_allclose(found.values, [1.0, np.e])


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (lambda u: special.erfc(u), "erfc is not among the operations of an export"),
        (lambda u: np.asarray(u, dtype=float), "it makes a plain array of its argument"),
        (lambda u: u if u > 0 else -u, "it branches on values"),
        (lambda u: np.cumsum(u), "cumsum is not among"),
        (lambda u: u[0], "subscriptable"),
        (lambda u: np.exp(u, out=np.zeros(1)), "exp writes into another array than the argument"),
        (lambda u: np.add.reduce(u), "add is not among"),
    ],
)
def test_what_has_no_graph_says_why(function, why):
    with pytest.raises(MissingCapability, match=rf"Cauchy has no form without Python: .*{why}.*Write it with"):
        traced(function, Raw((0,)), "Cauchy")
