"""Whether the scores can be believed: that there are any, that they are not too good, and that two ways agree."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from kernelect.facts.doubts import (
    DOES_NOT_APPLY,
    NOT_MEASURED,
    DoubtRule,
    ModelEvidence,
    Obstacle,
    Severity,
    Words,
    few_rows,
)
from kernelect.facts.quality import LEAVE_ONE_OUT, OUTER_FOLDS, estimate_of, main_score, named_score
from kernelect.facts.record import ScoreFacts
from kernelect.facts.scores import SURE
from kernelect.registry import register

#: Rows from which no error at all, or a share of the variance above the second figure, is too good to be true.
_ENOUGH_ROWS, _COMPLETE = 100, 0.9999

_ON_LEAKS = "Check that no input was computed from the target, and that every input is known at the time of prediction."

_NO_FOLDS = Obstacle(code="no-folds", why="outer folds were not run")


@register
class NotMeasured(DoubtRule[ModelEvidence]):
    """No row was left out of the fit."""

    name = "not-measured"
    about = "whether the error was measured"
    severity = Severity.VOID

    def look(self, evidence: ModelEvidence) -> Mapping[str, Any] | None:
        return {} if main_score(evidence.facts["quality"]) is None else None

    def words(self, found: Mapping[str, Any]) -> Words:
        return Words(
            "The error on new rows was not measured.", "Fit with outer folds (--folds 5) before you rely on the model."
        )


@register
class TooGood(DoubtRule[ModelEvidence]):
    """Hardly any error on rows left out."""

    name = "too-good"
    about = "scores that are too good"
    severity = Severity.VOID

    def look(self, evidence: ModelEvidence) -> Mapping[str, Any] | Obstacle | None:
        quality, rows = evidence.facts["quality"], evidence.facts["data"]["rows"]
        if main_score(quality) is None:
            return NOT_MEASURED
        if rows < _ENOUGH_ROWS:
            return few_rows(_ENOUGH_ROWS)
        estimate = estimate_of(quality, quality["shown"])
        error, share = named_score(estimate, "error"), named_score(estimate, "R²")
        if error and error["value"] == 0.0:
            return {"rows": rows}
        return {"rows": rows, "share": share["words"]} if share and share["value"] > _COMPLETE else None

    def words(self, found: Mapping[str, Any]) -> Words:
        if "share" in found:
            return Words(f"The inputs explain the target completely (R² {found['share']}).", _ON_LEAKS)
        return Words(f"None of the {found['rows']} rows is misclassified.", _ON_LEAKS)


@register
class Disagreement(DoubtRule[ModelEvidence]):
    """Leave-one-out and outer folds differ."""

    name = "disagreement"
    about = "the agreement of leave-one-out and outer folds"
    severity = Severity.BIAS

    def look(self, evidence: ModelEvidence) -> Mapping[str, Any] | Obstacle | None:
        quality = evidence.facts["quality"]
        left_out, folds = estimate_of(quality, LEAVE_ONE_OUT), estimate_of(quality, OUTER_FOLDS)
        if left_out is None:
            return DOES_NOT_APPLY
        if folds is None:
            return _NO_FOLDS
        pairs = [(one, named_score(folds, one["name"])) for one in left_out["scores"]]
        apart = [(one, other) for one, other in pairs if other is not None and _far_apart(one, other)]
        if not apart:
            return None
        return {
            "scores": [[one["name"], one["words"], other["words"]] for one, other in apart],
            "mixture": "mixture" in evidence.facts,
        }

    def words(self, found: Mapping[str, Any]) -> Words:
        named = [f"{name} {one} against {other}" for name, one, other in found["scores"]]
        return Words(
            f"Leave-one-out and outer folds differ by more than their standard errors explain: {', '.join(named)}.",
            "Trust the outer folds, which repeat the whole selection. If rows belong together, such as those of one "
            "subject, name that column (--group)"
            + ("." if found["mixture"] else "; or fit fewer parameters (kernel 'rbf')."),
        )


def _far_apart(one: ScoreFacts, other: ScoreFacts) -> bool:
    spread = math.hypot(one["standard_error"] or 0.0, other["standard_error"] or 0.0)
    return abs(one["value"] - other["value"]) > SURE * spread > 0.0
