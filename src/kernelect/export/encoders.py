"""Encoders of categories in the operations of a graph: asked for every level, what it becomes.

An encoder is fitted on several columns and codes each by itself. It is asked by rows in which one column takes all
of its levels (and one that it has never seen) while the others stand still, so that every option it may have
been given (rare levels, dropped ones) is answered by the encoder itself.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from kernelect.exceptions import MissingCapability
from kernelect.explain.players import outputs_by_column
from kernelect.export.cells import Cell, Sheet, TextCell, made
from kernelect.export.graph import Node, apply, concatenated, times
from kernelect.typing import Array, Indices

#: A text that no table holds.
_UNSEEN = "\N{NULL}kernelect\N{NULL}"


def encoded(step: Any, cells: list[Cell], sheet: Sheet) -> list[Cell]:
    """Return what a fitted encoder makes of cells."""
    outputs = outputs_by_column(step, len(cells))
    found: list[Cell] = []
    for place, cell in enumerate(cells):
        own, levels = outputs[place], list(step.categories_[place])
        present = [level for level in levels if not _is_missing(level)]
        if present and all(isinstance(level, str) for level in present):
            found += _of_text(step, place, cell, own, sheet)
        elif all(isinstance(level, int | float | bool | np.number | np.bool_) for level in present):
            found += _of_numbers(step, place, cell, own, sheet)
        else:
            raise MissingCapability(
                f"Column {sheet.names[cell.column or 0]!r} holds text and other values, which cannot be exported: make "
                "all of its levels text."
            )
    return found


def _is_missing(level: Any) -> bool:
    return level is None or (isinstance(level, float | np.floating) and bool(np.isnan(level)))


def _of_text(step: Any, place: int, cell: Cell, own: Indices, sheet: Sheet) -> list[Cell]:
    text = sheet.texts(cell)
    levels = [str(level) for level in step.categories_[place] if not _is_missing(level)]
    answers = [_answer(step, place, level, own) for level in [*levels, _UNSEEN]]
    known_missing = [level for level in step.categories_[place] if _is_missing(level)]
    missing = _answer(step, place, known_missing[0], own) if known_missing else answers[-1]
    if None in known_missing:  # which imputers of scikit-learn do not fill in: they look for NaN
        text = TextCell(text.column, None)
        sheet.nones.add(text.column)
    return sheet.lookup(text, dict(zip(levels, answers[:-1], strict=True)), missing, answers[-1])


def _of_numbers(step: Any, place: int, cell: Cell, own: Indices, sheet: Sheet) -> list[Cell]:
    x = sheet.numbers([cell])
    levels = np.array([level for level in step.categories_[place] if not _is_missing(level)], dtype=float)
    known_missing = [level for level in step.categories_[place] if _is_missing(level)]
    unseen = _answer(step, place, float(np.abs(levels).max(initial=0.0)) + 1.5, own)
    answers = np.array([_answer(step, place, level, own) for level in [*levels, *known_missing]])
    if len(levels):
        sheet.remember([cell], np.array([levels[0]]), np.array([np.ptp(levels)]))
    flags: list[Node] = [apply("equal", x, levels)]
    if known_missing:
        flags.append(apply("missing", x))
    node = times(concatenated(flags), answers - unseen) + unseen
    return made(node, [cell] * node.shape[0])


def _answer(step: Any, place: int, level: Any, own: Indices) -> Array:
    """Return what one level becomes, 0 if the encoder refuses it."""
    row = np.array([[categories[0] for categories in step.categories_]], dtype=object)
    row[0, place] = level
    if all(np.asarray(categories).dtype.kind in "iuf" for categories in step.categories_):
        row = row.astype(float)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # names of columns, unseen levels
        try:
            values = step.transform(row)
        except ValueError:
            return np.zeros(len(own))
    dense = np.asarray(values.toarray() if hasattr(values, "toarray") else values, dtype=float)
    return dense[0, own]
