"""How the search ended: before it converged, or at the edge of its range."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kernelect.facts.doubts import DOES_NOT_APPLY, DoubtRule, ModelEvidence, Obstacle, Severity, Words
from kernelect.facts.names import with_others
from kernelect.facts.numbers import number
from kernelect.registry import register
from kernelect.results import Status


@register
class NotConverged(DoubtRule[ModelEvidence]):
    """The search was stopped."""

    name = "not-converged"
    about = "the end of the search"
    severity = Severity.WEAKNESS

    def look(self, evidence: ModelEvidence) -> Mapping[str, Any] | None:
        machine = evidence.facts["machine"]
        if machine["converged"] or _out_of_time(evidence):
            return None
        return {"status": machine["status"], "mixture": "mixture" in evidence.facts}

    def words(self, found: Mapping[str, Any]) -> Words:
        return Words(
            f"The search did not converge: it {found['status']}.",
            "The scores are those of this very model. A longer --time-limit may give a better one."
            if found["mixture"]
            else "Give it more time (a larger time limit or max_iter), and check that two seeds select similar values.",
        )


@register
class NotAllTried(DoubtRule[ModelEvidence]):
    """A time limit left out some candidates of a mixture, or ended one early: its scores hold, it could be better."""

    name = "not-all-tried"
    about = "the end of the search"
    severity = Severity.DETAIL

    def look(self, evidence: ModelEvidence) -> Mapping[str, Any] | None:
        if not _out_of_time(evidence):
            return None
        return {"missing": _not_tried(evidence), "of": len(evidence.facts["mixture"]["candidates"])}

    def words(self, found: Mapping[str, Any]) -> Words:
        missing, of = found["missing"], found["of"]
        were = "was" if missing == 1 else "were"
        what = f"{missing} of the {of} models to be mixed {were} tried" if missing else "it was tuned"
        return Words(
            f"The time limit ended the fit before {what}.",
            "The scores are those of this very model. A longer --time-limit may give a better one.",
        )


def _out_of_time(evidence: ModelEvidence) -> bool:
    """Return whether a mixture is smaller, or less tuned, than it would be with more time."""
    facts = evidence.facts
    return "mixture" in facts and (_not_tried(evidence) > 0 or facts["machine"]["outcome"] == Status.TIME_LIMIT.name)


def _not_tried(evidence: ModelEvidence) -> int:
    """Return how many candidates of a mixture there was no time for; those that left a race had some."""
    candidates = evidence.facts["mixture"]["candidates"] if "mixture" in evidence.facts else []
    return sum(not one["tried"] for one in candidates)


@register
class AtBound(DoubtRule[ModelEvidence]):
    """Selected values lie at the edge of their range."""

    name = "at-bound"
    about = "the bounds of the search"
    severity = Severity.DETAIL

    def look(self, evidence: ModelEvidence) -> Mapping[str, Any] | Obstacle | None:
        if "mixture" in evidence.facts:
            return DOES_NOT_APPLY
        # The width of an input at its lower edge only means that the input does not matter, which is an answer.
        found = [
            [one["name"], one["value"], one["at_bound"]]
            for one in evidence.facts["machine"]["parameters"]
            if one["at_bound"] and (one["kind"], one["at_bound"]) != ("width", "lower edge")
        ]
        return {"parameters": found} if found else None

    def words(self, found: Mapping[str, Any]) -> Words:
        named = with_others([f"{name} = {number(value)} ({edge})" for name, value, edge in found["parameters"]])
        return Words(
            f"The search ended at the edge of its range for {named}: the best value may lie outside.",
            "Look at the criterion surface. Set the parameter to a number beyond the edge and compare the errors.",
        )
