"""Whether there are enough rows: of each class, of the smallest beside the largest, and for each input."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from kernelect.facts.doubts import DOES_NOT_APPLY, DoubtRule, ModelEvidence, Obstacle, Severity, Words
from kernelect.facts.estimates import IMBALANCE
from kernelect.facts.names import plain_name, with_others
from kernelect.facts.numbers import counted, fixed, number
from kernelect.facts.quality import estimate_of, named_score
from kernelect.registry import register

#: Rows in the smallest class, and rows per input of the machine, below which estimates are uncertain.
FEW_IN_CLASS, FEW_PER_INPUT = 20, 5

#: Classes from which this is asked, and the share of a class's rows from which it is found at all.
_SEVERAL, FOUND = 3, 0.1

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
class Unfound(DoubtRule[ModelEvidence]):
    """Classes of many rows that the model hardly ever predicts right, among three or more."""

    name = "unfound"
    about = "classes that are never found"
    severity = Severity.WEAKNESS

    def look(self, evidence: ModelEvidence) -> Mapping[str, Any] | Obstacle | None:
        classes = evidence.facts["data"]["classes"]
        if not classes or len(classes) < _SEVERAL:
            return DOES_NOT_APPLY
        source = None if evidence.assessment is None else evidence.assessment.best_source
        if source is None:
            return None
        right, found = np.asarray(source.y_true == source.prediction), []
        for label in np.unique(source.y_true):
            of_class = np.asarray(source.y_true == label)
            rows, hits = int(of_class.sum()), int(right[of_class].sum())
            if rows >= FEW_IN_CLASS and hits < FOUND * rows:
                found.append([plain_name(label), hits, rows])
        return {"classes": found} if found else None

    def words(self, found: Mapping[str, Any]) -> Words:
        shares = [f"{name} ({hits} of {fixed(rows, 0)} rows)" for name, hits, rows in found["classes"]]
        one = len(shares) == 1
        who = f"Class {shares[0]} is" if one else f"{len(shares)} classes are"
        return Words(
            f"{who} hardly ever found" + ("." if one else f": {with_others(shares)}."),
            f"Do not count on the model for {'it' if one else 'them'}: add columns that tell {'it' if one else 'them'} "
            "apart, merge classes, or count all classes alike (--class-weight balanced; class_weight='balanced' in "
            "Python).",
        )


@register
class FewPerInput(DoubtRule[ModelEvidence]):
    """Few rows for the number of inputs."""

    name = "few-per-input"
    about = "rows per input"
    severity = Severity.DETAIL

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
