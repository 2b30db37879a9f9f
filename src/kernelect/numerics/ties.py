"""Numbers and choices that rounding does not decide."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from kernelect.typing import Array

#: Units in the last place by which numbers that should be equal may scatter.
_ROUNDED = 8.0


def exact_mean(values: Array, weights: Array) -> float:
    """Return the weighted mean of (n,) values, identical to the last bit for every order of the values."""
    unit = _power_of_two(float(abs(values).max()))  # sums of large values overflow
    return math.fsum(weights * (values / unit)) / math.fsum(weights) * unit


def binary_unit(values: Array) -> float:
    """Return the power of two nearest to the root mean square of (n,) values, 1 if all are 0.

    Dividing by it changes no digit, and the squares of the results neither overflow nor vanish.
    """
    largest = float(abs(values).max(initial=0.0))
    if largest == 0.0:
        return 1.0
    unit = _power_of_two(largest)
    mean_square = math.fsum((values / unit) ** 2) / len(values)
    return unit * 2.0 ** round(0.5 * math.log2(mean_square))


def rounding_of(values: Array) -> Any:
    """Return the spread that rounding leaves of equal numbers: of (n,) values, or of each column of (n, d) values.

    Some units in the last place of the largest one: 2^53 + 2 k differ by more, sums of 0.1 in another order do not.
    """
    return _ROUNDED * np.spacing(np.abs(values).max(axis=0, initial=0.0))


def nearest_power_of_two(size: float) -> float:
    """Return the power of two nearest to ``size`` (by its logarithm), 1 for 0."""
    return 2.0 ** round(math.log2(size)) if size > 0.0 else 1.0


def _power_of_two(size: float) -> float:
    """Return the largest power of two that is not above ``size``, 1 for 0."""
    return math.ldexp(1.0, math.frexp(size)[1] - 1) if size > 0.0 else 1.0


def first_of_best(values: Array, tie: float = 1e-6) -> int:
    """Return the first of the largest values; values smaller by at most ``tie`` of the largest count as equal to it.

    The order of the sums behind two numbers decides which is larger by a rounding error; it does
    not change which comes first.
    """
    best = int(values.argmax())
    largest = float(values[best])
    if not 0.0 < largest < math.inf:
        return best
    return int((values >= (1.0 - tie) * largest).argmax())
