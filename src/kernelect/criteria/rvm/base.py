"""What a criterion of relevance vector machines says of itself."""

from __future__ import annotations

from typing import ClassVar

from kernelect.criteria.base import Criterion


class RVMCriterion(Criterion):
    """Judges relevance vector machines."""

    judges = ("rvm",)

    #: Whether it is an evidence, so that one fit is enough to know that a kernel is hopeless.
    is_evidence: ClassVar[bool] = False

    @property
    def price(self) -> float:
        """Nats that a function costs beside the evidence, about."""
        return 0.0

    @property
    def compares_shapes(self) -> bool:
        """Whether its pointwise values are losses of rows held out, by which shapes of a kernel can be compared."""
        return False
