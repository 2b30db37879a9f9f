"""Numbers and choices that rounding does not decide."""

from __future__ import annotations

import math

from kernelect.typing import Array


def exact_mean(values: Array, weights: Array) -> float:
    """Return the weighted mean of (n,) values, the same to the last bit for every order of them."""
    return math.fsum(weights * values) / math.fsum(weights)


def first_of_best(values: Array, tie: float = 1e-6) -> int:
    """Return the first of the largest values, those included that are smaller by no more than ``tie`` of it.

    Which of two numbers is larger by a rounding error changes with the order of the sums behind
    them; which of them comes first does not.
    """
    best = int(values.argmax())
    largest = float(values[best])
    if not 0.0 < largest < math.inf:
        return best
    return int((values >= (1.0 - tie) * largest).argmax())
