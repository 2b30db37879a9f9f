"""Evidence of the generalised relevance vector machine, whose centres have a posterior too."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernelect.criteria.base import CriterionValue
from kernelect.criteria.rvm.base import RVMCriterion
from kernelect.exceptions import unknown_name
from kernelect.machines import Fitted
from kernelect.machines.rvm import CentreState, centre_evidence, latent, scalar_evidence
from kernelect.typing import Array


@dataclass(frozen=True)
class RVMCentreEvidence(RVMCriterion):
    """Minus ln evidence with the functions' centres integrated out beside their weights.

    A narrow function is sensitive to its centre, so its posterior is small and its evidence low. The plain evidence
    lacks this (Kropotov et al., section 4).

    Parameters
    ----------
    form : "proper" or "scalar"
        The exact Hessian under the prior z ~ N(x, tau^2) on inputs in units of their standard
        deviation; or the paper's own approximation (corrected), with its flat prior.
    tau : float
    """

    form: str = "proper"
    tau: float = 1.0
    name = "centre-evidence"
    words = "the evidence with the centres integrated out"
    rescales = True
    needs_centres = True
    has_gradient = False

    def __post_init__(self) -> None:
        if self.form not in ("proper", "scalar"):
            raise unknown_name("form", self.form, ["proper", "scalar"])

    def value(self, fitted: Fitted) -> CriterionValue:
        state: CentreState = fitted.state
        evidence = centre_evidence if self.form == "proper" else scalar_evidence
        value = -sum(evidence(fit) for fit in state.centres)
        return CriterionValue(value=value, pointwise=np.column_stack([latent(fit, fitted.gram) for fit in state.fits]))

    def value_and_gradient(self, fitted: Fitted) -> CriterionValue:
        return self.value(fitted)

    def nats(self, value: float, fitted: Fitted) -> tuple[float, float]:
        return value, 1.0

    def rescaled(self, value: Array, unit: float, n_rows: float) -> Array:
        return value + n_rows * np.log(unit)
