"""In which way a target of numbers is modelled."""

from __future__ import annotations

from typing import Any

from kernelect.facts.numbers import number
from kernelect.mixture import KernelRegressor
from kernelect.mixture.scales import WORDS


def remarks_on_scale(machine: Any) -> list[str]:
    """Return in which way a target of numbers is modelled, if that is not as it is."""
    if not isinstance(machine, KernelRegressor):
        return []
    scale, found = machine.target_scale_, []
    if not scale.is_identity:
        found.append(
            f"The target is modelled by {WORDS[scale.name]}, which explains rows left out better. Predictions are "
            "means of the target itself."
        )
    if machine.spread_differs:
        times = machine.spread_range()
        found.append(
            f"The spread around predictions differs by a factor of {number(times, 2)} between rows. Standard "
            "deviations and intervals follow it."
        )
    return found
