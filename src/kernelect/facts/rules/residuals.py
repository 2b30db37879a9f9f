"""What predictions for rows left out show about a target of numbers."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.stats import spearmanr

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
from kernelect.facts.estimates import COVERAGE, Estimate
from kernelect.facts.numbers import apart, number, percent
from kernelect.mixture import KernelRegressor
from kernelect.registry import register

#: A row is far off if its residual is so many robust deviations, so large a share of all squares, and so many standard
#: deviations of the target: among predictions that are all but exact, some row is always the furthest off.
_FAR, _SHARE, _NOTICEABLE = 6.0, 0.2, 0.01

#: Fewer rows show nothing about the others.
_LEAST_ROWS = 30

#: Intervals are too narrow if they hold less than this share of rows left out, and less than chance explains.
_HELD = 0.82

#: A spread differs if residuals' sizes go with predictions this surely, and are so many times as large.
_UNLIKELY, _TIMES = 1e-6, 2.0

_NO_INTERVALS = Obstacle(code="no-intervals", why="there are no intervals of rows left out")


class _OfNumbers(DoubtRule[ModelEvidence]):
    """What the rules share: predicted and observed numbers of rows left out."""

    severity = Severity.WEAKNESS

    def look(self, evidence: ModelEvidence) -> Mapping[str, Any] | Obstacle | None:
        known = evidence.assessment
        if known is None or known.classes is not None or known.of_times:
            return DOES_NOT_APPLY
        source = known.best_source
        if source is None:
            return NOT_MEASURED
        return few_rows(_LEAST_ROWS) if len(source.prediction) < _LEAST_ROWS else self.among(evidence, source)

    @abstractmethod
    def among(self, evidence: ModelEvidence, source: Estimate) -> Mapping[str, Any] | Obstacle | None:
        """Return the figures of the doubt."""


def _pair(source: Estimate) -> tuple[np.ndarray, np.ndarray]:
    """Return predicted and observed numbers."""
    return np.asarray(source.prediction, dtype=float), np.asarray(source.y_true, dtype=float)


@register
class FarOff(_OfNumbers):
    """One row makes most of the error."""

    name = "far-off"
    about = "single rows far off"

    def among(self, evidence: ModelEvidence, source: Estimate) -> Mapping[str, Any] | None:
        """Return the row that is furthest off."""
        predicted, observed = _pair(source)
        residuals = observed - predicted
        deviation = 1.4826 * float(np.median(np.abs(residuals - np.median(residuals))))
        worst = int(np.argmax(np.abs(residuals)))
        share = float(residuals[worst] ** 2 / max(float(np.sum(residuals**2)), np.finfo(float).tiny))
        if share < _SHARE or abs(residuals[worst]) <= max(_FAR * deviation, _NOTICEABLE * float(np.std(observed))):
            return None
        row = worst if source.rows is None else int(source.rows[worst])
        place = row if evidence.places is None else int(evidence.places[row])
        return {"row": place + 1, "predicted": predicted[worst], "observed": observed[worst], "share": share}

    def words(self, found: Mapping[str, Any]) -> Words:
        predicted, observed = apart(found["predicted"], found["observed"])
        return Words(
            f"Row {found['row']} is far off: predicted {predicted}, observed {observed}. It alone makes "
            f"{percent(found['share'], 0)} of the squared error.",
            f"Check row {found['row']} for a slip or another unit. Scores other than MAE depend on it.",
        )


@register
class Coverage(_OfNumbers):
    """Intervals hold too few rows."""

    name = "coverage"
    about = "the coverage of intervals"

    def among(self, evidence: ModelEvidence, source: Estimate) -> Mapping[str, Any] | Obstacle | None:
        """Return the share of rows that intervals hold."""
        held, chance = source.held(), np.sqrt(COVERAGE * (1.0 - COVERAGE) / len(source.prediction))
        if held is None:
            return _NO_INTERVALS
        return {"held": held, "estimate": source.name} if held < min(COVERAGE - 3.0 * chance, _HELD) else None

    def words(self, found: Mapping[str, Any]) -> Words:
        return Words(
            f"Intervals are too narrow: made to hold {percent(COVERAGE, 0)} of the rows, they held "
            f"{percent(found['held'], 0)} of those left out ({found['estimate']}).",
            "Ask for wider intervals (kernelect predict --interval 0.99). More rows help. If the table changes with "
            "time or between groups, fit the model again from time to time.",
        )


@register
class UnequalSpread(_OfNumbers):
    """Errors are larger at one end of the predictions, and intervals do not follow."""

    name = "spread"
    about = "the spread of the errors"

    def among(self, evidence: ModelEvidence, source: Estimate) -> Mapping[str, Any] | Obstacle | None:
        """Return the errors at both ends."""
        machine = evidence.machine
        if isinstance(machine, KernelRegressor) and (machine.spread_differs or not machine.target_scale_.is_identity):
            return DOES_NOT_APPLY  # intervals follow it
        predicted, observed = _pair(source)
        sizes = np.abs(observed - predicted)
        order = np.argsort(predicted, kind="stable")
        lower, upper = (float(np.sqrt(np.mean(sizes[part] ** 2))) for part in np.array_split(order, 3)[::2])
        if max(lower, upper) <= _TIMES * min(lower, upper) or spearmanr(predicted, sizes).pvalue >= _UNLIKELY:
            return None
        return {"lower": lower, "upper": upper, "mixture": isinstance(machine, KernelRegressor)}

    def words(self, found: Mapping[str, Any]) -> Words:
        small, large = sorted((found["lower"], found["upper"]))
        place = "large" if found["upper"] > found["lower"] else "small"
        return Words(
            f"The spread differs: predictions are off by {number(large)} where they are {place}, and by "
            f"{number(small)} at the other end.",
            "Intervals of one width are too narrow for some rows and too wide for others: "
            + (
                "more rows, or a longer --time-limit, may let them follow the spread."
                if found["mixture"]
                else "machine auto lets them follow the spread, or model the logarithm of the target."
            ),
        )
