"""Monotone maps of numeric inputs to normal quantiles.

Monotone maps of an input do not change a tree. They do change a Gaussian kernel, which heavy tails
ruin. The map is fitted on the training rows without their targets, so leave-one-out stays valid.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from kernelect.typing import Array, Indices

#: Quantiles of a map at most, and where its values end on either side.
_QUANTILES, _END = 200, 2.5

#: Values that differ by less than this part of their size are the same one: a map must not tell roundings apart.
_SAME = 1e-12

#: Inputs with fewer different values than this stay as they are: there is no tail to bend.
_FEW = 10


@dataclass(frozen=True, kw_only=True)
class Warp:
    """Piecewise linear maps, one per warped input; all other inputs pass unchanged.

    Attributes
    ----------
    warped : ndarray of int
        The inputs that are warped.
    knots, heights : tuple of ndarray
        The points where each map bends, increasing, and its values there.
    """

    warped: Indices
    knots: tuple[Array, ...]
    heights: tuple[Array, ...]

    def __call__(self, X: Array) -> Array:
        """Return the warped inputs."""
        out = X.copy()
        for j, knots, heights in zip(self.warped, self.knots, self.heights, strict=True):
            out[:, j] = np.interp(X[:, j], knots, heights)
        return out


def fit_warp(X: Array, numeric: Indices) -> Warp:
    """Return the map of the ``numeric`` inputs to normal quantiles, fitted to their values in ``X``."""
    return warp_of((j, X[:, j]) for j in map(int, numeric))


def warp_of(columns: Iterable[tuple[int, Array]]) -> Warp:
    """Return the map of inputs to normal quantiles, from the place and the values of each."""
    inputs, knots, heights = [], [], []
    for j, column in columns:
        values, counts = _distinct(column)
        if len(values) < _FEW:
            continue
        # Ties share the middle of their ranks, so that the map does not depend on their order.
        middle = (np.cumsum(counts) - 0.5 * counts) / len(column)
        chosen = np.unique(np.linspace(0, len(values) - 1, min(_QUANTILES, len(values))).astype(int))
        inputs.append(j)
        knots.append(values[chosen])
        heights.append(np.clip(ndtri(middle[chosen]), -_END, _END))
    return Warp(warped=np.array(inputs, dtype=np.intp), knots=tuple(knots), heights=tuple(heights))


def _distinct(values: Array) -> tuple[Array, Array]:
    """Return the different values, increasing, and how often each is there."""
    found, counts = np.unique(values, return_counts=True)
    size = np.abs(found) + np.median(np.abs(found))
    is_new = np.diff(found, prepend=-np.inf) > _SAME * size
    return found[is_new], np.bincount(np.cumsum(is_new) - 1, counts).astype(float)
