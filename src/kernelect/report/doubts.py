"""What to doubt: rules over the facts, each one plain sentence with its figure and what to do."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

from kernelect.report.numbers import shown
from kernelect.report.quality import estimate_of, score_of

Facts = dict[str, Any]
Doubt = dict[str, str]

#: Rows in the smallest class, and rows per input of the machine, below which estimates are loose.
FEW_IN_CLASS, FEW_PER_INPUT = 20, 5

#: Rows of the largest class for one of the smallest, from which on the error alone misleads.
IMBALANCE = 5.0

#: Standard errors by which two figures may differ before it is said.
SURE = 2.0

#: Nats that a factor of 10 in a parameter costs at least where the rows determine it.
FLAT = 1.0

#: Calibration error beyond twice that of chance which is worth a sentence.
_CALIBRATION_SLACK = 0.02

#: Parameters that a sentence names.
_NAMED_AT_MOST = 3


def find_doubts(facts: Facts) -> list[Doubt]:
    """Return what there is to doubt, the gravest first."""
    return [doubt for rule in _RULES for doubt in rule(facts)]


def _doubt(code: str, sentence: str, advice: str) -> Doubt:
    return {"code": code, "sentence": sentence, "advice": advice}


def _no_better_than_baseline(facts: Facts) -> Iterator[Doubt]:
    quality = facts["quality"]
    estimate, baseline = estimate_of(quality, quality["shown"]), estimate_of(quality, "baseline")
    ours, theirs = score_of(estimate, quality["main"]), score_of(baseline, quality["main"])
    if ours is None or theirs is None or quality["shown"] == "baseline":
        return
    gain = _signed(ours) * (theirs["value"] - ours["value"])
    if gain <= SURE * (ours["standard_error"] or 0.0):
        yield _doubt(
            "baseline",
            f"The {quality['main']} of {ours['words']} is not clearly better than {theirs['words']} for "
            f"{baseline['name'] if baseline else ''}.",
            "The inputs may hold nothing about the target: check the target column, or add inputs that should matter.",
        )


def _estimates_disagree(facts: Facts) -> Iterator[Doubt]:
    quality = facts["quality"]
    left_out, folds = estimate_of(quality, "leave-one-out"), estimate_of(quality, "outer folds")
    one, other = score_of(left_out, quality["main"]), score_of(folds, quality["main"])
    if one is None or other is None:
        return
    spread = math.hypot(one["standard_error"] or 0.0, other["standard_error"] or 0.0)
    if abs(one["value"] - other["value"]) > SURE * spread > 0.0:
        yield _doubt(
            "disagreement",
            f"Leave-one-out gives {one['words']} and outer folds {other['words']}, further apart than their errors.",
            "Believe the outer folds, which repeat the whole selection; look for rows that stand in the table twice, "
            "and fit fewer parameters (kernel 'rbf').",
        )


def _not_converged(facts: Facts) -> Iterator[Doubt]:
    if not facts["machine"]["converged"]:
        yield _doubt(
            "not-converged",
            f"The search {facts['machine']['status']}.",
            "Give it more time (a larger time limit or max_iter), and compare the values that two seeds select.",
        )


def _at_bound(facts: Facts) -> Iterator[Doubt]:
    # The width of an input at its lower edge only says that its input does not matter, which is an answer.
    found = [
        p
        for p in facts["machine"]["parameters"]
        if p["at_bound"] and (p["kind"], p["at_bound"]) != ("width", "lower edge")
    ]
    if not found:
        return
    named = [f"{p['name']} = {shown(p['value'])} ({p['at_bound']})" for p in found[:_NAMED_AT_MOST]]
    more = f" and {len(found) - len(named)} more" if len(found) > len(named) else ""
    yield _doubt(
        "at-bound",
        f"The search ended at the edge of its range for {', '.join(named)}{more}: the best value may lie beyond.",
        "Look at the criterion surface; give the parameter as a number beyond the edge, and compare the error.",
    )


def _flat(facts: Facts) -> Iterator[Doubt]:
    found = facts["influence"]
    if not found:
        return
    rises = {entry["name"]: max(abs(entry["below"] or FLAT), abs(entry["above"] or FLAT)) for entry in found}
    strongest = max(rises, key=lambda name: rises[name])
    # Widths of inputs that do not matter are open, and an offset often is; what smooths the machine should not be.
    smoothing = [entry["name"] for entry in found if entry["kind"] not in ("width", "offset")]
    loose = [name for name in smoothing if rises[name] < FLAT]
    if rises[strongest] < FLAT:
        yield _doubt(
            "flat",
            f"The criterion is flat: a factor of 10 in its most influential parameter, {strongest}, changes it by "
            f"{shown(rises[strongest], 2)} nats.",
            "The rows hardly tell the tuned values apart: do not read them, and prefer fewer parameters.",
        )
    elif loose:
        yield _doubt(
            "loose",
            f"The rows hardly determine {' and '.join(loose[:_NAMED_AT_MOST])}: a factor of 10 changes the criterion "
            f"by {shown(max(rises[name] for name in loose), 2)} nats.",
            "Do not read anything into its value.",
        )


def _few_rows(facts: Facts) -> Iterator[Doubt]:
    data = facts["data"]
    small = min(data["classes"] or [], key=lambda one: one["rows"], default=None)
    if small is not None and small["rows"] < FEW_IN_CLASS:
        yield _doubt(
            "few-in-class",
            f"Class {small['name']} has {small['rows']} rows.",
            f"Figures about fewer than {FEW_IN_CLASS} rows are loose: collect more of it, or join it to another class.",
        )
    if data["rows"] < FEW_PER_INPUT * data["inputs"]:
        yield _doubt(
            "few-per-input",
            f"There are {data['rows']} rows for {data['inputs']} inputs of the machine, "
            f"{shown(data['rows'] / data['inputs'], 2)} for each.",
            "Relevance and widths are loose; leave out inputs known not to matter, or use kernel 'rbf' or 'linear'.",
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
            f"Classes are imbalanced: {large['name']} has {shown(ratio, 2)} times the rows of {small['name']}.",
            "Read the confusion matrix row by row, not the error alone; class weights ('balanced') shift the balance.",
        )


def _miscalibrated(facts: Facts) -> Iterator[Doubt]:
    found = facts["calibration"]
    if found and found["ece"] > 2.0 * found["chance"] + _CALIBRATION_SLACK:
        yield _doubt(
            "calibration",
            f"Probabilities are off by {shown(100 * found['ece'], 2)} points on average, where "
            f"{shown(100 * found['chance'], 2)} would be chance.",
            "Trust the order of the probabilities, not their size; a Gaussian process (GPC) often does better here.",
        )


def _too_good(facts: Facts) -> Iterator[Doubt]:
    quality, rows = facts["quality"], facts["data"]["rows"]
    estimate = estimate_of(quality, quality["shown"])
    error, share = score_of(estimate, "error"), score_of(estimate, "R2")
    if rows >= 100 and ((error and error["value"] == 0.0) or (share and share["value"] > 0.9999)):
        yield _doubt(
            "too-good",
            f"Not one of {rows} rows is got wrong."
            if error
            else f"The inputs explain all of the target (R² {share['words']}).",
            "Check that no input was made from the target, and that it is known when you need to predict.",
        )


def _not_measured(facts: Facts) -> Iterator[Doubt]:
    if facts["quality"]["shown"] in (None, "baseline"):
        yield _doubt(
            "not-measured",
            "No error on rows that were left out was measured.",
            "Fit with outer folds before you rely on the model.",
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


def _signed(score: dict[str, Any]) -> float:
    return -1.0 if score["larger_is_better"] else 1.0
