"""Whether there are enough rows: of each class, of the smallest beside the largest, and for each input."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kernelect.facts.doubts import DOES_NOT_APPLY, DoubtRule, ModelEvidence, Obstacle, Severity, Words
from kernelect.facts.estimates import IMBALANCE
from kernelect.facts.names import with_others
from kernelect.facts.numbers import counted, number
from kernelect.facts.quality import estimate_of, named_score
from kernelect.registry import register

#: Rows in the smallest class, and rows per input of the machine, below which estimates are uncertain.
FEW_IN_CLASS, FEW_PER_INPUT = 20, 5

_DEARER = (
    " If errors in the rare class are worse, state what they cost (--cost), or count all classes alike "
    "(--class-weight balanced; class_weight='balanced' in Python)."
)


@register
class FewInClass(DoubtRule[ModelEvidence]):
    """Classes with few rows."""

    name = "few-in-class"
    about = "rows per class"
    severity = Severity.WEAKNESS
    evidence = ModelEvidence

    def look(self, evidence: ModelEvidence) -> Mapping[str, Any] | Obstacle | None:
        classes = evidence.facts["data"]["classes"]
        if not classes:
            return DOES_NOT_APPLY
        small = sorted((one for one in classes if one["rows"] < FEW_IN_CLASS), key=lambda one: one["rows"])
        return {"classes": [[one["name"], one["rows"]] for one in small]} if small else None

    def words(self, found: Mapping[str, Any]) -> Words:
        advice = (
            f"Results for a class with fewer than {FEW_IN_CLASS} rows are uncertain: collect more rows of it, or merge "
            "it with another class."
        )
        if len(found["classes"]) == 1:
            ((name, rows),) = found["classes"]
            return Words(f"Class {name} has only {counted(rows, 'row')}.", advice)
        named = with_others([f"{name} ({rows})" for name, rows in found["classes"]])
        return Words(f"{len(found['classes'])} classes have fewer than {FEW_IN_CLASS} rows: {named}.", advice)


@register
class Imbalance(DoubtRule[ModelEvidence]):
    """One class has many times the rows of another."""

    name = "imbalance"
    about = "the balance of the classes"
    severity = Severity.WEAKNESS
    evidence = ModelEvidence

    def look(self, evidence: ModelEvidence) -> Mapping[str, Any] | Obstacle | None:
        facts, classes = evidence.facts, evidence.facts["data"]["classes"]
        if not classes:
            return DOES_NOT_APPLY
        small, large = (choose(classes, key=lambda one: one["rows"]) for choose in (min, max))
        if large["rows"] < IMBALANCE * small["rows"]:
            return None
        quality = facts["quality"]
        f1 = named_score(estimate_of(quality, quality["shown"]), "F1")  # of labels with two values alone
        return {
            "large": large["name"],
            "small": small["name"],
            "ratio": large["rows"] / max(small["rows"], 1),
            "recognised": not (f1 and not f1["value"]),
            "decided": "decision" in facts,
        }

    def words(self, found: Mapping[str, Any]) -> Words:
        unfound = "" if found["recognised"] else f" No new row of {found['small']} is recognised."
        return Words(
            f"The classes are imbalanced: {found['large']} has {number(found['ratio'], 2)} times as many rows as "
            f"{found['small']}.{unfound}",
            "Read the confusion matrix row by row, not only the error." + ("" if found["decided"] else _DEARER),
        )


@register
class FewPerInput(DoubtRule[ModelEvidence]):
    """Few rows for the number of inputs."""

    name = "few-per-input"
    about = "rows per input"
    severity = Severity.DETAIL
    evidence = ModelEvidence

    def look(self, evidence: ModelEvidence) -> Mapping[str, Any] | None:
        data = evidence.facts["data"]
        if data["rows"] >= FEW_PER_INPUT * data["inputs"]:
            return None
        return {"rows": data["rows"], "inputs": data["inputs"], "mixture": "mixture" in evidence.facts}

    def words(self, found: Mapping[str, Any]) -> Words:
        return Words(
            f"There are {found['rows']} rows for {found['inputs']} inputs of the machine, "
            f"{number(found['rows'] / found['inputs'], 2)} per input.",
            "Relevances and widths are uncertain: leave out inputs known not to matter"
            + ("." if found["mixture"] else ", or use kernel 'rbf' or 'linear'."),
        )
