"""The data's own scale: where widths start and how far a search may go from there."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kernelect.exceptions import InvalidArgument
from kernelect.typing import Array, Indices

#: A width may fall to e^-9 (an input all but switched off) or grow to e^7 of its start.
WIDTH_BELOW, WIDTH_ABOVE = 9.0, 7.0

#: Rows from which the median distance is taken; all pairs up to here.
MEDIAN_ROWS = 1000

#: Inputs whose size is above this or below its inverse have widths that no float64 can hold.
_LARGEST = 1e150


def spread_rows(X: Array, count: int) -> Indices:
    """Return at most ``count`` row indices: the same rows whatever the order of rows and columns."""
    if len(X) <= count:
        return np.arange(len(X))
    from kernelect.numerics import canonical_order  # predictions need neither it nor pdist

    return canonical_order(X)[np.linspace(0, len(X) - 1, count).astype(int)]


def middle(X: Array) -> Array:
    """Return the mean of every input; exactly its value for a constant input, which a rounded mean can miss."""
    if not len(X):
        return np.zeros(X.shape[1])
    with np.errstate(over="ignore", invalid="ignore"):
        mean = X.mean(axis=0)
    constant = X.min(axis=0) == X.max(axis=0)
    unfit = constant | ~np.isfinite(mean)
    return np.where(unfit, typical_row(X), mean) if unfit.any() else np.asarray(mean, dtype=float)


def typical_row(X: Array) -> Array:
    """Return a median of every input, which no few rows can move and no sum can overflow.

    Of two values in the middle it is the one closer to 0, so that -X has the same with the other sign.
    """
    places = [(len(X) - 1) // 2, len(X) // 2]
    lower, upper = np.partition(X, places, axis=0)[places]
    return np.asarray(np.where(np.abs(lower) <= np.abs(upper), lower, upper), dtype=float)


def input_scales(X: Array) -> Array:
    """Return the standard deviation of each input, 0 for a constant one.

    The standard deviation rather than the median difference: the latter is 0 for a binary
    input whose classes are uneven.
    """
    from kernelect.numerics import rounding_of

    apart = without_offset(X)
    largest = np.abs(apart).max(axis=0, initial=0.0)
    largest[largest == 0.0] = 1.0
    scales = np.asarray((apart / largest).std(axis=0) * largest, dtype=float)
    scales[scales <= rounding_of(X)] = 0.0
    for scale in scales:
        check_range(float(scale))
    return scales


def without_offset(X: Array) -> Array:
    """Return the inputs, each less its median if that is large beside its range: such differences are exact."""
    if not len(X):
        return X
    median = typical_row(X)
    far = np.ptp(X / 2.0, axis=0) < np.abs(median) / 4.0  # halves, whose difference does not overflow
    return X - np.where(far, median, 0.0) if far.any() else X


def median_width(X: Array) -> float:
    """Return 1 / (median squared distance between distinct rows), the median heuristic."""
    distance, largest = _median_distance(X, "sqeuclidean")
    return 1.0 / distance / largest / largest


def median_city_width(X: Array) -> float:
    """Return 1 / (median sum of absolute differences between distinct rows)^2, for kernels of that sum."""
    distance, largest = _median_distance(X, "cityblock")
    return 1.0 / distance / distance / largest / largest


def _median_distance(X: Array, metric: str) -> tuple[float, float]:
    """Return the median distance of inputs divided by their largest size, and that size; 1 if all rows are equal."""
    from scipy.spatial.distance import pdist

    X = X[spread_rows(X, MEDIAN_ROWS)]
    with np.errstate(over="ignore"):
        centred = X - typical_row(X)
    largest = float(np.abs(centred).max(initial=0.0)) or 1.0
    check_range(largest)
    distances = pdist(centred / largest, metric)
    distances = distances[distances > 0]
    if not len(distances):
        return 1.0, 1.0
    distance = float(np.median(distances))
    check_range((np.sqrt(distance) if metric == "sqeuclidean" else distance) * largest)
    return distance, largest


def scaled_widths(X: Array, overall: Callable[[Array], float]) -> Array:
    """Return one width per input: ``overall`` of the inputs in units of their own spread, in the data's units.

    A constant input gets width 0: it must not matter when it varies in new data.
    """
    scales = input_scales(X)
    inverse = np.divide(1.0, scales, out=np.zeros_like(scales), where=scales > 0)
    width = overall(without_offset(X) * inverse)
    for scale in scales:  # what most rows differ by, if one cell is far from all others
        check_range(float(scale) / np.sqrt(width))
    return np.asarray(width * inverse**2, dtype=float)


def check_range(scale: float) -> None:
    """Check that differences of the size ``scale`` in ``X`` can be worked with; 0 is no difference."""
    if scale != 0.0 and not 1.0 / _LARGEST < scale < _LARGEST:
        raise InvalidArgument(
            f"X varies by about {scale:.0e}, too little or too much for its squares: "
            "rescale X (divide its columns by about that number), or remove the rows that hold such values."
        )
