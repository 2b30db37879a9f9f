"""The criteria of relevance vector machines."""

from __future__ import annotations

from kernelect.criteria.base import Criterion


class RVMCriterion(Criterion):
    """Judges relevance vector machines."""

    judges = ("rvm",)
