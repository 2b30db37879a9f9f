"""What a page needs for "what if": a control for every column, rows to start from, and what they lead to."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from kernelect.exceptions import MissingCapability, OutOfTime, UnusableModel
from kernelect.explain.own_units import WORDS, OwnUnits
from kernelect.explain.record import is_of_number
from kernelect.export.evaluate import number_of, text_of
from kernelect.export.program import ExportedColumn, Program
from kernelect.facts.bands import describe_band, describe_curve, ends_at
from kernelect.facts.carried import Carried, carried_model
from kernelect.facts.cells import column_ranks, hold_years
from kernelect.facts.estimates import Assessment
from kernelect.facts.explained import cells_in_words, towards
from kernelect.facts.names import plain_name
from kernelect.facts.numbers import are_years, trimmed
from kernelect.facts.page_record import (
    REASONS,
    ControlFacts,
    OwnUnitsFacts,
    ReasonFacts,
    StartFacts,
    WhatIfFacts,
)
from kernelect.facts.plain import as_plain
from kernelect.facts.relevance import ranked, relevance_by_column
from kernelect.facts.sources import input_sources, machine_of, rows_at, some_rows
from kernelect.inputs.numerals import CLOCK, DURATION
from kernelect.model.subject import predicted_numbers, subject_of
from kernelect.numerics import time_is_up, watched_deadline
from kernelect.typing import Indices

#: Rows that a reader can start from, and cells that they may have together.
_ROWS, _CELLS = 300, 20_000

_NO_TIME = "There was no time left for it."

#: Different values up to which the most frequent one is typical of a column, and not the middle one.
_FEW_VALUES = 8


def describe_what_if(
    model: Any,
    X: Any,
    y: Any,
    assessment: Assessment,
    generator: np.random.Generator,
    places: Indices | None = None,
) -> tuple[WhatIfFacts, Carried | None]:
    """Return the facts, and the model that they are about; None if a page can carry none.

    Parameters
    ----------
    model : estimator, Pipeline or TableModel
    X, y : DataFrame or array, array-like
        What it was fitted on.
    assessment : Assessment
    generator : Generator
    places : ndarray of int, optional
        Where the rows stand in their table, if some of it were left out.
    """
    if time_is_up():
        return _without(_NO_TIME), None
    try:
        with watched_deadline().watched():
            carried = carried_model(model, X, generator)
    except OutOfTime:
        return _without(_NO_TIME), None
    except (MissingCapability, UnusableModel) as error:  # the last one: an export that is not the model
        return _without(str(error)), None
    program, own = carried.program, carried.own_units
    explained = _explained(carried, own)
    cells, units = _cells(program, X), _units(subject_of(model).schema)
    stands = np.arange(len(cells)) if places is None else places
    shown, years = _starts(cells), not subject_of(model).model.is_classifier and hold_years(y)
    return (
        WhatIfFacts(
            script=carried.script,
            controls=[
                _control(column, cells[:, place], units.get(column.name, ""))
                for place, column in enumerate(program.columns)
            ],
            order=_order(carried, program),
            rows=[_plain_cells(row) for row in cells[shown]],
            row_names=_row_names(np.asarray(y), shown, stands, assessment, years=years),
            players=_players(carried, program),
            band=describe_band(model, carried, X, cells, assessment),
            survival=describe_curve(carried, rows_at(X, shown[:1]), assessment),
            start=_start(carried, rows_at(X, shown[:1]), cells[shown[0]], years=years),
            years=years,
            explained=explained,
            own=None if own is None else _own_units(own),
            signed=is_of_number(explained),
            remarks=list(carried.remarks),
        ),
        carried,
    )


def _own_units(own: OwnUnits) -> OwnUnitsFacts:
    knots, heights = ([], []) if own.times is None else (own.times.knots.tolist(), own.times.heights.tolist())
    return OwnUnitsFacts(name=own.name, words=WORDS[own.name], more=own.more, knots=knots, heights=heights)


def _explained(carried: Carried, own: OwnUnits | None) -> str:
    """Return what the reasons are of; empty if there are none."""
    if carried.explainer is None or not carried.explains:
        return ""
    return carried.explainer.expansion.explained if own is None else "prediction"


def _without(reason: str) -> WhatIfFacts:
    nothing: Any = {name: [] for name in ("controls", "order", "rows", "row_names", "players")}
    nothing |= {"script": "", "band": None, "survival": None, "start": None, "explained": "", "own": None}
    nothing |= {"years": False, "signed": False}
    return cast("WhatIfFacts", {**nothing, "remarks": [f"This page does not carry the model. {reason}"]})


def _cells(program: Program, X: Any) -> Any:
    """Return the rows' cells (n, n_columns) as the script takes them: numbers, texts, None if missing."""
    table = np.asarray(X.to_numpy(dtype=object) if hasattr(X, "to_numpy") else X, dtype=object)
    out = np.empty((len(table), len(program.columns)), dtype=object)
    for place, column in enumerate(program.columns):
        for row, cell in zip(out, table[:, column.place], strict=True):
            row[place] = _cell(cell, column)
    return out


def _cell(cell: Any, column: ExportedColumn) -> Any:
    if cell is None or cell != cell:
        return None
    if column.kind == "category":
        return text_of(cell)
    value = number_of(cell)
    return value if np.isfinite(value) else None


def _plain_cells(row: Any) -> list[Any]:
    """Return cells that JSON holds as they are: all digits."""
    return [cell if cell is None or isinstance(cell, str) else float(cell) for cell in row]


