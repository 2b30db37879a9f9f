"""The selection objective of a machine whose functions' centres move."""

from __future__ import annotations

from dataclasses import dataclass, replace

from kernelect.kernels.base import Pullback
from kernelect.kernels.centres import GaussianCentres
from kernelect.machines import CentreState
from kernelect.machines.rvm_centres import at_rows, joint_mode
from kernelect.priors import HyperPoint
from kernelect.selection.objective import SelectionObjective
from kernelect.typing import Array


@dataclass(frozen=True)
class CentreObjective(SelectionObjective):
    """Solves the machine at fixed centres, then moves weights and centres to their joint mode."""

    tau: float = 1.0

    def _solved(self, theta: Array) -> tuple[HyperPoint, Pullback]:
        point, pull = super()._solved(theta)
        geometry = GaussianCentres.of(point.kernel, self.X)
        fits = point.fitted.state.fits
        centres = tuple(joint_mode(at_rows(fit, self.X, geometry, self.tau)) for fit in fits)
        fitted = replace(point.fitted, state=CentreState(fits, centres))
        return replace(point, fitted=fitted), pull
