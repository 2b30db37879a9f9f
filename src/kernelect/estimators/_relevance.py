"""How much every input matters, one number each, summing to 1.

The root mean square, over the training rows, of the prediction's derivative along an input,
times the input's standard deviation: how much the prediction changes when the input moves by
one of its own units of spread.
"""

from __future__ import annotations

import numpy as np

from kernelect.dictionaries import Candidates
from kernelect.kernels import Kernel
from kernelect.kernels.scale import input_scales, spread_rows
from kernelect.typing import Array

#: Rows at which functions without a derivative of their own are evaluated at most, and many outputs at least.
_ROWS = 200

#: Half a central difference, as a share of an input's spread.
_STEP = 1e-4


def relevances(kernel: Kernel, X: Array, dual_coef: Array, centres: Array | None = None) -> Array:
    """Return the relevances of a kernel machine's inputs.

    Defined for every kernel; for an elliptical one a relevance falls to 0 with the width.
    ``centres`` are the rows the coefficients belong to, the training rows themselves unless given. Several outputs
    share the training rows, so that they cost about as much as one output.
    """
    centres = X.copy() if centres is None else centres
    squares, scales = np.zeros(X.shape[1]), input_scales(X)
    outputs = dual_coef.T if len(centres) else ()
    rows = X[spread_rows(X, max(_ROWS, len(X) // max(len(outputs), 1)))]
    for column in outputs:
        weights = np.broadcast_to(column[:, None], (len(centres), len(rows)))
        squares += np.mean(kernel.points_pullback(centres, rows, weights) ** 2, axis=0)
    return _shares(np.sqrt(squares) * scales)


def function_relevances(functions: Candidates, X: Array, coef: Array) -> Array:
    """Return the relevances of the inputs of ``functions`` with weights ``coef`` (m, k), by differences."""
    scales, squares = input_scales(X), np.zeros(X.shape[1])
    rows = X[np.linspace(0, len(X) - 1, min(len(X), _ROWS)).astype(int)].copy()
    for j in np.flatnonzero(scales) if len(coef) else []:
        here, step = rows[:, j].copy(), _STEP * scales[j]
        rows[:, j] = here + step
        ahead = functions.evaluate(rows)
        rows[:, j] = here - step
        squares[j] = np.mean(((ahead - functions.evaluate(rows)) @ coef) ** 2)
        rows[:, j] = here
    return _shares(np.sqrt(squares))  # the step is a share of the spread, so units cancel


def _shares(strength: Array) -> Array:
    """Return strengths that sum to 1; equal ones if nothing matters."""
    total = strength.sum()
    return np.asarray(strength / total if total > 0 else np.full(len(strength), 1.0 / len(strength)), dtype=float)
