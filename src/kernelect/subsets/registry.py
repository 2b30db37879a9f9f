"""The criteria that score subsets, and the strategies that search among subsets, by name."""

from __future__ import annotations

from kernelect.registry import Registry
from kernelect.subsets.evidence import EvidenceCriterion, MacKayEvidence, MarginalLikelihood, QuadratureEvidence
from kernelect.subsets.ols import OLS
from kernelect.subsets.strategies import ABF, PTA, SFFS, Oscillating, Strategy

SUBSET_CRITERIA: Registry[EvidenceCriterion] = Registry(
    "subset criterion",
    EvidenceCriterion,  # type: ignore[type-abstract]
    argument="criterion",
)

for _criterion in (QuadratureEvidence, MacKayEvidence, MarginalLikelihood):
    SUBSET_CRITERIA.register(_criterion, _criterion.name)

STRATEGIES: Registry[Strategy] = Registry("strategy", Strategy)  # type: ignore[type-abstract]

STRATEGIES.register(PTA, "forward", make=lambda: PTA(1, 0))
STRATEGIES.register(PTA, "pta")
STRATEGIES.register(PTA, "backward", make=lambda: PTA(0, 1))
STRATEGIES.register(SFFS, "sffs")
STRATEGIES.register(Oscillating, "oscillating")
STRATEGIES.register(ABF, "abf")
STRATEGIES.register(OLS, "ols")
