"""The data's own scale: where widths start and how far a search may go from there."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import pdist

from kernelect.typing import Array

#: A width may fall to e^-9 (an input all but switched off) or grow to e^7 of its start.
WIDTH_BELOW, WIDTH_ABOVE = 9.0, 7.0

#: Rows from which the median distance is taken; all pairs up to here.
_MEDIAN_ROWS = 1000


def input_scales(X: Array) -> Array:
    """Return the standard deviation of each input, 0 for a constant one.

    The standard deviation rather than the median difference: the latter is 0 for a binary
    input whose classes are uneven.
    """
    spread = X.std(axis=0)
    # Rounding leaves about eps * |mean| of a constant column.
    spread[spread <= 1e-13 * np.abs(X).max(axis=0, initial=0.0)] = 0.0
    return np.asarray(spread, dtype=float)


def median_width(X: Array) -> float:
    """Return 1 / (median squared distance between distinct rows), the median heuristic.

    Rows are subsampled after sorting, so that the result does not depend on their order.
    """
    if len(X) > _MEDIAN_ROWS:
        order = np.lexsort(X.T)
        X = X[order[np.linspace(0, len(X) - 1, _MEDIAN_ROWS).astype(int)]]
    largest = np.abs(X).max(initial=0.0) or 1.0
    distances = pdist(X / largest, "sqeuclidean")
    distances = distances[distances > 0]
    if not len(distances):
        return 1.0
    return float(1.0 / np.median(distances)) / largest / largest
