"""Functions of arrays as graphs: a function is called with stand-ins that note what is done to them.

So are kernels' profiles, likelihoods and scales of the target written down once. A function is made of operators and
functions of NumPy. It may write into its argument; the stand-in then stands for what was written.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from scipy import special

from kernelect.exceptions import MissingCapability
from kernelect.export.graph import UFUNCS, Node, Operand, Shape, apply, clipped, const
from kernelect.export.special import log_normal, log_sigmoid, log_sum, scaled_error
from kernelect.typing import Array

#: Whole exponents up to which a power is a product.
_MOST_FACTORS = 64


def traced(function: Callable[..., Any], arguments: Node | Sequence[Node], owner: str) -> Node:
    """Return what a function computes of nodes; an error that names the ``owner`` if it is no graph."""
    nodes = [arguments] if isinstance(arguments, Node) else arguments
    try:
        found: Any = function(*map(Traced, nodes))
        return _operand(found) if isinstance(found, Traced) else const(found)
    except (TypeError, AttributeError, ValueError) as error:
        raise MissingCapability(
            f"{owner} has no form without Python: {error}. Write it with operators and functions of NumPy: "
            "exp, expm1, log, log1p, sqrt, sin, cos, tanh, abs, floor, minimum, maximum, where, clip."
        ) from error


class Traced(NDArrayOperatorsMixin):
    """Stands for an array in a profile."""

    def __init__(self, node: Node) -> None:
        self.node = node

    @property
    def shape(self) -> Shape:
        return self.node.shape

    def copy(self) -> Traced:
        return Traced(self.node)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Traced:
        out = options.pop("out", (None,))[0]
        if method != "__call__" or options or ufunc not in _RULES:
            raise TypeError(f"{ufunc.__name__} is not among the operations of an export")
        node = const(_RULES[ufunc](*(_operand(each) for each in inputs)))
        if out is None:
            return Traced(node)
        if not isinstance(out, Traced):
            raise TypeError(f"{ufunc.__name__} writes into another array than the argument")
        out.node = node
        return out

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> Traced:
        if function not in _FUNCTIONS:
            raise TypeError(f"{function.__name__} is not among the operations of an export")
        return Traced(_FUNCTIONS[function](*(_operand(each) for each in args), **options))

    def __array__(self, *args: Any, **options: Any) -> Array:
        raise TypeError("it makes a plain array of its argument")

    def __bool__(self) -> bool:
        raise TypeError("it branches on values")


def _operand(value: Any) -> Any:
    return value.node if isinstance(value, Traced) else value


def _log1p(u: Operand) -> Node:
    """The logarithm of one more than u, with what rounding took from 1 + u."""
    more = apply("add", 1.0, u)
    return apply("log", more) - ((more - 1.0) - u) / more


def _expm1(u: Operand) -> Node:
    """Kahan's form: what rounding took from exp(u) is in its logarithm too."""
    e = apply("exp", u)
    near = (e - 1.0) * (u / apply("log", e))
    return apply("where", apply("equal", e, 1.0), u, apply("where", apply("less", e, 1e-16), -1.0, near))


def _tanh(u: Operand) -> Node:
    e = apply("exp", -2.0 * apply("abs", u))
    size = (1.0 - e) / (1.0 + e)
    return apply("where", apply("less", u, 0.0), -size, size)


def _power(base: Operand, exponent: Operand) -> Node:
    number = float(exponent) if np.ndim(exponent) == 0 and not isinstance(exponent, Node) else None  # type: ignore[arg-type]
    if number is None:
        return apply("exp", apply("mul", exponent, apply("log", base)))
    if number < 0.0:
        return apply("div", 1.0, _power(base, -number))
    if number == 0.5:
        return apply("sqrt", base)
    if not number.is_integer() or number > _MOST_FACTORS:
        return apply("exp", number * apply("log", base))
    return _product_of(base, int(number))


def _product_of(base: Operand, count: int) -> Node:
    if count < 2:
        return const(base) if count else _alike(1.0, base)
    half = apply("square", base) if count < 4 else apply("square", _product_of(base, count // 2))
    return apply("mul", half, base) if count % 2 else half


def sine_of_turns(turns: Node) -> Node:
    """Return sin(2 pi turns), from the part of a turn that is nearest to 0."""
    return apply("sin", 2.0 * np.pi * (turns - apply("floor", turns + 0.5)))


def _sine(u: Operand, ahead: float = 0.0) -> Node:
    return sine_of_turns(apply("add", apply("mul", u, 0.5 / np.pi), ahead))


def _alike(number: float, u: Operand) -> Node:
    """Return a number that stretches to the shape of ``u``."""
    return const(number, len(u.shape) if isinstance(u, Node) else np.ndim(u))


def _not(test: Operand) -> Node:
    return apply("sub", 1.0, test)


#: What a function of NumPy is among the operations of a graph.
_RULES: dict[Any, Callable[..., Any]] = {
    **{ufunc: partial(apply, op) for op, ufunc in UFUNCS.items()},
    **dict.fromkeys((np.bitwise_and, np.logical_and), partial(apply, "mul")),
    **dict.fromkeys((np.bitwise_or, np.logical_or), partial(apply, "max")),
    **dict.fromkeys((np.invert, np.logical_not), _not),
    **dict.fromkeys((np.power, np.float_power), _power),
    np.negative: partial(apply, "sub", 0.0),
    np.positive: lambda u: u,
    np.reciprocal: partial(apply, "div", 1.0),
    np.expm1: _expm1,
    np.log1p: _log1p,
    np.sin: _sine,
    np.cos: partial(_sine, ahead=0.25),
    np.tanh: _tanh,
    np.logaddexp: log_sum,
    special.log_ndtr: log_normal,
    special.log_expit: log_sigmoid,
    special.erfcx: scaled_error,
    np.fabs: partial(apply, "abs"),
    np.greater: lambda a, b: apply("less", b, a),
    np.less_equal: lambda a, b: _not(apply("less", b, a)),
    np.greater_equal: lambda a, b: _not(apply("less", a, b)),
    np.not_equal: lambda a, b: _not(apply("equal", a, b)),
}

_FUNCTIONS: dict[Any, Callable[..., Node]] = {
    np.where: partial(apply, "where"),
    np.clip: clipped,
    np.ones_like: partial(_alike, 1.0),
    np.zeros_like: partial(_alike, 0.0),
}
