"""Kernel matrices given by the user: what has to hold of them."""

from __future__ import annotations

import numpy as np

from kernelect.exceptions import InvalidArgument
from kernelect.typing import Array


def check_kernel_matrix(X: Array) -> None:
    """Raise if a matrix of kernel values is not square or not symmetric."""
    if X.shape[0] != X.shape[1]:
        raise InvalidArgument(
            f"kernel='precomputed' takes a square matrix of kernel values in fit, got shape {X.shape}: "
            "should be a square kernel matrix, k(x_i, x_j) between all training rows."
        )
    if not np.allclose(X, X.T, rtol=1e-6, atol=1e-8 * np.abs(X).max(initial=0.0)):
        raise InvalidArgument(
            "kernel='precomputed' takes a symmetric matrix, and this one is not: give k(x_i, x_j) for all pairs, "
            "or symmetrise it as (K + K.T) / 2."
        )
