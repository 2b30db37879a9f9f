"""Derivatives by central differences."""

import numpy as np


def gradient(function, x, step=1e-5):
    """Central differences of a scalar function of an array, entry by entry."""
    x = np.asarray(x, dtype=float)
    out = np.zeros_like(x)
    for index in np.ndindex(x.shape):
        shift = np.zeros_like(x)
        shift[index] = step
        out[index] = (function(x + shift) - function(x - shift)) / (2.0 * step)
    return out
