"""The data's own scale: where widths start and how far a search may go from there."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import pdist

from kernelect.exceptions import InvalidArgument
from kernelect.typing import Array, Indices

#: A width may fall to e^-9 (an input all but switched off) or grow to e^7 of its start.
WIDTH_BELOW, WIDTH_ABOVE = 9.0, 7.0

#: Rows from which the median distance is taken; all pairs up to here.
_MEDIAN_ROWS = 1000

#: Inputs whose size is below or above this have widths that no float64 can hold.
_SMALLEST, _LARGEST = 1e-150, 1e150


def spread_rows(X: Array, count: int) -> Indices:
    """Return at most ``count`` row indices, the same rows whatever their order."""
    if len(X) <= count:
        return np.arange(len(X))
    return np.lexsort(X.T)[np.linspace(0, len(X) - 1, count).astype(int)]


def input_scales(X: Array) -> Array:
    """Return the standard deviation of each input, 0 for a constant one.

    The standard deviation rather than the median difference: the latter is 0 for a binary
    input whose classes are uneven.
    """
    largest = np.abs(X).max(axis=0, initial=0.0)
    largest[largest == 0.0] = 1.0
    spread = (X / largest).std(axis=0)
    spread[spread <= 1e-13] = 0.0  # what rounding leaves of a constant column
    scales = np.asarray(spread * largest, dtype=float)
    for scale in scales[scales > 0]:
        _check_range(float(scale))
    return scales


def median_width(X: Array) -> float:
    """Return 1 / (median squared distance between distinct rows), the median heuristic."""
    X = X[spread_rows(X, _MEDIAN_ROWS)]
    largest = float(np.abs(X - X[0]).max(initial=0.0)) or 1.0
    distances = pdist((X - X[0]) / largest, "sqeuclidean")
    distances = distances[distances > 0]
    if not len(distances):
        return 1.0
    _check_range(largest)
    return float(1.0 / np.median(distances)) / largest / largest


def _check_range(scale: float) -> None:
    if not _SMALLEST < scale < _LARGEST:
        raise InvalidArgument(f"X varies by about {scale:.0e}, too little or too much for its squares: rescale X.")
