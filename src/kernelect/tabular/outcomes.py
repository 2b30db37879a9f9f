"""What predictions for rows left out tell about a target of numbers: rows far off, and a spread that differs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.stats import spearmanr
from sklearn.pipeline import Pipeline

from kernelect.facts import Assessment, Estimate
from kernelect.facts.estimates import COVERAGE
from kernelect.facts.numbers import number, percent
from kernelect.facts.record import Doubt
from kernelect.mixture import KernelRegressor
from kernelect.mixture.scales import WORDS

#: A row is far off where its residual is so many robust deviations, and so large a share of all squares.
_FAR, _SHARE = 6.0, 0.2

#: Fewer rows tell nothing about the others.
_LEAST_ROWS = 30

#: Intervals are too narrow where they hold less than this share of rows left out, and less than chance explains.
_HELD = 0.82

#: A spread differs where residuals' sizes go with predictions this surely, and are so many times as large.
_UNLIKELY, _TIMES = 1e-6, 2.0


def doubts_of_numbers(pipeline: Pipeline, assessment: Assessment, places: np.ndarray | None = None) -> Iterator[Doubt]:
    """Yield doubts about predicted numbers; ``places`` tell where rows stand in their table."""
    source = assessment.best_source
    if assessment.classes is not None or source is None or len(source.prediction) < _LEAST_ROWS:
        return
    predicted, observed = (np.asarray(each, dtype=float) for each in (source.prediction, source.y_true))
    rows = np.arange(len(observed)) if source.rows is None else source.rows
    yield from _far_off(predicted, observed, rows if places is None else places[rows])
    yield from _too_narrow(source)
    machine = pipeline[-1]
    if not isinstance(machine, KernelRegressor) or (machine.target_scale_.is_identity and not machine.spread_differs):
        yield from _spread(predicted, observed)


def _far_off(predicted: np.ndarray, observed: np.ndarray, rows: np.ndarray) -> Iterator[Doubt]:
    residuals = observed - predicted
    deviation = 1.4826 * float(np.median(np.abs(residuals - np.median(residuals))))
    worst = int(np.argmax(np.abs(residuals)))
    share = float(residuals[worst] ** 2 / max(float(np.sum(residuals**2)), np.finfo(float).tiny))
    if share >= _SHARE and abs(residuals[worst]) > _FAR * deviation:
        yield Doubt(
            code="far-off",
            sentence=f"Row {rows[worst] + 1} is far off: predicted {number(predicted[worst])}, observed "
            f"{number(observed[worst])}. It alone makes {percent(share, 0)} of the squared error.",
            advice="Check this row for a slip or another unit. Scores other than MAE depend on it.",
        )


def _too_narrow(source: Estimate) -> Iterator[Doubt]:
    held, chance = source.held(), np.sqrt(COVERAGE * (1.0 - COVERAGE) / len(source.prediction))
    if held is not None and held < min(COVERAGE - 3.0 * chance, _HELD):
        yield Doubt(
            code="coverage",
            sentence=f"Intervals are too narrow: made to hold {percent(COVERAGE, 0)} of the rows, they held "
            f"{percent(held, 0)} of those left out ({source.name}).",
            advice="Ask for wider ones (kernelect predict --interval 0.99). More rows help; where the table changes "
            "with time or between groups, so does a model that is fitted again.",
        )


def _spread(predicted: np.ndarray, observed: np.ndarray) -> Iterator[Doubt]:
    sizes = np.abs(observed - predicted)
    found = spearmanr(predicted, sizes)
    order = np.argsort(predicted, kind="stable")
    lower, upper = (float(np.sqrt(np.mean(sizes[part] ** 2))) for part in np.array_split(order, 3)[::2])
    small, large = min(lower, upper), max(lower, upper)
    if found.pvalue < _UNLIKELY and large > _TIMES * small:
        where = "large" if upper > lower else "small"
        yield Doubt(
            code="spread",
            sentence=f"The spread differs: predictions are off by {number(large)} where they are {where}, and by "
            f"{number(small)} at the other end.",
            advice="Intervals of one width are too narrow for some rows and too wide for others: machine auto lets "
            "them follow the spread, or model the logarithm of the target.",
        )


def remarks_on_scale(machine: Any) -> list[str]:
    """Return in which way a target of numbers is modelled, where that is not as it is."""
    if not isinstance(machine, KernelRegressor):
        return []
    scale, found = machine.target_scale_, []
    if not scale.is_identity:
        found.append(
            f"The target is modelled by {WORDS[scale.name]}, which explains rows left out better. Predictions are "
            "means of the target itself."
        )
    if machine.spread_differs:
        times = machine.spread_range()
        found.append(
            f"The spread around predictions differs by a factor of {number(times, 2)} between rows. Standard "
            "deviations and intervals follow it."
        )
    return found
