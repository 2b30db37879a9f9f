"""What mixtures ask of estimators beyond scikit-learn's methods: fits that another selection leads."""

from __future__ import annotations

from typing import Any

from kernelect.estimators._base import Estimator
from kernelect.selection import Lead, relative_widths
from kernelect.selection.landmarks import RowParts
from kernelect.typing import Array, Indices


def fit_led(
    estimator: Estimator,
    X: Array | RowParts,
    y: Any,
    weights: Array | None,
    groups: Indices | None,
    *,
    lead: Lead | None,
) -> Array:
    """Fit on all rows, without a warning, led by another selection; return the selected widths.

    Rows that stay where they are bring their targets and weights.
    The widths are logarithms in units of the data's own scale, with mean 0.
    """
    given = () if groups is None else (groups,)
    estimator._fit_anew(X, y, weights, *given, lead=lead, whole=True, quiet=True)
    fitted: Any = estimator
    return relative_widths(fitted.kernel.space(fitted.X_fit_), fitted.kernel_.theta)
