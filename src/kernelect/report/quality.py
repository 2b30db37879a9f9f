"""How good the model is, and how sure that is."""

from __future__ import annotations

from typing import Any

from kernelect.report.numbers import LARGER_IS_BETTER, shown_score
from kernelect.tabular.assess import Assessment, Estimate

_MAIN = {"classification": "error", "regression": "RMSE"}


def describe_quality(assessment: Assessment | None, task: str) -> dict[str, Any]:
    """Return all estimates with their scores, and the sentence that stands first on the page."""
    main = _MAIN[task]
    if assessment is None:
        return {"main": main, "shown": None, "headline": "How good it is has not been measured.", "estimates": []}
    roles = {
        "outer folds": assessment.outer_folds,
        "leave-one-out": assessment.leave_one_out,
        "baseline": assessment.baseline,
    }
    estimates = [_plain(estimate, role) for role, estimate in roles.items() if estimate is not None]
    quality = {"main": main, "shown": estimates[0]["role"], "estimates": estimates}
    return quality | {"headline": _headline(quality)}


def estimate_of(quality: dict[str, Any], role: str | None) -> dict[str, Any] | None:
    """Return the estimate with this role, or nothing."""
    return next((estimate for estimate in quality["estimates"] if estimate["role"] == role), None)


def score_of(estimate: dict[str, Any] | None, name: str) -> dict[str, Any] | None:
    """Return one score of an estimate, or nothing."""
    return next((score for score in (estimate or {"scores": []})["scores"] if score["name"] == name), None)


def best_source(assessment: Assessment | None) -> Estimate | None:
    """Return the estimate whose single predictions are shown: outer folds before leave-one-out."""
    if assessment is None:
        return None
    found = (assessment.outer_folds, assessment.leave_one_out)
    return next((estimate for estimate in found if estimate is not None and estimate.prediction is not None), None)


def _plain(estimate: Estimate, role: str) -> dict[str, Any]:
    scores = [
        {
            "name": score.name,
            "value": float(score.value),
            "standard_error": None if score.standard_error is None else float(score.standard_error),
            "larger_is_better": score.name in LARGER_IS_BETTER,
            "words": shown_score(score.name, float(score.value), score.standard_error),
        }
        for score in estimate.scores
    ]
    return {"role": role, "name": estimate.name, "scores": scores}


def _headline(quality: dict[str, Any]) -> str:
    estimate, baseline = estimate_of(quality, quality["shown"]), estimate_of(quality, "baseline")
    ours, theirs = score_of(estimate, quality["main"]), score_of(baseline, quality["main"])
    if ours is None or estimate is None or quality["shown"] == "baseline":
        return "How good it is has not been measured."
    against = "" if theirs is None or baseline is None else f"; {_guess(baseline['name'])} gives {theirs['words']}"
    if quality["main"] == "error":
        return f"It gets {ours['words']} of new rows wrong, measured by {estimate['name']}{against}."
    share = score_of(estimate, "R2")
    explained = "" if share is None else f" (R² {share['words']})"
    return f"It is off by {ours['words']} (root mean square){explained}, measured by {estimate['name']}{against}."


def _guess(name: str) -> str:
    return f"predicting {name}" if name.startswith("always") else name
