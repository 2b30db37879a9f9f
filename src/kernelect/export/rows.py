"""Rows to try an export on, and the checks before it is handed out."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from kernelect.exceptions import InvalidArgument, UnusableModel
from kernelect.export.bounds import for_single
from kernelect.export.evaluate import coded_rows, evaluate, evaluate_machine
from kernelect.export.program import Program
from kernelect.export.rewriting import widened
from kernelect.extras import load_extra
from kernelect.model.subject import predicted_numbers, subject_of
from kernelect.typing import Array

#: Rows that are made up, and the steps of the spread in which their numbers differ.
_ROWS, _STEPS = 8, np.array([0.0, 0.5, -0.5, 1.0, -1.0, 0.25, -1.5, 2.0])

#: By how much the program may differ from the model in Python, in units of the results' size.
_TOLERANCE = 1e-6

#: By how much single precision may move the results at some rows, so that it is 1e-4 at most at others.
_SINGLE = 1e-5


def made_up_cells(program: Program) -> list[list[Any]]:
    """Return rows of cells that a table like the training table might hold, with missing and unseen ones."""
    rows: list[list[Any]] = [[None] * len(program.columns) for _ in range(_ROWS)]
    for position, column in enumerate(program.columns):
        for k, row in enumerate(rows):
            if column.kind == "category":
                known = [*column.levels, None, "(a level never seen)"]
                row[position] = known[(k + position) % len(known)]
            else:
                row[position] = column.typical + column.spread * float(_STEPS[(3 * k + position) % len(_STEPS)])
    return rows


def checked_rows(model: Any, program: Program, rows: Any = None) -> Array:
    """Return coded rows, after comparing the program with the model at them.

    Parameters
    ----------
    model : estimator, Pipeline or TableModel
    program : Program
    rows : DataFrame or array, optional
        As the model takes them; made up unless given.
    """
    cells = made_up_cells(program) if rows is None else _given_cells(program, rows)
    coded = coded_rows(program, cells)
    expected = _predicted(model, _as_taken(model, program, cells) if rows is None else rows)
    found = evaluate(program, coded)[-1]
    error = float(np.abs(found - expected).max(initial=0.0))
    if not error <= _TOLERANCE * program.size(expected):
        raise UnusableModel(
            f"The export differs from the model by {error:.1g} on {len(cells)} rows, so it was not written: this is a "
            "mistake of kernelect, please report it with the model's steps and kernel."
        )
    return coded


def largest_change(program: Program, other: Program, coded: Array, *, single: bool = False) -> float:
    """Return how far the results of another program for the same model lie apart, in units of their size.

    At rows, and at and between inputs that the machine was fitted on: there its coefficients count most.

    Parameters
    ----------
    program, other : Program
    coded : ndarray of shape (m, n_columns)
    single : bool
        Whether the other one computes in single precision.
    """
    pairs = [(evaluate(program, coded)[-1], evaluate(other, coded, single=single)[-1])]
    if program.vectors is not None:
        vectors = np.vstack([program.vectors, 0.5 * (program.vectors + np.roll(program.vectors, 1, axis=0))])
        pairs.append((evaluate_machine(program, vectors)[-1], evaluate_machine(other, vectors, single=single)[-1]))
    return max(float(np.abs(one - two).max(initial=0.0)) for one, two in pairs) / program.size(*(p for p, _ in pairs))


def in_single_precision(program: Program, coded: Array) -> Program:
    """Return a program that is good to four digits in single precision, computed in double if it has to be.

    If a model's coefficients are large and cancel each other, single precision leaves too little.
    """
    nearer = program.with_outputs(for_single(program.outputs))
    change = largest_change(program, nearer, coded, single=True)
    if change <= _SINGLE:
        return nearer
    remark = (
        f"In single precision the results would move by {change:.1g} of their size, since large coefficients cancel: "
        "all is computed in double, and the results are then narrowed."
    )
    return program.with_outputs(widened(program.outputs), remark)


def _given_cells(program: Program, rows: Any) -> list[list[Any]]:
    table = np.asarray(rows.to_numpy(dtype=object) if hasattr(rows, "to_numpy") else rows, dtype=object)
    if table.ndim != 2 or not len(table) or table.shape[1] <= max(column.place for column in program.columns):
        raise InvalidArgument(f"rows has shape {table.shape}: give rows as the model takes them, at least one.")
    return [[_cell(row[column.place]) for column in program.columns] for row in table]


def _cell(value: Any) -> Any:
    return None if value is None or value != value else value


def _as_taken(model: Any, program: Program, cells: list[list[Any]]) -> Any:
    """Return made-up rows as the model takes them."""
    subject = subject_of(model)
    names, width = subject.names, subject.n_columns
    table = np.full((len(cells), width), np.nan, dtype=object)
    for position, column in enumerate(program.columns):
        nothing = None if column.none else np.nan
        table[:, column.place] = [nothing if row[position] is None else row[position] for row in cells]
    texts = {column.place for column in program.columns if column.kind == "category"}
    if names is None:
        return table if texts else table.astype(float)
    pandas = load_extra("pandas", caller="An export of named columns", extra="frames")
    kinds = [object if j in texts else float for j in range(width)]  # pandas' own texts would turn None into NaN
    return pandas.DataFrame(
        {name: pandas.Series(table[:, j].astype(kinds[j]), dtype=kinds[j]) for j, name in enumerate(names)}
    )


def _predicted(model: Any, rows: Any) -> Array:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # unseen levels
        is_classifier = subject_of(model).model.is_classifier
        answer = model.predict_proba(rows) if is_classifier else predicted_numbers(model, rows)
    return np.asarray(answer, dtype=float).reshape(len(rows), -1)
