"""Whether the rows determine what was selected."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

from kernelect.facts.doubts import DOES_NOT_APPLY, DoubtRule, ModelEvidence, Obstacle, Severity, Words
from kernelect.facts.names import NAMED_AT_MOST
from kernelect.facts.numbers import number
from kernelect.facts.record import InfluenceFacts
from kernelect.registry import register

#: Nats that a factor of 10 in a parameter costs at least if the rows determine it.
FLAT = 1.0

_NOT_MAPPED = Obstacle(code="not-mapped", why="the surface of the criterion was not computed")


class _OfRises(DoubtRule[ModelEvidence]):
    """What both rules share: by how much the criterion rises when a parameter changes by a factor of 10."""

    about = "how well the rows determine the selected values"
    severity = Severity.DETAIL

    def look(self, evidence: ModelEvidence) -> Mapping[str, Any] | Obstacle | None:
        found = evidence.facts["influence"]
        if not found:
            bare = "mixture" in evidence.facts or not evidence.facts["machine"]["parameters"]
            return DOES_NOT_APPLY if bare else _NOT_MAPPED
        rises = {one["name"]: max(abs(one["below"] or FLAT), abs(one["above"] or FLAT)) for one in found}
        return self.among(found, rises)

    @abstractmethod
    def among(self, found: list[InfluenceFacts], rises: dict[str, float]) -> Mapping[str, Any] | None:
        """Return the figures of the doubt."""


@register
class FlatSelection(_OfRises):
    """Nothing that was selected matters."""

    name = "flat"

    def among(self, found: list[InfluenceFacts], rises: dict[str, float]) -> Mapping[str, Any] | None:
        """Return the parameter that matters most, if not even it matters."""
        strongest = max(rises, key=lambda name: rises[name])
        return {"parameter": strongest, "rise": rises[strongest]} if rises[strongest] < FLAT else None

    def words(self, found: Mapping[str, Any]) -> Words:
        return Words(
            f"The criterion is flat: a factor of 10 in its most influential parameter, {found['parameter']}, changes "
            f"it by {number(found['rise'], 2)} nats.",
            "The rows hardly determine the selected values: do not interpret them, and prefer a model with fewer "
            "parameters.",
        )


@register
class Loose(_OfRises):
    """Some of what was selected does not matter."""

    name = "loose"

    def among(self, found: list[InfluenceFacts], rises: dict[str, float]) -> Mapping[str, Any] | None:
        """Return the loose ones; widths of irrelevant inputs are undetermined and an offset often is."""
        smoothing = [one["name"] for one in found if one["kind"] not in ("width", "offset")]
        loose = [name for name in smoothing if rises[name] < FLAT]
        if not loose or max(rises.values()) < FLAT:  # all of them: the criterion is flat
            return None
        return {"parameters": loose, "rise": max(rises[name] for name in loose)}

    def words(self, found: Mapping[str, Any]) -> Words:
        return Words(
            f"The rows hardly determine {' and '.join(found['parameters'][:NAMED_AT_MOST])}: a factor of 10 changes "
            f"the criterion by {number(found['rise'], 2)} nats.",
            "Do not interpret the selected value.",
        )
