"""How the cells of a column become values: the sign of decimals, the form of dates, the codes for missing cells."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kernelect.inputs.dates import ISO, days_of, find_form, read_days
from kernelect.inputs.frame import Cells
from kernelect.inputs.numerals import POINT, decimal_sign, read_numerals
from kernelect.typing import Array

#: Numbers beyond this count as missing: their squares overflow.
LARGEST = 1e100


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How the cells of one column are read.

    Attributes
    ----------
    decimal : "." or ","
    date_format : str
        Written as for ``strptime``.
    missing_codes : tuple of str
        Cells that count as missing in addition to empty ones.
    unit : str
        What may follow a number, such as ``kg``.
    truths : bool
        Whether ``true`` and ``false`` are the numbers 1 and 0, as in a column that held nothing else.
    """

    decimal: str = POINT
    date_format: str = ISO
    missing_codes: tuple[str, ...] = ()
    unit: str = ""
    truths: bool = False


PLAIN = Reading()

_TRUTHS = {"true": 1.0, "false": 0.0}


def values_of(cells: Cells, kind: str, reading: Reading = PLAIN) -> Cells:
    """Return cells as floats (numbers), days since 1970 (dates) or text with None (categories)."""
    if kind == "category":
        return _without(as_text(cells), reading.missing_codes)
    values = unbounded(cells, kind, reading)
    with np.errstate(invalid="ignore"):
        return np.where(np.abs(values) <= LARGEST, values, np.nan)


def unbounded(cells: Cells, kind: str, reading: Reading) -> Array:
    """Return numbers or dates as floats; huge ones do not count as missing."""
    return _as_days(cells, reading) if kind == "date" else _as_numbers(cells, reading)


def adapted(cells: Cells, kind: str, reading: Reading) -> Reading:
    """Return the reading for cells of a whole new file; what these cells prove overrides what was learnt.

    One cell then changes how others are read. This is for commands, which read whole files and say so in a remark;
    a :class:`~kernelect.inputs.Coding` reads every row as in training.
    """
    if cells.dtype != object or kind == "category":
        return reading
    present = [cell for cell in cells if cell is not None]
    if kind == "number":
        return replace(reading, decimal=decimal_sign(present, reading.unit) or reading.decimal)
    if np.isnan(days_of(present, reading.date_format)).any():
        found = find_form(present, 1.0)
        return replace(reading, date_format=found[0]) if found else reading
    return reading


def number_codes(reading: Reading) -> tuple[float, ...]:
    """Return those codes for missing cells that are numbers."""
    codes = read_numerals(reading.missing_codes, reading.decimal).values
    return tuple(codes[~np.isnan(codes)].tolist())


def is_missing(values: Cells) -> np.ndarray:
    """Return which cells are missing."""
    if values.dtype == object:
        return np.array([cell is None for cell in values], dtype=bool)
    return np.isnan(values)


def as_text(cells: Cells) -> Cells:
    """Return cells as text, None if they are missing; whole numbers have no decimal point."""
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


def _as_numbers(cells: Cells, reading: Reading) -> Array:
    if cells.dtype == object:
        texts = _without(cells, reading.missing_codes)
        values = read_numerals(texts, reading.decimal, reading.unit).values
        return _with_truths(texts, values) if reading.truths else values
    values = cells.astype(float)
    return np.where(np.isin(values, number_codes(reading)), np.nan, values) if reading.missing_codes else values


def _with_truths(texts: Cells, values: Array) -> Array:
    """Return numbers with 1 for true and 0 for false: a column of truths is numbers; one strange cell makes it text."""
    truths = np.array([_TRUTHS.get(text.lower(), np.nan) if text else np.nan for text in texts], dtype=float)
    return np.where(np.isnan(values), truths, values)


def _as_days(cells: Cells, reading: Reading) -> Array:
    if cells.dtype == object:
        return read_days(_without(cells, reading.missing_codes), reading.date_format)
    if cells.dtype.kind == "f":
        if reading.date_format == ISO:  # days since 1970 already
            return cells
        return read_days(_without(as_text(cells), reading.missing_codes), reading.date_format)
    days = (cells - np.datetime64("1970-01-01", "us")) / np.timedelta64(1, "D")
    return np.asarray(days, dtype=float)


def _without(texts: Cells, codes: tuple[str, ...]) -> Cells:
    """Return texts with None for those that are codes, as they stand or as numbers."""
    if not codes:
        return texts
    numbers = {float(value) for value in read_numerals(codes).values if not np.isnan(value)}
    known: dict[str | None, str | None] = {None: None}
    for text in texts:
        if text not in known:
            known[text] = None if text in codes or _number(text) in numbers else text
    return np.array([known[text] for text in texts] + [None], dtype=object)[:-1]


def _number(text: str) -> float:
    return float(read_numerals([text]).values[0])
