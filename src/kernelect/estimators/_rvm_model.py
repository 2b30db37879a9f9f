"""Fits of a relevance vector machine as the record that a model keeps."""

from __future__ import annotations

import numpy as np

from kernelect.machines.rvm import CentreFit, Posterior, SparseFit
from kernelect.model.relevance import Output, RelevanceModel
from kernelect.typing import Array, Indices


def on_rows(fits: tuple[SparseFit, ...]) -> tuple[Indices, RelevanceModel]:
    """Return the columns of the design that are used, and the model on them."""
    used = np.unique(np.concatenate([fit.active for fit in fits]))
    used = used[used > 0]
    outputs = tuple(
        _output(np.searchsorted(used, fit.active[fit.active > 0]), bool(np.any(fit.active == 0)), fit.posterior)
        for fit in fits
    )
    return used - 1, RelevanceModel(outputs, len(used))


def on_centres(fits: list[tuple[CentreFit, Posterior]]) -> tuple[Array, RelevanceModel]:
    """Return all centres one after the other, and the model on them."""
    ends = np.cumsum([0, *(len(fit.origins) for fit, _ in fits)])
    outputs = tuple(
        _output(np.arange(ends[k], ends[k + 1]), fit.constant, posterior) for k, (fit, posterior) in enumerate(fits)
    )
    return np.vstack([fit.centres for fit, _ in fits]), RelevanceModel(outputs, int(ends[-1]))


def _output(columns: Indices, constant: bool, posterior: Posterior) -> Output:
    return Output(
        columns=columns,
        constant=constant,
        weights=posterior.weights,
        alpha=posterior.alpha,
        covariance=posterior.factor.inverse(),
    )
