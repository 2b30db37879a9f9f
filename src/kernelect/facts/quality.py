"""How good the model is, and how sure that is."""

from __future__ import annotations

from kernelect.facts.estimates import Assessment, Estimate
from kernelect.facts.numbers import LARGER_IS_BETTER, score_words
from kernelect.facts.record import EstimateFacts, QualityFacts, ScoreFacts
from kernelect.facts.stakes import COST

OUTER_FOLDS, LEAVE_ONE_OUT, BASELINE = "outer folds", "leave-one-out", "baseline"

_MAIN = {"classification": "error", "regression": "RMSE"}

_NOT_MEASURED = "The error on new rows was not measured."


def describe_quality(assessment: Assessment | None, task: str, metric: str | None = None) -> QualityFacts:
    """Return all estimates with their scores, and the sentence that sums them up."""
    main = metric or _MAIN[task]
    if assessment is None:
        return QualityFacts(main=main, shown=None, headline=_NOT_MEASURED, estimates=[])
    roles = {
        OUTER_FOLDS: assessment.outer_folds,
        LEAVE_ONE_OUT: assessment.leave_one_out,
        BASELINE: assessment.baseline,
    }
    estimates = [describe_estimate(estimate, role) for role, estimate in roles.items() if estimate is not None]
    quality = QualityFacts(main=main, shown=estimates[0]["role"], headline="", estimates=estimates)
    quality["headline"] = _headline(quality)
    return quality


def describe_estimate(estimate: Estimate, role: str) -> EstimateFacts:
    """Return the name of an estimate and its scores, as numbers and in words."""
    scores = [
        ScoreFacts(
            name=score.name,
            value=float(score.value),
            standard_error=None if score.standard_error is None else float(score.standard_error),
            larger_is_better=score.name in LARGER_IS_BETTER,
            words=score_words(score.name, float(score.value), score.standard_error),
        )
        for score in estimate.scores
    ]
    return EstimateFacts(role=role, name=estimate.name, scores=scores)


def estimate_of(quality: QualityFacts, role: str | None) -> EstimateFacts | None:
    """Return the estimate with this role, or nothing."""
    return next((estimate for estimate in quality["estimates"] if estimate["role"] == role), None)


def named_score(estimate: EstimateFacts | None, name: str) -> ScoreFacts | None:
    """Return one score of an estimate, or nothing."""
    return next((score for score in estimate["scores"] if score["name"] == name), None) if estimate else None


def scores_by_estimate(quality: QualityFacts) -> tuple[list[str], dict[str, dict[str, str]]]:
    """Return the names of the estimates, and for each score its words by estimate."""
    words: dict[str, dict[str, str]] = {}
    estimates = quality["estimates"]
    measured = {score["name"] for one in estimates if one["role"] != BASELINE for score in one["scores"]}
    for estimate in estimates:
        for score in estimate["scores"]:
            if score["name"] in measured or len(estimates) == 1:
                words.setdefault(score["name"], {})[estimate["name"]] = score["words"]
    return [estimate["name"] for estimate in estimates], words


def main_score(quality: QualityFacts) -> ScoreFacts | None:
    """Return the score to believe, where one was measured on rows that were left out."""
    return (
        None if quality["shown"] == BASELINE else named_score(estimate_of(quality, quality["shown"]), quality["main"])
    )


def _headline(quality: QualityFacts) -> str:
    estimate, baseline = estimate_of(quality, quality["shown"]), estimate_of(quality, BASELINE)
    ours, theirs = main_score(quality), named_score(baseline, quality["main"])
    if ours is None or estimate is None:
        return _NOT_MEASURED
    guess = f" For comparison, {guessing(baseline)}: {theirs['words']}." if theirs and baseline else ""
    if quality["main"] == "error":
        return f"The model misclassifies {ours['words']} of new rows, measured by {estimate['name']}.{guess}"
    if quality["main"] != "RMSE":
        what = "mean cost per row" if quality["main"] == COST else quality["main"]
        return f"The {what} on new rows is {ours['words']}, measured by {estimate['name']}.{guess}"
    share = named_score(estimate, "R²")
    explained = "" if share is None else f", R² {share['words']}"
    return (
        f"Predictions for new rows are off by {ours['words']} (root mean square{explained}), measured by "
        f"{estimate['name']}.{guess}"
    )


def guessing(baseline: EstimateFacts) -> str:
    """Return what the baseline does, as the middle of a sentence."""
    return baseline["name"].replace("always the", "always predicting the")
