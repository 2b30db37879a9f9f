"""A model meets rows whose truth is known: its scores there, beside what it claimed, and where it is worst."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, TypedDict

import numpy as np
import pandas as pd

from kernelect.facts import Estimate, Judge
from kernelect.facts.drift_record import DriftFacts
from kernelect.facts.estimates import COVERAGE
from kernelect.facts.names import plain_name
from kernelect.facts.numbers import apart, counted, number, percent, trimmed, was
from kernelect.facts.outcomes import Calibration
from kernelect.facts.quality import BASELINE, describe_estimate, estimate_of, named_score
from kernelect.facts.record import ScoreFacts
from kernelect.facts.scores import SURE
from kernelect.facts.stakes import CALIBRATION
from kernelect.tabular.assessing import judge_of
from kernelect.tabular.columns import check_name
from kernelect.tabular.drift import count_training_rows, drift_of
from kernelect.tabular.known_rows import known_rows_of
from kernelect.tabular.predict import predict_table, survival_table
from kernelect.tabular.read import Table
from kernelect.tabular.rows import TableRows
from kernelect.tabular.table_model import TableModel

#: Different numbers of a column up to which each is a group of its own, parts into which more of them are cut, and
#: groups that are listed.
_FEW_NUMBERS, _PARTS, _MOST_GROUPS = 10, 4, 20

#: Rows below which a group has no scores.
_LEAST_ROWS = 5

#: Share of rows that the model was fitted on from which the others are no test of it.
_KNOWN = 0.1

#: The outcome then.
NO_TEST = "no test"

_NO_TEST = (
    "{} of {} stand in the training table: the model has seen them, and predicts them better than new ones. Give rows "
    "that it has not seen."
)


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
    """What :func:`evaluate_table` found; ``outcome`` is "as claimed", "worse", "better", "not claimed" or "no test"."""

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
        A column of the table: scores are listed for each of its values, or for quarters of its numbers. By default the
        worst groups are listed, if the model and the table have a column of groups.
    most : int
        Rows that are listed as the worst.
    """
    rows, remarks = known_rows_of(model, table)
    lost = len(table.frame) - len(rows.y)
    remarks += [f"{counted(lost, 'row')} without a target that the model knows {was(lost)} left out."] if lost else []
    schema = model.schema
    found = predict_table(model, rows.X, None if schema.classes is not None else COVERAGE)
    judge = judge_of(rows, schema)
    survival = None if judge.horizon is None else survival_table(model, rows.X, judge.horizon.times)
    predicted, shares = found["prediction"].to_numpy(), _probability(found, model)
    said = _Said(prediction=predicted, probability=shares, survival=survival)
    estimate = judge.of_rows("these rows", predicted, shares, survival=survival)
    main = schema.stakes.main(schema.task)
    scores = _beside(estimate, model)
    outcome, headline = _headline(next((one for one in scores if one["name"] == main), scores[0]), len(rows.y))
    known = count_training_rows(model, rows.X)
    if known > _KNOWN * len(rows.y):
        outcome, headline = NO_TEST, f"{_NO_TEST.format(known, counted(len(rows.y), 'row'))} {headline}"
    own = schema.group if rows.groups is not None else None
    column = own if by is None else by
    groups = [] if column is None else _groups(table, column, rows, judge, said, main, names=column == own)
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
        worst_rows=[] if judge.event is not None else _worst(estimate, rows, judge, most),
        by=plain_name(column) if groups else "",
        groups=groups if by is not None else [one for one in groups if one["z"] is not None][:most],
    ), remarks


