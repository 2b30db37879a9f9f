"""How the inputs of a model become the inputs of one of its components."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernelect.inputs.indicators import Indicators
from kernelect.inputs.warp import Warp
from kernelect.typing import Array, Indices


@dataclass(frozen=True, kw_only=True)
class View:
    """The inputs as they are, warped to normal quantiles, or with an indicator for every level of a category.

    Attributes
    ----------
    warp : Warp or None
    indicators : Indicators or None
        Applied after the warp.
    """

    warp: Warp | None = None
    indicators: Indicators | None = None

    def __call__(self, Z: Array) -> Array:
        """Return the view of coded rows (m, d)."""
        warped = Z if self.warp is None else self.warp(Z)
        return warped if self.indicators is None else self.indicators(warped)

    def behind(self, n_inputs: int) -> Indices:
        """Return the input of the model from which every input of the view is made."""
        return np.arange(n_inputs) if self.indicators is None else self.indicators.inputs


#: The inputs as they are.
AS_GIVEN = View()
