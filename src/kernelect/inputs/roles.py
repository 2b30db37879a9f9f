"""What each column is: a number, a category, a date, or nothing a machine can use."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from kernelect.inputs.frame import Cells, Frame
from kernelect.registry import stored

#: Share of a text column's cells that have to be numbers (or dates) for it to be read as such.
MOSTLY = 0.9

#: More different texts than this, and than half of the rows, are names or free text rather than categories.
FEW_TEXTS = 20

#: Numbers beyond this count as missing: their squares overflow.
LARGEST = 1e100

_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


@stored
@dataclass(frozen=True)
class Role:
    """What one column of the training table is.

    Attributes
    ----------
    name : str
    kind : "number", "category", "date" or "unused"
    reason : str
        Why the column is not used, or what was decided about its cells; empty where all is plain.
    """

    name: str
    kind: str
    reason: str = ""


def describe(frame: Frame) -> tuple[Role, ...]:
    """Return the role of every column."""
    return tuple(
        _role(name, cells, declared)
        for name, cells, declared in zip(frame.names, frame.columns, frame.declared, strict=True)
    )


def _role(name: str, cells: Cells, declared: bool) -> Role:
    kind, remark = _kind(cells, declared)
    values = values_of(cells, kind)
    missing = is_missing(values)
    distinct, present = len(np.unique(values[~missing])), int((~missing).sum())
    if not present:
        return Role(name, "unused", "all its cells are missing")
    if distinct == 1 and present == len(values):
        return Role(name, "unused", "it is constant")
    if kind == "category" and not declared and distinct > max(FEW_TEXTS, present / 2):
        return Role(name, "unused", f"{distinct} different texts in {present} rows look like names or free text")
    if distinct == 1:  # there or not there: a mark
        return Role(name, "category", remark)
    return Role(name, kind, remark)


def _kind(cells: Cells, declared: bool) -> tuple[str, str]:
    """Return what the cells are, and a remark where that was a judgement."""
    if cells.dtype.kind == "f":
        return ("category" if declared else "number"), ""
    if cells.dtype.kind == "M":
        return "date", ""
    present = [cell for cell in cells if cell is not None]
    if declared or not present:
        return "category", ""
    for kind in ("number", "date"):
        read = ~is_missing(values_of(np.array(present, dtype=object), kind))
        if read.mean() >= MOSTLY:
            lost = [cell for cell, fine in zip(present, read, strict=True) if not fine]
            return kind, f"{len(lost)} cell(s) such as {lost[0]!r} are no {kind}s and count as missing" if lost else ""
    return "category", ""


def is_missing(values: Cells) -> np.ndarray:
    """Return which cells are missing."""
    if values.dtype == object:
        return np.array([cell is None for cell in values], dtype=bool)
    return np.isnan(values)


def values_of(cells: Cells, kind: str) -> Cells:
    """Return cells as floats (numbers), days since 1970 (dates) or text with None (categories)."""
    if kind == "category":
        return _as_text(cells)
    values = _as_days(cells) if kind == "date" else _as_numbers(cells)
    with np.errstate(invalid="ignore"):
        return np.where(np.abs(values) <= LARGEST, values, np.nan)


def _as_text(cells: Cells) -> Cells:
    if cells.dtype == object:
        return cells
    missing = np.isnan(cells)
    out = np.full(len(cells), None, dtype=object)
    known = cells[~missing]
    if known.dtype.kind == "M":  # one date or none: whether there is any is all that it tells
        out[~missing] = known.astype(str)
    else:
        out[~missing] = [str(int(cell)) if float(cell).is_integer() else repr(float(cell)) for cell in known]
    return out


def _as_numbers(cells: Cells) -> Cells:
    if cells.dtype != object:
        return cells.astype(float)
    return np.array([_number(cell) for cell in cells], dtype=float)


def _number(cell: str | None) -> float:
    try:
        return np.nan if cell is None else float(cell)
    except ValueError:
        return np.nan


def _as_days(cells: Cells) -> Cells:
    if cells.dtype == object:
        cells = np.array([_date(cell) for cell in cells], dtype="datetime64[us]")
    elif cells.dtype.kind == "f":
        return cells
    days = (cells - np.datetime64("1970-01-01", "us")) / np.timedelta64(1, "D")
    return np.asarray(days, dtype=float)


def _date(cell: str | None) -> np.datetime64:
    if cell is None or not _ISO_DATE.match(cell):
        return np.datetime64("NaT")
    try:
        return np.datetime64(cell[:19].replace(" ", "T"), "us")
    except ValueError:
        return np.datetime64("NaT")
