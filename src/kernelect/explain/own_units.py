"""Effects on a number that is modelled on another scale, such as its logarithm, in the number's own units.

On the scale of the model, values add up from the base to the row: t = b + sum_j v_j. What the target itself goes
through from g(b) to g(t) is split in proportion, so column j has v_j (g(t) - g(b)) / (t - b). This is the integral of
the gradient of g(sum) along the straight path from the base to the row (Aumann and Shapley 1974): signs and ratios
stay, and the values add up to the prediction.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kernelect.explain.record import Explanation
from kernelect.model import NumberHead
from kernelect.model.scales import ANSCOMBE, TimeScale
from kernelect.model.subject import subject_of
from kernelect.typing import Array

#: Scale of the target -> from its values to the target, and the derivative of that.
_BACK: dict[str, tuple[Callable[[Array], Array], Callable[[Array], Array]]] = {
    "log": (np.exp, np.exp),
    "log1p": (np.expm1, np.exp),
    "sqrt": (np.square, lambda t: 2.0 * t),
}

#: Steps on the scale below which the slope stands for the difference.
_CLOSE = 1e-8

WORDS = {
    "log": "logarithm",
    "log1p": "logarithm of one more",
    "sqrt": "square root",
    "times": "bent logarithm",
}


@dataclass(frozen=True, kw_only=True)
class OwnUnits:
    """The way back from a scale: its name, and what is added to the target before its square root is taken.

    ``times`` is the scale of times until an event.
    """

    name: str
    more: float = 0.0
    times: TimeScale | None = None

    def way(self, t: Array) -> Array:
        """Return the target (and ``more``) of values on the scale."""
        return self.times.backward(t) if self.times is not None else _BACK[self.name][0](t)

    def slope(self, t: Array) -> Array:
        """Return the derivative of :meth:`way`."""
        return np.exp(-self.times.log_slope(self.way(t))) if self.times is not None else _BACK[self.name][1](t)

    @property
    def sentence(self) -> str:
        """What the effects are, for readers."""
        return (
            f"The target is modelled by its {WORDS[self.name]}, where effects add up; they are given in the target's "
            "own units, in proportion."
        )

    def of(self, explanation: Explanation) -> Explanation:
        """Return an explanation whose values add up to the prediction itself."""
        totals = np.asarray(explanation.totals, dtype=float)
        base = np.asarray(explanation.base_values, dtype=float)
        factor = self._factor(base, totals)
        own = replace(
            explanation,
            values=explanation.values * factor[:, None],
            base_values=self.way(base) - self.more,
            explained="prediction",
            remarks=(*(each for each in explanation.remarks if WORDS[self.name] not in each), self.sentence),
        )
        if explanation.standard_errors is not None:
            own = replace(own, standard_errors=explanation.standard_errors * np.abs(factor)[:, None])
        if explanation.interactions is not None:
            own = replace(own, interactions=explanation.interactions * factor[:, None, None])
        return own

    def _factor(self, base: Array, totals: Array) -> Array:
        step = totals - base
        close = np.abs(step) < _CLOSE
        with np.errstate(over="ignore"):
            change = self.way(totals) - self.way(base)
            return np.where(close, self.slope(base), change / np.where(close, 1.0, step))


def own_units_of(model: Any) -> OwnUnits | None:
    """Return the way from the scale of a model to its target's own; None if they are one, or if there is none."""
    head = subject_of(model).model.head
    if not isinstance(head, NumberHead) or head.scale.is_identity:
        return None
    if isinstance(head.scale, TimeScale):
        return OwnUnits(name=head.scale.name, times=head.scale)
    return OwnUnits(name=head.scale.name, more=ANSCOMBE - head.scale.extra if head.scale.name == "sqrt" else 0.0)
