"""Whether the model is better than a guess that looks at no input."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

from kernelect.facts.doubts import NOT_MEASURED, DoubtRule, ModelEvidence, Obstacle, Severity, Words
from kernelect.facts.quality import BASELINE, estimate_of, guessing, main_score, named_score
from kernelect.facts.record import QualityFacts, ScoreFacts
from kernelect.facts.scores import SURE
from kernelect.registry import register

#: Scores by which a model may be better than the baseline, beside the main one. R² compares both row by row, and is
#: much surer of a difference than two RMSEs.
ALSO_COMPARED = ("log-loss", "AUC", "R²")

#: Standard errors by which the main score has to be worse than the baseline's: with a rare class one row more or less
#: decides which of two equal models is ahead.
_WORSE = 1.0


class _AgainstBaseline(DoubtRule[ModelEvidence]):
    """What both rules share: the figures of model and baseline."""

    about = "the gain over the baseline"
    severity = Severity.VOID

    def look(self, evidence: ModelEvidence) -> Mapping[str, Any] | Obstacle | None:
        quality = evidence.facts["quality"]
        baseline = estimate_of(quality, BASELINE)
        ours, theirs = main_score(quality), named_score(baseline, quality["main"])
        if ours is None or theirs is None or baseline is None:
            return NOT_MEASURED
        if not self.holds(quality, ours, theirs):
            return None
        return {
            "score": quality["main"],
            "model": ours["words"],
            "baseline": theirs["words"],
            "guessing": guessing(baseline),
            "better": [name for name in ALSO_COMPARED if better_by(quality, name, SURE)],
        }

    @abstractmethod
    def holds(self, quality: QualityFacts, ours: ScoreFacts, theirs: ScoreFacts) -> bool:
        """Return whether there is a doubt."""


@register
class NotBetter(_AgainstBaseline):
    """No score is clearly better than that of guessing."""

    name = "baseline"

    def holds(self, quality: QualityFacts, ours: ScoreFacts, theirs: ScoreFacts) -> bool:
        """Return whether no score is clearly better; with one row in fifty of a class the error cannot be."""
        names = (quality["main"], *ALSO_COMPARED)
        return not _worse(ours, theirs) and not any(better_by(quality, name, SURE) for name in names)

    def words(self, found: Mapping[str, Any]) -> Words:
        return Words(
            f"The {found['score']} of {found['model']} is not clearly better than the {found['baseline']} of "
            f"{found['guessing']}.",
            "The inputs may hold no information about the target. Check the target column, or add inputs that should "
            "matter.",
        )


@register
class Worse(_AgainstBaseline):
    """The main score is worse than that of guessing."""

    name = "worse-than-baseline"

    def holds(self, quality: QualityFacts, ours: ScoreFacts, theirs: ScoreFacts) -> bool:
        """Return whether the main score is worse by more than its standard error."""
        return _worse(ours, theirs)

    def words(self, found: Mapping[str, Any]) -> Words:
        sentence = (
            f"The {found['score']} of {found['model']} is worse than the {found['baseline']} of {found['guessing']}"
        )
        if not found["better"]:
            return Words(
                f"{sentence}.",
                "Do not use the model. The inputs may hold no information about the target: check the target column, "
                "or add inputs that should matter.",
            )
        better = f"{' and '.join(found['better'])} {'is' if len(found['better']) == 1 else 'are'} better"
        return Words(
            f"{sentence}, although {better}.",
            "The probabilities hold information, the predicted classes do not. Use the probabilities, or state what "
            "each kind of error costs (--cost).",
        )


def _gain(ours: ScoreFacts, theirs: ScoreFacts) -> float:
    gain = theirs["value"] - ours["value"]
    return -gain if ours["larger_is_better"] else gain


def _worse(ours: ScoreFacts, theirs: ScoreFacts) -> bool:
    return _gain(ours, theirs) < -_WORSE * (ours["standard_error"] or 0.0)


def better_by(quality: QualityFacts, name: str, errors: float) -> bool:
    """Return whether one score of the model is better than the baseline's by so many standard errors."""
    ours, theirs = (named_score(estimate_of(quality, role), name) for role in (quality["shown"], BASELINE))
    return ours is not None and theirs is not None and _gain(ours, theirs) > errors * (ours["standard_error"] or 0.0)
