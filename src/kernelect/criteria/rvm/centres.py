"""Evidence of the generalised relevance vector machine, whose centres have a posterior too."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from kernelect.criteria.base import CriterionValue
from kernelect.criteria.rvm.base import RVMCriterion
from kernelect.criteria.rvm.evidence import through_precisions
from kernelect.exceptions import InvalidArgument, unknown_name
from kernelect.machines import Fitted
from kernelect.machines.rvm import (
    CentreFit,
    CentreState,
    active_design,
    centre_evidence,
    centre_slope,
    latent,
    scalar_evidence,
)
from kernelect.typing import Array

_FORMS: dict[str, Callable[[CentreFit], float]] = {
    "proper": centre_evidence,
    "scalar": scalar_evidence,
    "printed": partial(scalar_evidence, printed=True),
}


@dataclass(frozen=True)
class RVMCentreEvidence(RVMCriterion):
    """Minus ln evidence with the functions' centres integrated out beside their weights.

    A narrow function is sensitive to its centre, so its posterior is small and its evidence low. The plain evidence
    lacks this (Kropotov et al., section 4).

    Parameters
    ----------
    form : "proper", "scalar" or "printed"
        "proper" is the exact Hessian under the prior z ~ N(x, tau^2) on inputs in units of their standard deviation.
        "scalar" is the paper's own approximation with its slips corrected, which has a flat prior. "printed" is the
        same with the constants as they are printed: the determinants come without their factors of 2 pi, so that
        every function costs ln 2 pi more.
    tau : float
        Standard deviation of the prior on the centres while they move, ``inf`` for a flat one.
    rounds : int
        How often the precisions are found anew after the centres have moved, and the centres moved again.

    Notes
    -----
    Only the proper form has a gradient. At fixed precisions it is that of
    :func:`kernelect.machines.rvm.centre_slope`. The precisions maximise the plain evidence with the functions on the
    rows, and follow the widths as for :class:`RVMOccamEvidence`.
    """

    form: str = "proper"
    tau: float = 1.0
    rounds: int = 0
    name = "centre-evidence"
    words = "the evidence with the centres integrated out"
    rescales = True
    needs_centres = True

    def __post_init__(self) -> None:
        if self.form not in _FORMS:
            raise unknown_name("form", self.form, list(_FORMS))
        if self.form == "proper" and not np.isfinite(self.tau):
            raise InvalidArgument(
                f"tau={self.tau!r} is a flat prior, under which the proper form has no finite value: give a number, or "
                "form='scalar'."
            )
        # A search without gradient scans the common width only.
        object.__setattr__(self, "has_gradient", self.form == "proper" and not self.rounds)

    def value(self, fitted: Fitted) -> CriterionValue:
        state: CentreState = fitted.state
        value = -sum(_FORMS[self.form](fit) for fit in state.centres)
        return CriterionValue(value=value, pointwise=np.column_stack([latent(fit, fitted.gram) for fit in state.fits]))

    def value_and_gradient(self, fitted: Fitted) -> CriterionValue:
        found, state = self.value(fitted), fitted.state
        by_design, by_widths = np.zeros(fitted.gram.shape), np.zeros(state.centres[0].moves.shape[1])
        for fit, moved in zip(state.fits, state.centres, strict=True):
            slope = centre_slope(moved)
            by_widths -= slope.log_gamma
            kernels = fit.active > 0
            if kernels.any():
                through = through_precisions(fit, active_design(fit, fitted.gram), slope.log_precision)
                by_design[:, fit.active[kernels] - 1] -= through[:, kernels]
        return replace(found, grad_gram=by_design, grad_widths=by_widths)

    def nats(self, value: float, fitted: Fitted) -> tuple[float, float]:
        return value, 1.0

    def rescaled(self, value: Array, unit: float, n_rows: float) -> Array:
        return value + n_rows * np.log(unit)
