"""A model meets rows whose truth is known: its scores there, beside what it claimed, and where it is worst."""

from __future__ import annotations

import math
from typing import Any, TypedDict

import numpy as np
import pandas as pd

from kernelect.exceptions import MissingCapability
from kernelect.facts import Estimate, Judge
from kernelect.facts.estimates import COVERAGE
from kernelect.facts.names import plain_name
from kernelect.facts.numbers import apart, counted, number, percent, trimmed, was
from kernelect.facts.outcomes import Calibration
from kernelect.facts.quality import BASELINE, describe_estimate, estimate_of, named_score
from kernelect.facts.record import ScoreFacts
from kernelect.facts.scores import SURE
from kernelect.tabular.columns import check_name
from kernelect.tabular.drift import DriftFacts, drift_of
from kernelect.tabular.known_rows import known_rows_of
from kernelect.tabular.predict import predict_table
from kernelect.tabular.read import Table
from kernelect.tabular.rows import TableRows
from kernelect.tabular.table_model import TableModel

#: Different numbers of a column up to which each is a group of its own, parts into which more of them are cut, and
#: groups that are listed.
_FEW_NUMBERS, _PARTS, _MOST_GROUPS = 10, 4, 20

#: Rows below which a group has no scores.
_LEAST_ROWS = 5


class EvaluatedScore(TypedDict):
    """A score on these rows, the same as it was claimed, and by how many standard errors it is worse than that."""

    name: str
    here: str
    claimed: str
    value: float
    standard_error: float | None
    z: float | None


class EvaluatedRow(TypedDict):
    """A row that was predicted badly; ``row`` counts from 1."""

    row: int
    observed: str
    predicted: str
    miss: str


class EvaluatedGroup(TypedDict):
    """The main score of some rows, and by how many standard errors it is worse than that of all others."""

    name: str
    rows: int
    words: str
    z: float | None


class EvaluationFacts(TypedDict):
    """What :func:`evaluate_table` found; ``outcome`` is "as claimed", "worse" or "better"."""

    title: str
    target: str
    task: str
    rows: int
    outcome: str
    headline: str
    main: str
    scores: list[EvaluatedScore]
    calibration: str
    drift: DriftFacts
    worst_rows: list[EvaluatedRow]
    by: str
    groups: list[EvaluatedGroup]


def evaluate_table(
    model: TableModel, table: Table, *, by: str | None = None, most: int = 8
) -> tuple[EvaluationFacts, list[str]]:
    """Return how good a model is on rows whose truth is known, and remarks.

    Parameters
    ----------
    model : TableModel
        Loaded with its report, which holds what was claimed.
    table : Table
        It has the model's target.
    by : str, optional
        A column of the table: scores are listed for each of its values, or for quarters of its numbers.
    most : int
        Rows that are listed as the worst.
    """
    if model.schema.event is not None:
        raise MissingCapability(
            "evaluate does not know survival times yet: use KernelSurvival.score in Python, or predict the rows."
        )
    rows, remarks = known_rows_of(model, table)
    lost = len(table.frame) - len(rows.y)
    remarks += [f"{counted(lost, 'row')} without a target that the model knows {was(lost)} left out."] if lost else []
    schema = model.schema
    found = predict_table(model, rows.X, None if schema.classes is not None else COVERAGE)
    judge = Judge(rows.y, schema.classes, rows.weights, None, schema.stakes, ordered=schema.ordered)
    estimate = judge.of_rows("these rows", found["prediction"].to_numpy(), _probability(found, model))
    main = schema.stakes.main(schema.task)
    scores = _beside(estimate, model)
    outcome, headline = _headline(next((one for one in scores if one["name"] == main), scores[0]), len(rows.y))
    return EvaluationFacts(
        title=plain_name(table.source),
        target=plain_name(schema.target),
        task=schema.task,
        rows=len(rows.y),
        outcome=outcome,
        headline=headline,
        main=main,
        scores=scores,
        calibration=_calibration(found, rows, model, estimate),
        drift=drift_of(model, rows.X, joint=True),
        worst_rows=_worst(estimate, rows, judge, most),
        by="" if by is None else plain_name(by),
        groups=[] if by is None else _groups(table, by, rows, judge, estimate, main),
    ), remarks


def _probability(found: pd.DataFrame, model: TableModel) -> Any:
    """Return the columns of probabilities, None for numbers."""
    if model.schema.classes is None:
        return None
    return found[[f"probability:{label}" for label in model.schema.classes]].to_numpy()


def _beside(estimate: Estimate, model: TableModel) -> list[EvaluatedScore]:
    """Return the scores beside those that the report of the model shows."""
    quality = model.facts["quality"]
    claimed = None if quality["shown"] == BASELINE else estimate_of(quality, quality["shown"])
    out = []
    for score in describe_estimate(estimate, "")["scores"]:
        if not math.isfinite(score["value"]):
            continue
        before = named_score(claimed, score["name"])
        out.append(
            EvaluatedScore(
                name=score["name"],
                here=score["words"],
                claimed="" if before is None else before["words"],
                value=score["value"],
                standard_error=score["standard_error"],
                z=None if before is None else _z(score, before),
            )
        )
    return out


