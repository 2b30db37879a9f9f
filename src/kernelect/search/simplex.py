"""The search without derivatives: the Nelder-Mead simplex."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize

from kernelect.results import Status
from kernelect.search.base import Recorder, Search, value_only
from kernelect.typing import Array


class NelderMead(Search):
    """Nelder-Mead simplex within bounds (SciPy): for criteria without gradient, few parameters."""

    name = "nelder-mead"
    needs_gradient = False

    #: Edge of the first simplex, in log units.
    _EDGE = 1.0

    def _run(self, evaluate: Recorder, start: Array, lower: Array, upper: Array) -> tuple[Status, str]:
        budget, p = evaluate.budget, len(start)
        simplex = np.vstack([start, start + self._EDGE * np.eye(p)])
        simplex = np.where(simplex > upper, start - self._EDGE, simplex)
        outcome = minimize(
            value_only(evaluate),
            start,
            method="Nelder-Mead",
            bounds=np.column_stack([lower, upper]),
            options={
                "maxiter": budget.max_iter * p,
                "xatol": 1e-3,
                "fatol": budget.tol,
                "initial_simplex": np.clip(simplex, lower, upper),
                "adaptive": p > 4,
            },
        )
        return (Status.CONVERGED if outcome.success else Status.MAX_ITER), str(outcome.message)
