"""Rows worth a look: the largest misses, the surest and the least sure predictions, each explained."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from kernelect.facts.cells import hold_years
from kernelect.facts.explained import reasons_in_words, waterfall_of
from kernelect.facts.material import Material, picture
from kernelect.facts.names import plain_name
from kernelect.facts.numbers import alike, apart, percent, trimmed
from kernelect.facts.page_record import PictureFacts, RowFacts
from kernelect.facts.sources import rows_at
from kernelect.typing import Array, Indices

#: Rows in the table of the largest misses.
_WORST = 8


def worst_rows(material: Material) -> list[RowFacts]:
    """Return the rows that were predicted worst, the worst first; correct predictions are none of them."""
    source = material.assessment.best_source
    if source is None:
        return []
    places = np.argsort(-_losses(material), kind="stable")
    places = places[np.asarray(source.y_true != source.prediction)[places]][:_WORST]
    if not len(places):
        return []
    reasons = [""] * len(places)
    if material.carried is not None:
        predicted = _class_places(material)[places]
        reasons = reasons_in_words(material.carried, rows_at(material.X, table_rows(material)[places]), predicted)
    return [
        RowFacts(
            row=material.row_number(table_rows(material)[place]),
            observed=observed,
            predicted=predicted,
            miss=miss,
            reasons=words,
        )
        for place, miss, words in zip(places, _misses(material, places), reasons, strict=True)
        for observed, predicted in [_words(material, source.y_true[place], source.prediction[place])]
    ]


def notable_pictures(material: Material) -> Iterator[PictureFacts]:
    """Yield why the model says what it says of the most interesting rows."""
    source, carried = material.assessment.best_source, material.carried
    if source is None or carried is None or carried.explainer is None:
        return
    for place, why in _notable(material):
        predicted = source.prediction[place]
        output = predicted if material.task == "classification" else None
        row = int(table_rows(material)[place])
        record = waterfall_of(carried, rows_at(material.X, np.array([row])), output)
        observed, said = _words(material, source.y_true[place], predicted)
        yield picture(
            "rows",
            record,
            f"Row {material.row_number(row)}: {why}",
            f"Observed {observed}, predicted {said} by a model that had not seen this row ({source.name}). Bars lead "
            f"from the {record.label} of usual rows, {trimmed(record.base, 4)}, to {trimmed(record.total, 4)}, that of "
            "this row in the final model, which has seen it.",
        )


def _notable(material: Material) -> list[tuple[int, str]]:
    """Return places of rows with what is special about them, each row once."""
    found = _notable_numbers(material) if material.task != "classification" else _notable_classes(material)
    return list(dict(reversed(found)).items())[::-1]


def _notable_numbers(material: Material) -> list[tuple[int, str]]:
    source = material.assessment.best_source
    assert source is not None
    predicted = np.asarray(source.prediction, dtype=float)
    residuals = np.asarray(source.y_true, dtype=float) - predicted
    return [
        (int(np.argmax(residuals)), "far above its prediction"),
        (int(np.argmin(residuals)), "far below its prediction"),
        (int(np.argmax(predicted)), "the largest prediction"),
        (int(np.argmin(predicted)), "the smallest prediction"),
    ]


def _notable_classes(material: Material) -> list[tuple[int, str]]:
    source, losses = material.assessment.best_source, _losses(material)
    assert source is not None
    if source.probability is None:
        return [(int(np.argmax(losses)), "a wrong class")] if losses.any() else []
    ordered, right = np.sort(source.probability, axis=1), np.asarray(source.y_true == source.prediction)
    found = [
        (int(np.argmax(losses)), "the largest surprise"),
        (int(np.argmin(ordered[:, -1] - ordered[:, -2])), "the least sure prediction"),
    ]
    labels, counts = np.unique(source.y_true[right], return_counts=True)
    for label in labels[np.argsort(-counts, kind="stable")[:2]]:
        sure = np.where(right & (source.y_true == label), ordered[:, -1], 0.0)
        found.append((int(np.argmax(sure)), f"surely {plain_name(label)}"))
    return found


def table_rows(material: Material) -> Indices:
    """Return the places among all rows of those that were predicted."""
    source = material.assessment.best_source
    assert source is not None
    return np.arange(len(source.y_true)) if source.rows is None else np.asarray(source.rows)


def _losses(material: Material) -> Array:
    """Return how badly every row was predicted by a model that had not seen it."""
    source = material.assessment.best_source
    assert source is not None
    if material.task != "classification":
        return np.asarray(np.abs(np.asarray(source.y_true, dtype=float) - np.asarray(source.prediction, dtype=float)))
    if source.probability is None:
        return np.asarray(source.y_true != source.prediction, dtype=float)
    rows, classes = np.arange(len(source.y_true)), np.asarray(material.machine.classes_)
    return np.asarray(1.0 - source.probability[rows, places_of(classes, source.y_true)])


def _class_places(material: Material) -> Indices:
    source = material.assessment.best_source
    assert source is not None
    if material.task != "classification":
        return np.zeros(len(source.y_true), dtype=np.intp)
    return places_of(np.asarray(material.machine.classes_), source.prediction)


def places_of(classes: Any, labels: Any) -> Indices:
    """Return the place of every label among the classes, which need not be sorted."""
    order = np.argsort(classes)
    return np.asarray(order[np.searchsorted(classes, labels, sorter=order)], dtype=np.intp)


def _misses(material: Material, places: Indices) -> list[str]:
    """Return how far rows lie from their predictions, or how probable their classes were said to be."""
    source = material.assessment.best_source
    assert source is not None
    if material.task != "classification":
        found = (float(source.y_true[place]) - float(source.prediction[place]) for place in places)
        return alike(found, 4, sign=True)
    if source.probability is None:
        return [""] * len(places)
    return [percent(1.0 - float(loss)) for loss in _losses(material)[places]]


def _words(material: Material, observed: Any, predicted: Any) -> tuple[str, str]:
    """Return an observed and a predicted value; numbers with so many digits that a miss shows."""
    if not isinstance(observed, float | np.floating):
        return plain_name(observed), plain_name(predicted)
    years = hold_years(material.y)
    return apart(float(observed), float(predicted), 4, lambda value, digits: trimmed(value, digits, years=years))
