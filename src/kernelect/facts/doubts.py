"""What to doubt: rules over the facts; each gives one sentence with its figure, and what to do."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from kernelect.facts.numbers import counted, number
from kernelect.facts.quality import BASELINE, LEAVE_ONE_OUT, OUTER_FOLDS, estimate_of, guessing, main_score, score_of
from kernelect.facts.record import ClassFacts, Doubt, Facts, ScoreFacts

#: Rows in the smallest class, and rows per input of the machine, below which estimates are uncertain.
FEW_IN_CLASS, FEW_PER_INPUT = 20, 5

#: Rows of the largest class for one of the smallest, from which the error alone misleads.
IMBALANCE = 5.0

#: Standard errors by which two figures may differ without a doubt.
SURE = 2.0

#: Nats that a factor of 10 in a parameter costs at least where the rows determine it.
FLAT = 1.0

#: Calibration error beyond twice that of chance from which there is a doubt.
_CALIBRATION_SLACK = 0.02

_ON_LEAKS = "Check that no input was computed from the target, and that every input is known at the time of prediction."

#: Scores by which a model may be better than the baseline, beside the main one.
_ALSO_COMPARED = ("log-loss", "AUC")

#: Parameters or classes that a sentence names.
_NAMED_AT_MOST = 3


def find_doubts(facts: Facts) -> list[Doubt]:
    """Return the doubts, the gravest first."""
    return [doubt for rule in _RULES for doubt in rule(facts)]


def all_clear(facts: Facts) -> str:
    """Return the sentence that stands where there is no doubt: what was checked."""
    checked = ["the end of the search" + ("" if "mixture" in facts else " and its bounds")]
    checked += ["how well the rows determine the selected values"] if facts["influence"] else []
    checked += ["rows per class", "the balance of the classes"] if facts["data"]["classes"] else []
    checked += ["rows per input"]
    both = all(estimate_of(facts["quality"], role) for role in (LEAVE_ONE_OUT, OUTER_FOLDS))
    checked += ["the agreement of leave-one-out and outer folds"] if both else []
    checked += ["the calibration of probabilities"] if facts["calibration"] else []
    checked += facts["checked"]
    return f"No doubts were found. Checked: {', '.join(checked)}, and the gain over the baseline."


def _doubt(code: str, sentence: str, advice: str) -> Doubt:
    return Doubt(code=code, sentence=sentence, advice=advice)


def _no_better_than_baseline(facts: Facts) -> Iterator[Doubt]:
    quality = facts["quality"]
    baseline = estimate_of(quality, BASELINE)
    ours, theirs = main_score(quality), score_of(baseline, quality["main"])
    if ours is None or theirs is None or baseline is None:
        return
    # With one row in fifty of a class no error is below that of the other class, and yet rows may be told apart.
    shown = estimate_of(quality, quality["shown"])
    pairs = [(score_of(shown, name), score_of(baseline, name)) for name in (quality["main"], *_ALSO_COMPARED)]
    if not any(one and other and _clearly_better(one, other) for one, other in pairs):
        yield _doubt(
            "baseline",
            f"The {quality['main']} of {ours['words']} is not clearly better than the {theirs['words']} of "
            f"{guessing(baseline)}.",
            "The inputs may hold no information about the target. Check the target column, or add inputs that should "
            "matter.",
        )


def _estimates_disagree(facts: Facts) -> Iterator[Doubt]:
    quality = facts["quality"]
    left_out, folds = estimate_of(quality, LEAVE_ONE_OUT), estimate_of(quality, OUTER_FOLDS)
    pairs = [(one, score_of(folds, one["name"])) for one in (left_out["scores"] if left_out else [])]
    apart = [(one, other) for one, other in pairs if other is not None and _far_apart(one, other)]
    if apart:
        named = [f"{one['name']} {one['words']} against {other['words']}" for one, other in apart]
        yield _doubt(
            "disagreement",
            f"Leave-one-out and outer folds differ by more than their standard errors explain: {', '.join(named)}.",
            "Trust the outer folds, which repeat the whole selection. Look for rows that occur twice in the table"
            + ("." if "mixture" in facts else ", and fit fewer parameters (kernel 'rbf')."),
        )


def _not_converged(facts: Facts) -> Iterator[Doubt]:
    if not facts["machine"]["converged"]:
        yield _doubt(
            "not-converged",
            f"The search did not converge: it {facts['machine']['status']}.",
            "Give it more time (a larger time limit), or less work (effort 'fast')."
            if "mixture" in facts
            else "Give it more time (a larger time limit or max_iter), and check that two seeds select similar values.",
        )


def _at_bound(facts: Facts) -> Iterator[Doubt]:
    # The width of an input at its lower edge only means that the input does not matter, which is an answer.
    found = [
        p
        for p in facts["machine"]["parameters"]
        if p["at_bound"] and (p["kind"], p["at_bound"]) != ("width", "lower edge")
    ]
    if not found:
        return
    named = [f"{p['name']} = {number(p['value'])} ({p['at_bound']})" for p in found[:_NAMED_AT_MOST]]
    more = f" and {len(found) - len(named)} more" if len(found) > len(named) else ""
    yield _doubt(
        "at-bound",
        f"The search ended at the edge of its range for {', '.join(named)}{more}: the best value may lie outside.",
        "Look at the criterion surface. Set the parameter to a number beyond the edge and compare the errors.",
    )


def _flat(facts: Facts) -> Iterator[Doubt]:
    found = facts["influence"]
    if not found:
        return
    rises = {entry["name"]: max(abs(entry["below"] or FLAT), abs(entry["above"] or FLAT)) for entry in found}
    strongest = max(rises, key=lambda name: rises[name])
    # Widths of irrelevant inputs are undetermined, and an offset often is; what smooths the machine must not be.
    smoothing = [entry["name"] for entry in found if entry["kind"] not in ("width", "offset")]
    loose = [name for name in smoothing if rises[name] < FLAT]
    if rises[strongest] < FLAT:
        yield _doubt(
            "flat",
            f"The criterion is flat: a factor of 10 in its most influential parameter, {strongest}, changes it by "
            f"{number(rises[strongest], 2)} nats.",
            "The rows hardly determine the selected values: do not interpret them, and prefer a model with fewer "
            "parameters.",
        )
    elif loose:
        yield _doubt(
            "loose",
            f"The rows hardly determine {' and '.join(loose[:_NAMED_AT_MOST])}: a factor of 10 changes the criterion "
            f"by {number(max(rises[name] for name in loose), 2)} nats.",
            "Do not interpret the selected value.",
        )


def _on_small_classes(small: list[ClassFacts]) -> str:
    """Return which classes have few rows, the smallest first."""
    if len(small) == 1:
        return f"Class {small[0]['name']} has only {counted(small[0]['rows'], 'row')}."
    named = [f"{one['name']} ({one['rows']})" for one in small[:_NAMED_AT_MOST]]
    more = f" and {len(small) - len(named)} more" if len(small) > len(named) else ""
    return f"{len(small)} classes have fewer than {FEW_IN_CLASS} rows: {', '.join(named)}{more}."


def _few_rows(facts: Facts) -> Iterator[Doubt]:
    data = facts["data"]
    small = sorted((one for one in data["classes"] or [] if one["rows"] < FEW_IN_CLASS), key=lambda one: one["rows"])
    if small:
        yield _doubt(
            "few-in-class",
            _on_small_classes(small),
            f"Results for a class with fewer than {FEW_IN_CLASS} rows are uncertain: collect more rows of it, or merge "
            "it with another class.",
        )
    if data["rows"] < FEW_PER_INPUT * data["inputs"]:
        yield _doubt(
            "few-per-input",
            f"There are {data['rows']} rows for {data['inputs']} inputs of the machine, "
            f"{number(data['rows'] / data['inputs'], 2)} per input.",
            "Relevances and widths are uncertain: leave out inputs known not to matter"
            + ("." if "mixture" in facts else ", or use kernel 'rbf' or 'linear'."),
        )


_DEARER = (
    " Where errors in the rare class are worse, say what they cost (--cost), or count all classes alike "
    "(--class-weight balanced; class_weight='balanced' in Python)."
)


def _imbalanced(facts: Facts) -> Iterator[Doubt]:
    classes = facts["data"]["classes"]
    if not classes:
        return
    small, large = (choose(classes, key=lambda one: one["rows"]) for choose in (min, max))
    if large["rows"] >= IMBALANCE * small["rows"]:
        ratio = large["rows"] / max(small["rows"], 1)
        yield _doubt(
            "imbalance",
            f"The classes are imbalanced: {large['name']} has {number(ratio, 2)} times as many rows as "
            f"{small['name']}.{_on_unfound(facts, small['name'])}",
            "Read the confusion matrix row by row, not only the error." + ("" if "decision" in facts else _DEARER),
        )


def _on_unfound(facts: Facts, rare: str) -> str:
    """Return a sentence where no new row of the rare one of two classes is recognised."""
    quality = facts["quality"]
    found = score_of(estimate_of(quality, quality["shown"]), "F1")  # of labels with two values alone
    return f" No new row of {rare} is recognised." if found and not found["value"] else ""


def _miscalibrated(facts: Facts) -> Iterator[Doubt]:
    found = facts["calibration"]
    if found and found["ece"] > 2.0 * found["chance"] + _CALIBRATION_SLACK:
        yield _doubt(
            "calibration",
            f"Predicted probabilities are off by {number(100 * found['ece'], 2)} percentage points on average, where "
            f"chance alone would give {number(100 * found['chance'], 2)}.",
            "Trust the order of the probabilities, not their values."
            + ("" if "mixture" in facts else " A Gaussian process (GPC) is often better calibrated."),
        )


def _too_good(facts: Facts) -> Iterator[Doubt]:
    quality, rows = facts["quality"], facts["data"]["rows"]
    estimate = estimate_of(quality, quality["shown"])
    error, share = score_of(estimate, "error"), score_of(estimate, "R²")
    if rows < 100:
        return
    if error and error["value"] == 0.0:
        yield _doubt("too-good", f"None of the {rows} rows is misclassified.", _ON_LEAKS)
    elif share and share["value"] > 0.9999:
        yield _doubt("too-good", f"The inputs explain the target completely (R² {share['words']}).", _ON_LEAKS)


def _not_measured(facts: Facts) -> Iterator[Doubt]:
    if main_score(facts["quality"]) is None:
        yield _doubt(
            "not-measured",
            "The error on new rows was not measured.",
            "Fit with outer folds (--folds 5) before you rely on the model.",
        )


_RULES: tuple[Callable[[Facts], Iterator[Doubt]], ...] = (
    _not_measured,
    _no_better_than_baseline,
    _too_good,
    _estimates_disagree,
    _not_converged,
    _miscalibrated,
    _at_bound,
    _flat,
    _imbalanced,
    _few_rows,
)


def _clearly_better(ours: ScoreFacts, theirs: ScoreFacts) -> bool:
    gain = theirs["value"] - ours["value"]
    return (-gain if ours["larger_is_better"] else gain) > SURE * (ours["standard_error"] or 0.0)


def _far_apart(one: ScoreFacts, other: ScoreFacts) -> bool:
    spread = math.hypot(one["standard_error"] or 0.0, other["standard_error"] or 0.0)
    return abs(one["value"] - other["value"]) > SURE * spread > 0.0