def _units(schema: Any) -> dict[str, str]:
    """Return what numbers of a table are read in, by column."""
    units = {} if schema is None else {column.name: column.reading.unit for column in schema.columns}
    return {name: "hours" if unit in (DURATION, CLOCK) else plain_name(unit) for name, unit in units.items()}


def _control(column: ExportedColumn, cells: Any, unit: str) -> ControlFacts:
    known = [cell for cell in cells if cell is not None]
    facts = ControlFacts(
        name=plain_name(column.name),
        kind=column.kind,
        unit=unit,
        missing=len(known) < len(cells),
        levels=[],
        other=False,
        low=0.0,
        high=0.0,
        whole=False,
        years=False,
    )
    if column.kind == "category":
        other = bool(set(known) - set(column.levels))
        return {**facts, "levels": [plain_name(level) for level in column.levels], "other": other}
    numbers = np.array(known or [0.0], dtype=float)
    whole = bool(np.all(numbers == np.round(numbers)))
    low, high = float(numbers.min()), float(numbers.max())
    years = column.kind == "number" and whole and are_years(low, high)
    return {**facts, "low": low, "high": high, "whole": whole, "years": years}


def _starts(cells: Any) -> Indices:
    """Return places of rows to start from, a typical one first."""
    typical = _typical(cells)
    others = some_rows(len(cells), max(1, min(_ROWS, _CELLS // max(1, cells.shape[1]))))
    return np.concatenate([[typical], others[others != typical]]).astype(np.intp)


def _typical(cells: Any) -> int:
    """Return the row whose numbers lie nearest to the middle and whose texts are the most frequent."""
    distance = np.zeros(len(cells))
    for column in cells.T:
        texts, place, counts = np.unique([str(cell) for cell in column], return_inverse=True, return_counts=True)
        if len(texts) <= _FEW_VALUES or any(isinstance(cell, str) for cell in column):
            distance += 1.0 - counts[place] / counts.max()
        else:
            high = column_ranks(column)
            distance += np.where(np.isnan(high), 0.5, np.abs(high - 0.5))
    return int(np.argmin(distance))


def _row_names(y: Any, shown: Indices, stands: Indices, assessment: Assessment, *, years: bool) -> list[str]:
    """Return what rows to start from are called, with what is known of their targets."""
    signs = _signs(len(y), assessment)
    return [f"row {stands[k] + 1} (observed {signs.get(int(k), '')}{_observed(y[k], years=years)})" for k in shown]


def _signs(count: int, assessment: Assessment) -> dict[int, str]:
    """Return the signs of rows whose target is only a limit, by place; none if it is not known which they are."""
    source = assessment.times_source
    if source is None:
        return {}
    rows = np.arange(count) if source.rows is None else source.rows
    if source.event is not None:
        return dict.fromkeys(rows[~source.event].tolist(), "> ")
    if source.limited is None:
        return {}
    others = np.setdiff1d(np.arange(count), rows)
    found = zip(others, source.limited[:, 2], strict=False) if len(others) == len(source.limited) else ()
    return {int(place): "> " if side > 0.0 else "< " for place, side in found if side}


def _observed(value: Any, *, years: bool) -> str:
    is_number = isinstance(value, float | np.floating)
    return trimmed(float(value), 4, years=years) if is_number else plain_name(value)


def _order(carried: Carried, program: Program) -> list[int]:
    """Return the controls' places, the most relevant column first."""
    try:
        if input_sources(carried.model) is None:
            return list(range(len(program.columns)))
        relevance = relevance_by_column(carried.model)[1]
    except MissingCapability:
        return list(range(len(program.columns)))
    return ranked(np.array([relevance[column.place] for column in program.columns]))


def _players(carried: Carried, program: Program) -> list[list[int]]:
    """Return the controls behind every player of an explanation."""
    if carried.explainer is None:
        return []
    positions = program.positions()
    return [
        [positions[place] for place in columns if place in positions] for columns in carried.explainer.expansion.columns
    ]


def _start(carried: Carried, row: Any, cells: Any, *, years: bool) -> StartFacts:
    """Return what the model says of one row, as the script will."""
    model, choice = carried.model, carried.program.choice
    if subject_of(model).model.is_classifier:
        classes = np.asarray(machine_of(model).classes_).tolist()
        shares = model.predict_proba(row)[0]
        place = int(np.argmax(shares)) if choice is None else int(choice(shares[None])[0])
        answer, values = plain_name(classes[place]), [float(share) for share in shares]
        names = [plain_name(name) for name in classes]
    else:
        values = predicted_numbers(model, row).reshape(1, -1)[0].tolist()
        place, names, answer = 0, [], trimmed(values[0], 4, years=years)
    return StartFacts(
        answer=answer,
        classes=names,
        numbers=values,
        interval=[] if carried.program.ends is None else ends_at(carried.program, [cells])[0].tolist(),
        reasons=_reasons(carried, row, place),
    )


def _reasons(carried: Carried, row: Any, place: int) -> list[ReasonFacts]:
    if carried.explainer is None or not carried.explains:
        return []
    explanation, expansion = carried.explanation(row), carried.explainer.expansion
    effects, cells = towards(explanation, np.array([place]))[0], cells_in_words(explanation, carried)[0]
    order = [j for j in np.argsort(-np.abs(effects), kind="stable") if as_plain(effects[j]) != 0.0]
    names = [
        plain_name(name) + (f" = {cell}" if len(columns) == 1 else "")
        for name, cell, columns in zip(expansion.players, cells, expansion.columns, strict=True)
    ]
    shown = [ReasonFacts(name=names[j], effect=float(effects[j])) for j in order[:REASONS]]
    rest = float(effects[order[REASONS:]].sum())
    return [*shown, ReasonFacts(name="all other columns", effect=rest)] if rest else shown
