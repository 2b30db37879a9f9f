"""Pictures of how good predictions of rows are that the model had not seen."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kernelect.exceptions import MissingCapability
from kernelect.facts.curves import Recalls, ResidualTrend, Thresholds
from kernelect.facts.estimates import COVERAGE, Estimate
from kernelect.facts.learning import LearningCurve
from kernelect.facts.material import Material, picture
from kernelect.facts.names import plain_name
from kernelect.facts.numbers import fixed, number, percent, score_words, trimmed
from kernelect.facts.outcomes import Confusion, Residuals
from kernelect.facts.page_record import PictureFacts, ThresholdFacts
from kernelect.facts.sources import is_mixture
from kernelect.facts.stakes import MEAN_DISTANCE
from kernelect.facts.survival import SurvivalCalibration, SurvivalCurves

#: Rows whose probabilities a page carries for the choice of a threshold.
_MOST_ROWS = 5000


def outcome_pictures(material: Material) -> Iterator[PictureFacts]:
    """Yield confusion and recall of classes, or observed values and residuals against predicted ones."""
    times, source = material.assessment.times_source, material.assessment.best_source
    if times is not None and times.event is not None:
        yield from _times(times)
    if source is None:
        return
    if material.task != "classification":
        yield from _numbers(material)
        return
    confusion = Confusion.from_predictions(source.y_true, source.prediction, classes=material.machine.classes_)
    caption = (
        f"Rows are true classes, columns predicted classes, measured by {source.name}. "
        f"{_of(confusion.wrong, float(confusion.counts.sum()))} rows are misclassified."
    )
    distance = source.score(MEAN_DISTANCE)
    if distance is not None:
        words = score_words(distance.name, distance.value, distance.standard_error)
        caption += f" On average a prediction is {words} classes away from the truth."
    if material.decision is not None and source is material.assessment.outer_folds:
        caption += " The model of every fold decides by its own threshold, which may differ from the whole model's."
    yield picture("good", confusion, "Confusion matrix", caption)
    yield picture(
        "good",
        Recalls.of(confusion.classes, confusion.counts),
        "Every class by itself",
        f"Bars: how much of a class is found (its recall), with one standard error. Points: how often a row with this "
        f"label belongs to the class (its precision). Measured by {source.name}.",
    )


def _times(source: Estimate) -> Iterator[PictureFacts]:
    record = SurvivalCurves.of(source.y_true, source.event, source.prediction)
    if record is not None:
        yield picture(
            "good",
            record,
            "What came of thirds of the rows",
            f"Rows are sorted by the time predicted by a model that had not seen them ({source.name}) and cut into "
            "thirds. Lines: the share of each without an event, by Kaplan and Meier, with two standard errors. The "
            "further apart, the better the model tells early from late. Curves end at the last event.",
        )
    yield from _survival_calibration(source)


def _survival_calibration(source: Estimate) -> Iterator[PictureFacts]:
    if source.survival is None or source.quarters is None:
        return
    record = SurvivalCalibration.of(source.y_true, source.event, source.survival, source.quarters)
    if record is not None:
        times = ", ".join(trimmed(at, 3) for at in record.times)
        yield picture(
            "good",
            record,
            "Calibration of survival",
            f"At the quartiles of the times of events ({times}): the share of rows that were said to have no event "
            f"until then, in thirds of the rows, beside the share by Kaplan and Meier with two standard errors "
            f"({source.name}). On the dashed line, what was said came true.",
        )


def _numbers(material: Material) -> Iterator[PictureFacts]:
    source = material.assessment.best_source
    assert source is not None
    limited = source.limited
    residuals = Residuals.from_predictions(source.y_true, source.prediction, interval=source.interval, limited=limited)
    caption = (
        f"Measured by {source.name}. Upright lines: the range around every prediction that is made to hold "
        f"{percent(COVERAGE, 0)} of such rows; it holds {percent(residuals.held)} of these. The dashed line marks "
        "perfect predictions."
    )
    if limited is not None and len(limited):
        caption += (
            " Arrows start at the limit of a row of which only that is known, and point to where its target lies; "
            "these rows do not count."
        )
    yield picture("good", residuals, "Observed against predicted", caption)
    yield picture(
        "good",
        ResidualTrend.of(source.y_true, source.prediction),
        "Residuals against predictions",
        "Thick line: the middle of the residuals; thin lines: 90 % of them lie between. A bend means that something is "
        "missed; thin lines that open mean that large predictions are less certain.",
    )


def threshold_pictures(material: Material) -> Iterator[PictureFacts]:
    """Yield the curves over all thresholds, of two classes."""
    cuts, name = _cuts(material)
    place, rows = cuts.place(), cuts.rows
    source = material.assessment.outer_folds
    assert source is not None
    missed, alarms = cuts.positives - cuts.hits[place], cuts.flagged[place] - cuts.hits[place]
    point = (
        f"The point is the model's threshold of {percent(cuts.threshold)}: {_of(missed, cuts.positives)} missed, "
        f"{_of(alarms, rows - cuts.positives)} flagged in vain"
    )
    yield picture(
        "good",
        cuts.roc(name),
        "Found against false alarms (ROC)",
        f"Every point is a threshold on the probability of {name}, measured by {source.name}. {point}. Dashed: "
        "guessing.",
    )
    yield picture(
        "good",
        cuts.precision_recall(name),
        "Precision against recall",
        f"How often a flagged row is {name}, against how many of them are found. Dashed: flagging rows blindly, "
        f"{percent(cuts.positives / rows)} of which are {name}. Useful if {name} is rare.",
    )
    tenth = cuts.found_in_first(0.1)
    yield picture(
        "good",
        cuts.lift(name),
        "Lift: the likeliest rows first",
        f"The likeliest tenth of the rows holds {percent(tenth)} of all rows that are {name}, "
        f"{number(10.0 * tenth, 2)} times as many as by chance (dashed).",
    )


def _of(part: float, whole: float) -> str:
    return f"{fixed(part, 0)} of {fixed(whole, 0)}"


def learning_pictures(material: Material) -> Iterator[PictureFacts]:
    """Yield how the loss falls with the number of rows."""
    curve = LearningCurve.from_estimator(material.estimator)
    yield picture(
        "good",
        curve,
        "Would more rows help?",
        f"{curve.in_words()} The curve is made of parts of the rows, with all settings as they were selected"
        f"{', by the heaviest least-squares machine alone' if is_mixture(material.machine) else ''}.",
    )


def describe_threshold(material: Material) -> ThresholdFacts | None:
    """Return what a reader needs to choose a threshold: probabilities of rows left out, and which are positive."""
    try:
        cuts, name = _cuts(material)
    except MissingCapability:
        return None
    positive, costs = _positive(material), None if material.decision is None else material.decision.costs
    source = material.assessment.outer_folds
    assert source is not None
    assert source.probability is not None
    kept = np.unique(np.linspace(0, len(source.y_true) - 1, min(_MOST_ROWS, len(source.y_true))).astype(np.intp))
    classes = material.machine.classes_
    return ThresholdFacts(
        positive=name,
        other=plain_name(classes[1 - positive]),
        at=cuts.threshold,
        miss_cost=1.0 if costs is None else costs[positive][1 - positive],
        alarm_cost=1.0 if costs is None else costs[1 - positive][positive],
        probability=[round(float(value), 6) for value in source.probability[kept, positive]],
        truth=[int(value) for value in source.y_true[kept] == classes[positive]],
        source=source.name,
    )


def _cuts(material: Material) -> tuple[Thresholds, str]:
    # Not leave-one-out: models that each lack another row do not rank rows alike.
    source = material.assessment.outer_folds
    if material.task != "classification" or source is None or source.probability is None:
        raise MissingCapability("There are no probabilities from outer folds.")
    classes, place = np.asarray(material.machine.classes_), _positive(material)
    truth = source.y_true == classes[place]
    if len(classes) != 2 or truth.all() or not truth.any():
        raise MissingCapability("A threshold is for two classes.")
    own = None if material.decision is None else material.decision.threshold
    cuts = Thresholds.of(truth, source.probability[:, place], 0.5 if own is None else own)
    return cuts, plain_name(classes[place])


def _positive(material: Material) -> int:
    """Return the place of the class that is looked for."""
    return 1 if material.decision is None else material.decision.positive