def _z(one: ScoreFacts, other: ScoreFacts) -> float | None:
    """Return by how many standard errors a score is worse than another."""
    error = math.hypot(one["standard_error"] or 0.0, other["standard_error"] or 0.0)
    sign = -1.0 if one["larger_is_better"] else 1.0
    return sign * (one["value"] - other["value"]) / error if error else None


def _headline(score: EvaluatedScore, n_rows: int) -> tuple[str, str]:
    """Return the outcome and the sentence on the score that counts."""
    here = f"On {counted(n_rows, 'row')} the {score['name']} is {score['here']}"
    z = score["z"]
    if z is None:
        return "as claimed", f"{here}; the model made no claim that could be compared."
    if abs(z) <= SURE:
        return "as claimed", f"{here}, as claimed ({score['claimed']})."
    worse = "worse" if z > 0.0 else "better"
    advice = " These rows differ from those of the fit: look at the worst rows, or fit again." if z > 0.0 else ""
    size = number(abs(z), 2)
    return worse, f"{here}, {worse} than the {score['claimed']} that was claimed, by {size} standard errors.{advice}"


def _calibration(found: pd.DataFrame, rows: TableRows, model: TableModel, estimate: Estimate) -> str:
    """Return how well probabilities or intervals hold, in a sentence."""
    if model.schema.classes is not None:
        record = Calibration.from_predictions(rows.y, estimate.probability, classes=model.schema.classes)
        return (
            f"Probabilities are off by {number(100 * record.ece, 2)} percentage points on average; chance alone would "
            f"give {number(100 * record.chance, 2)}."
        )
    held = float(np.mean((found["lower"] <= rows.y) & (rows.y <= found["upper"])))
    error = math.sqrt(COVERAGE * (1.0 - COVERAGE) / len(rows.y))
    return (
        f"Intervals made to hold {percent(COVERAGE, 0)} of the rows hold {percent(held)} of these; chance alone would "
        f"move that by {percent(error)}."
    )


def _worst(estimate: Estimate, rows: TableRows, judge: Judge, most: int) -> list[EvaluatedRow]:
    """Return the rows with the largest losses, those predicted right aside."""
    truth, said, shares = np.asarray(estimate.y_true), np.asarray(estimate.prediction), estimate.probability
    if judge.classes is None:
        losses = np.abs(truth.astype(float) - said.astype(float))
        words = [trimmed(loss, 4) for loss in losses]
    elif shares is not None:
        own = shares[np.arange(len(truth)), judge.index]
        losses, words = np.where(truth == said, 0.0, 1.0 - own), [percent(share) for share in own]
    places = np.argsort(-losses, kind="stable")[:most]
    stands = np.arange(len(truth)) if rows.places is None else rows.places
    return [
        EvaluatedRow(row=int(stands[k]) + 1, observed=observed, predicted=predicted, miss=words[k])
        for k in places
        if losses[k] > 0.0
        for observed, predicted in [_pair(truth[k], said[k])]
    ]


def _pair(observed: Any, predicted: Any) -> tuple[str, str]:
    if not isinstance(observed, float | np.floating):
        return plain_name(observed), plain_name(predicted)
    return apart(float(observed), float(predicted), 4, trimmed)


def _groups(
    table: Table, by: str, rows: TableRows, judge: Judge, estimate: Estimate, main: str
) -> list[EvaluatedGroup]:
    """Return the main score of every group, the worst first."""
    cells = table.frame[check_name(table.frame, by, "--by")].reset_index(drop=True)
    labels = _labels(cells if rows.places is None else cells.iloc[rows.places]).to_numpy()
    places = np.arange(len(labels))
    out = []
    for label in pd.unique(labels)[:_MOST_GROUPS]:
        own = _score_of(judge, estimate, places[labels == label], main)
        rest = _score_of(judge, estimate, places[labels != label], main)
        z = None if own is None or rest is None else _z(own, rest)
        words = f"fewer than {_LEAST_ROWS} rows" if own is None else own["words"]
        out.append(EvaluatedGroup(name=plain_name(label), rows=int(np.sum(labels == label)), words=words, z=z))
    return sorted(out, key=lambda one: -math.inf if one["z"] is None else one["z"], reverse=True)


def _labels(cells: pd.Series) -> pd.Series:
    """Return the group of every row in words: its cell, or the quarter in which its number lies."""
    if pd.api.types.is_numeric_dtype(cells) and cells.nunique() > _FEW_NUMBERS:
        parts = pd.qcut(cells, _PARTS, duplicates="drop")
        ends = {part: f"{trimmed(part.left, 4)} to {trimmed(part.right, 4)}" for part in parts.cat.categories}
        cells = parts.astype(object).map(ends)
    elif pd.api.types.is_float_dtype(cells):
        cells = cells.map(trimmed, na_action="ignore")
    return cells.astype(object).where(cells.notna(), "(missing)").map(str)


def _score_of(judge: Judge, estimate: Estimate, places: np.ndarray, main: str) -> ScoreFacts | None:
    """Return one score of some rows; None if they are too few for it."""
    if len(places) < _LEAST_ROWS:
        return None
    shares = None if estimate.probability is None else estimate.probability[places]
    part = Judge(judge.y[places], judge.classes, judge.weights[places], None, judge.stakes, ordered=judge.ordered)
    found = part.of_rows("", np.asarray(estimate.prediction)[places], shares)
    return named_score(describe_estimate(found, ""), main)
