"""Intervals from rows left out: jackknife+, and the plain jackknife where only one machine is at hand.

Notation: f_-i what the machine without row i says, r_i its residual there, s(x) the spread at x.
"""

from __future__ import annotations

from numbers import Real

import numpy as np

from kernelect.exceptions import InvalidArgument
from kernelect.typing import Array


def check_coverage(coverage: object, argument: str = "coverage") -> None:
    """Raise if the coverage of an interval is no number between 0 and 1."""
    if not isinstance(coverage, Real) or not 0.0 < float(coverage) < 1.0:
        raise InvalidArgument(f"{argument}={coverage!r} must be a number between 0 and 1, such as 0.9.")


def jackknife_ends(
    left_out: Array, residuals: Array, coverage: float, times: Array | None = None
) -> tuple[Array, Array]:
    """Return lower and upper ends (m, k) of jackknife+ intervals.

    Parameters
    ----------
    left_out : ndarray of shape (n, m, k)
        Predictions at m new rows by machines without one of n training rows each.
    residuals : ndarray of shape (n, k)
        Leave-one-out residuals of the training rows.
    coverage : float
    times : ndarray of shape (m, k), optional
        What residuals are multiplied by at each new row, where they are in units of a spread that differs.
    """
    rank = _rank(len(left_out), coverage)
    spread = np.abs(residuals)[:, None] * (1.0 if times is None else times)
    ends = _order_statistic(left_out + spread, rank), -_order_statistic(spread - left_out, rank)
    return np.minimum(*ends), np.maximum(*ends)  # at small coverage they may cross


def jackknife_reach(residuals: Array, coverage: float) -> Array:
    """Return q (k,) so that f(x) - q s(x) to f(x) + q s(x) is the plain jackknife's interval.

    Of jackknife+ it differs by how far apart the f_-i(x) are, mostly less than a hundredth of its width, and it takes
    nothing from the rows but this number: so an exported model can carry it.

    Parameters
    ----------
    residuals : ndarray of shape (n, k)
        Leave-one-out residuals, in units of the spread where it differs between rows.
    coverage : float
    """
    return _order_statistic(np.abs(residuals), _rank(len(residuals), coverage))


def _rank(count: int, coverage: float) -> int:
    """Return the rank of an end among ``count`` + 1: beyond ``count`` the interval has no end."""
    return int(np.ceil(coverage * (count + 1)))


def _order_statistic(values: Array, rank: int) -> Array:
    """Return the ``rank``-th smallest along the first axis, infinite beyond the last."""
    if rank > len(values):
        return np.full(values.shape[1:], np.inf)
    return np.asarray(np.partition(values, rank - 1, axis=0)[rank - 1], dtype=float)
