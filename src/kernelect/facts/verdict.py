"""The verdict on a model: how good it is, how sure that is and what to do, in a sentence each.

A verdict is the first rule of :data:`VERDICTS` that holds. Rules read facts and doubts, and compute nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

from kernelect.facts.doubts import NO_TIME, Severity
from kernelect.facts.numbers import fixed, with_error
from kernelect.facts.quality import BASELINE, estimate_of, guessing, main_score, named_score
from kernelect.facts.record import Doubt, Facts, ScoreFacts, VerdictFacts
from kernelect.facts.rules.baseline import ALSO_COMPARED, better_by
from kernelect.facts.scores import SURE
from kernelect.facts.stakes import CONCORDANCE, COST

#: Share of the loss of guessing (log-loss, error, or the target's variance) that a model has to save.
WEAK = 0.1

#: Standard errors by which one of the scores has to be better than guessing, so that the gain is no accident.
CLEAR = 4.0

#: Rows below which scores and doubts say little.
FEW_ROWS = 50

#: Share of rows from which a decimal is shown: 99.6 of 100 is not 100 of 100.
_NEARLY_ALL = 0.98


class VerdictLevel(IntEnum):
    """What a model may be used for."""

    DO_NOT_USE = 1
    NOT_YET = 2
    ORIENTATION = 3
    CARE = 4
    AS_IT_IS = 5

    @property
    def words(self) -> str:
        """The level for readers."""
        return _LEVELS[self]


_LEVELS = {
    VerdictLevel.DO_NOT_USE: "Do not use it",
    VerdictLevel.NOT_YET: "Do not rely on it yet",
    VerdictLevel.ORIENTATION: "Use it for orientation only",
    VerdictLevel.CARE: "Use it with care",
    VerdictLevel.AS_IT_IS: "Use it as it is",
}


@dataclass(frozen=True)
class VerdictRule:
    """One verdict: a stable code, its level, when it holds, and what to do then."""

    code: str
    level: VerdictLevel
    holds: Callable[[Facts], bool]
    advice: Callable[[Facts], str]


def describe_verdict(facts: Facts) -> VerdictFacts:
    """Return the verdict on a model whose scores, doubts and learning curve are known."""
    rule = next(rule for rule in VERDICTS if rule.holds(facts))
    return VerdictFacts(
        level=int(rule.level),
        code=rule.code,
        words=rule.level.words,
        good=_how_good(facts),
        sure=_how_sure(facts),
        todo=rule.advice(facts),
    )


def saved_share(facts: Facts) -> float | None:
    """Return which share of the loss of guessing the model saves; None if that was not measured."""
    quality = facts["quality"]
    shown, baseline = estimate_of(quality, quality["shown"]), estimate_of(quality, BASELINE)
    if main_score(quality) is None:
        return None
    explained = named_score(shown, "R²")
    if explained is not None:
        return explained["value"]
    for name in ("log-loss", "error"):
        ours, theirs = named_score(shown, name), named_score(baseline, name)
        if ours is not None and theirs is not None and theirs["value"] > 0.0:
            return 1.0 - ours["value"] / theirs["value"]
    return None


def _gravest(facts: Facts) -> Doubt | None:
    return max(facts["doubts"], key=lambda doubt: doubt["severity"], default=None)


def _doubted(facts: Facts, least: Severity) -> bool:
    gravest = _gravest(facts)
    return gravest is not None and gravest["severity"] >= least


def _no_gain(facts: Facts) -> bool:
    found = {doubt["code"]: doubt["figures"] for doubt in facts["doubts"]}
    return "baseline" in found or not found.get("worse-than-baseline", {"better": True})["better"]


def _weak(facts: Facts) -> bool:
    share = saved_share(facts)
    return share is not None and share < WEAK


def _unclear(facts: Facts) -> bool:
    quality = facts["quality"]
    return not any(better_by(quality, name, CLEAR) for name in (quality["main"], *ALSO_COMPARED))


def _of_gravest(facts: Facts) -> str:
    gravest = _gravest(facts)
    assert gravest is not None
    return gravest["advice"]


def _of_baseline(facts: Facts) -> str:
    return next(each["advice"] for each in facts["doubts"] if each["code"] in ("baseline", "worse-than-baseline"))


def _more(facts: Facts) -> str:
    """Return whether to collect rows or columns."""
    learning = facts["learning"]
    if learning is None:
        return "Collect more rows, or add columns that should matter."
    way_out = "Collect more rows" if learning["helps"] else "Add columns that should matter"
    return f"{way_out}. {learning['sentence']}"


def _unchecked(facts: Facts) -> str:
    """Return what there was no time to look for."""
    return " and ".join(one["about"] for one in facts.get("checks", []) if one["obstacle"] == NO_TIME)


def _of_unchecked(facts: Facts) -> str:
    return f"Fit again with a longer time limit: there was no time to look for {_unchecked(facts)}."


def _use(facts: Facts) -> str:
    learning = facts["learning"]
    more = f" {learning['sentence']}" if learning is not None and learning["helps"] else ""
    how = "kernelect predict MODEL TABLE" if facts["title"] else "model.predict(X)"  # a table has a name
    return f"Predict new rows of the same kind ({how}).{more}"


#: In this order: the first that holds is the verdict.
VERDICTS = (
    VerdictRule("no-gain", VerdictLevel.DO_NOT_USE, _no_gain, _of_baseline),
    VerdictRule("void", VerdictLevel.NOT_YET, lambda facts: _doubted(facts, Severity.VOID), _of_gravest),
    VerdictRule("weak", VerdictLevel.ORIENTATION, _weak, _more),
    VerdictRule("unclear", VerdictLevel.ORIENTATION, _unclear, _more),
    VerdictRule("few-rows", VerdictLevel.ORIENTATION, lambda facts: facts["data"]["rows"] < FEW_ROWS, _more),
    VerdictRule("doubted", VerdictLevel.CARE, lambda facts: _doubted(facts, Severity.WEAKNESS), _of_gravest),
    VerdictRule("unchecked", VerdictLevel.CARE, lambda facts: bool(_unchecked(facts)), _of_unchecked),
    VerdictRule("sound", VerdictLevel.AS_IT_IS, lambda _: True, _use),
)


def _how_good(facts: Facts) -> str:
    quality = facts["quality"]
    ours, baseline = main_score(quality), estimate_of(quality, BASELINE)
    theirs = named_score(baseline, quality["main"])
    if ours is None or theirs is None or baseline is None:
        return "How good it is on new rows was not measured."
    guess, ours_words, theirs_words = guessing(baseline), _certain(ours), _certain(theirs)
    if quality["main"] == "error":
        right, guessed = _right(ours["value"]), _right(theirs["value"])
        return f"Of 100 new rows it predicts about {right} right; {guess} gets {guessed} right."
    if quality["main"] == CONCORDANCE:
        right, guessed = (fixed(100.0 * one["value"], 0) for one in (ours, theirs))
        return (
            f"Of 100 pairs of new rows it predicts for about {right} which event comes first; {guess} gets {guessed}."
        )
    if quality["main"] != "RMSE":
        what = "mean cost per row" if quality["main"] == COST else quality["main"]
        return f"The {what} on new rows is {ours_words}; {guess} has {theirs_words}."
    share = saved_share(facts)
    if share is None:
        return f"Predictions of new rows are off by {ours_words}; {guess} is off by {theirs_words}."
    return (
        f"Predictions of new rows are off by {ours_words}, and the model explains {_hundreds(share)} % of the "
        f"differences between rows ({guess} is off by {theirs_words})."
    )


def _how_sure(facts: Facts) -> str:
    quality = facts["quality"]
    ours, estimate = main_score(quality), estimate_of(quality, quality["shown"])
    if ours is None or estimate is None:
        return "No row was left out of the fit, so nothing is known about new rows."
    measured = f"Measured by {estimate['name']} on rows that the model had not seen"
    if any(doubt["severity"] == Severity.BIAS for doubt in facts["doubts"]):
        measured += ", but new rows may be different (see what to doubt)"
    error = ours["standard_error"]
    if not error:
        return f"{measured}."
    low, high = ours["value"] - SURE * error, ours["value"] + SURE * error
    if quality["main"] == CONCORDANCE:
        ends = " to ".join(fixed(100.0 * min(end, 1.0), 0) for end in (low, high))
        return f"{measured}: probably {ends} of 100 pairs right."
    if quality["main"] == "error":
        return f"{measured}: probably {_right(high)} to {_right(low)} of 100 rows right."
    low = low if ours["larger_is_better"] else max(low, 0.0)
    ends = " to ".join(_certain(ours, end) for end in (low, high))
    return f"{measured}: the {quality['main']} is probably {ends}."


def _certain(score: ScoreFacts, value: float | None = None) -> str:
    """Return the value of a score, or one near it, with the digits that its standard error leaves certain."""
    return with_error(score["value"] if value is None else value, score["standard_error"]).partition(" ± ")[0]


def _right(error: float) -> str:
    """Return how many of 100 rows are right."""
    return _hundreds(1.0 - error)


def _hundreds(share: float) -> str:
    """Return a share in hundredths: all of them only if it is 1."""
    if _NEARLY_ALL <= share < 1.0:
        return fixed(min(100.0 * share, 99.9), 1)
    return fixed(100.0 * min(max(share, 0.0), 1.0), 0)