@dataclass(frozen=True, kw_only=True)
class _Said:
    """What the model says of every row: prediction, probabilities of classes, survival at the judge's times."""

    prediction: np.ndarray
    probability: np.ndarray | None
    survival: np.ndarray | None

    def of(self, places: np.ndarray) -> dict[str, Any]:
        """Return the same for some rows, as arguments of a judge."""
        each = {"probability": self.probability, "survival": self.survival}
        return {
            "prediction": self.prediction[places],
            **{name: None if values is None else values[places] for name, values in each.items()},
        }


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
        return "not claimed", f"{here}; the model made no claim that could be compared."
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
    if rows.event is not None:
        return _of_survival(estimate)
    inside = ((found["lower"] <= rows.y) & (rows.y <= found["upper"])).to_numpy()
    inside = inside if estimate.rows is None else inside[estimate.rows]
    if not len(inside):
        return "No row has a number as its target, so that nothing tells what intervals hold."
    held, error = float(np.mean(inside)), math.sqrt(COVERAGE * (1.0 - COVERAGE) / len(inside))
    return (
        f"Intervals made to hold {percent(COVERAGE, 0)} of the rows hold {percent(held)} of these; chance alone would "
        f"move that by {percent(error)}."
        + ("" if len(inside) == len(rows.y) else " Rows whose target is only a limit are not among them.")
    )


def _of_survival(estimate: Estimate) -> str:
    """Return how well survival at the median time holds, in a sentence."""
    score = estimate.score(CALIBRATION)
    if score is None or estimate.quarters is None:
        return "There are too few rows to tell whether survival functions hold."
    return (
        f"At {trimmed(float(estimate.quarters[1]), 4)}, the median time of events, predicted survival is off by "
        f"{number(100.0 * score.value, 2)} percentage points on average over thirds of the rows; chance alone may give "
        f"{number(100.0 * (score.standard_error or 0.0), 2)} or more."
    )


def _worst(estimate: Estimate, rows: TableRows, judge: Judge, most: int) -> list[EvaluatedRow]:
    """Return the rows with the largest losses, those predicted right aside."""
    truth, said, shares = np.asarray(estimate.y_true), np.asarray(estimate.prediction), estimate.probability
    if judge.classes is None:
        losses = np.abs(truth.astype(float) - said.astype(float))
        words = [trimmed(loss, 4) for loss in losses]
    elif shares is not None:
        true = shares[np.arange(len(truth)), judge.index]
        losses, words = np.where(truth == said, 0.0, 1.0 - true), [percent(share) for share in true]
    places = np.argsort(-losses, kind="stable")[:most]
    own = np.arange(len(truth)) if estimate.rows is None else estimate.rows
    stands = own if rows.places is None else rows.places[own]
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
    table: Table, by: str, rows: TableRows, judge: Judge, said: _Said, main: str, *, names: bool
) -> list[EvaluatedGroup]:
    """Return the main score of the groups, the worst first; numbers may be names."""
    cells = table.frame[check_name(table.frame, by, "--by")].reset_index(drop=True)
    labels = _labels(cells if rows.places is None else cells.iloc[rows.places], names).to_numpy()
    places = np.arange(len(labels))
    out = []
    for label in pd.unique(labels):
        own = _score_of(judge, said, places[labels == label], main)
        rest = _score_of(judge, said, places[labels != label], main)
        z = None if own is None or rest is None else _z(own, rest)
        words = f"fewer than {_LEAST_ROWS} rows" if own is None else own["words"]
        out.append(EvaluatedGroup(name=plain_name(label), rows=int(np.sum(labels == label)), words=words, z=z))
    return sorted(out, key=lambda one: -math.inf if one["z"] is None else one["z"], reverse=True)[:_MOST_GROUPS]


def _labels(cells: pd.Series, names: bool) -> pd.Series:
    """Return the group of every row in words: its cell, or the quarter in which its number lies."""
    if pd.api.types.is_numeric_dtype(cells) and cells.nunique() > _FEW_NUMBERS and not names:
        parts = pd.qcut(cells, _PARTS, duplicates="drop")
        ends = {part: f"{trimmed(part.left, 4)} to {trimmed(part.right, 4)}" for part in parts.cat.categories}
        cells = parts.astype(object).map(ends)
    elif pd.api.types.is_float_dtype(cells):
        cells = cells.map(trimmed, na_action="ignore")
    return cells.astype(object).where(cells.notna(), "(missing)").map(str)


def _score_of(judge: Judge, said: _Said, places: np.ndarray, main: str) -> ScoreFacts | None:
    """Return one score of some rows; None if they are too few for it."""
    part = judge.on(places)
    if np.sum(part.weights > 0.0) < _LEAST_ROWS:
        return None
    return named_score(describe_estimate(part.of_rows("", **said.of(places)), ""), main)
