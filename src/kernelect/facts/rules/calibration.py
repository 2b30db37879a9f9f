"""Whether probabilities come true."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kernelect.facts.doubts import DOES_NOT_APPLY, DoubtRule, ModelEvidence, Obstacle, Severity, Words
from kernelect.facts.numbers import number
from kernelect.registry import register

#: Calibration error beyond twice that of chance from which there is a doubt.
_SLACK = 0.02

_NO_PROBABILITIES = Obstacle(code="no-probabilities", why="there are no probabilities of rows left out")


@register
class Miscalibrated(DoubtRule[ModelEvidence]):
    """Probabilities are off by more than chance explains."""

    name = "calibration"
    about = "the calibration of probabilities"
    severity = Severity.WEAKNESS

    def look(self, evidence: ModelEvidence) -> Mapping[str, Any] | Obstacle | None:
        found = evidence.facts["calibration"]
        if not found:
            return _NO_PROBABILITIES if evidence.facts["data"]["classes"] else DOES_NOT_APPLY
        if found["ece"] <= 2.0 * found["chance"] + _SLACK:
            return None
        return {"error": found["ece"], "chance": found["chance"], "mixture": "mixture" in evidence.facts}

    def words(self, found: Mapping[str, Any]) -> Words:
        return Words(
            f"Predicted probabilities are off by {number(100 * found['error'], 2)} percentage points on average, where "
            f"chance alone would give {number(100 * found['chance'], 2)}.",
            "Trust the order of the probabilities, not their values."
            + ("" if found["mixture"] else " A Gaussian process (GPC) is often better calibrated."),
        )
