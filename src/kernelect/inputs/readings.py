"""How the cells of a column become values: the sign of decimals, the form of dates, the codes for missing cells.

Codes are numbers that are not measurements: those for missing cells, and those for categories.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from kernelect.inputs.dates import ISO, days_of, find_form, read_days
from kernelect.inputs.frame import Cells
from kernelect.inputs.numerals import POINT, decimal_sign, read_numerals
from kernelect.typing import Array, Indices

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
    spelled : tuple of str
        The usual spelling of every category, if other spellings of it (capitals, spaces) count as the same.
    """

    decimal: str = POINT
    date_format: str = ISO
    missing_codes: tuple[str, ...] = ()
    unit: str = ""
    truths: bool = False
    spelled: tuple[str, ...] = ()


PLAIN = Reading()

_TRUTHS = {"true": 1.0, "false": 0.0}


def values_of(cells: Cells, kind: str, reading: Reading = PLAIN) -> Cells:
    """Return cells as floats (numbers), days since 1970 (dates) or text with None (categories)."""
    if kind == "category":
        return _spelled(_without(as_text(cells), reading.missing_codes), reading.spelled)
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


def _spelled(texts: Cells, usual: tuple[str, ...]) -> Cells:
    """Return texts in the usual spelling of their category."""
    if not usual:
        return texts
    own = {folded(label): label for label in usual}
    return np.array([None if text is None else own.get(folded(text), text) for text in texts] + [None], dtype=object)[
        :-1
    ]


def folded(label: str) -> str:
    """Return a label without what only its spelling tells: capitals and spaces."""
    return " ".join(label.casefold().split())


def usual_spellings(counts: Mapping[str, int]) -> dict[str, str]:
    """Return label -> the most frequent label with the same letters; nothing if that leaves a single one."""
    usual = sorted(counts, key=lambda label: (-counts[label], label))
    own = {folded(label): label for label in reversed(usual)}
    return {label: own[folded(label)] for label in usual} if 1 < len(own) < len(usual) else {}


def _number(text: str) -> float:
    return float(read_numerals([text]).values[0])


#: What people write where a number is missing: nines, or a few sixes, sevens or eights, as surveys have for "refused".
#: Other numbers far away are more often true. A negative one is the smallest number of its column, a positive one the
#: largest.
_OTHER_DIGITS = (666.0, 777.0, 888.0, 7777.0, 8888.0)
_CODES = {
    0: (-9.0, -99.0, -999.0, -9999.0, -99999.0, -999999.0),
    -1: (99.0, 999.0, 9999.0, 99999.0, 999999.0, 9999999.0, 99999999.0, *_OTHER_DIGITS),
}

#: Rows with a code from which it is no accident.
_LEAST_ROWS = 2

#: Ranges of the other numbers by which a positive code has to lie beyond them, one without nines farther, and -9 below
#: them; longer negative ones have to be the only negative number.
_FAR, _FARTHER, _BELOW = 2.0, 10.0, 0.5

_DIGIT = 9.0

#: Different whole numbers, and the largest of them, up to which a column may be a list of codes.
_MOST_CODES, _LARGEST_CODE = 12, 20

#: The same where the name of the column says that its values have no order.
_MOST_NAMED_CODES, _LARGEST_NAMED_CODE = 60, 999


def missing_codes(found: Array, counts: Indices) -> tuple[float, ...]:
    """Return the sorted codes for missing cells among the distinct numbers of a column, and how often each occurs.

    A code repeats one digit, most often a nine, occurs more than once, and lies apart from all other numbers of the
    column: below numbers that are never negative, or beyond them by twice their range (ten times without nines).
    """
    codes: list[float] = []
    while len(found) > 2:
        for place in (0, -1):
            others = found[1:] if place == 0 else found[:-1]
            if found[place] in _CODES[place] and counts[place] >= _LEAST_ROWS and _is_far(found[place], others):
                codes.append(float(found[place]))
                found, counts = others, counts[1:] if place == 0 else counts[:-1]
                break
        else:
            break
    return tuple(codes)


def _is_far(code: float, others: Array) -> bool:
    low, high = others[0], others[-1]
    if code < 0.0:
        return bool(low >= 0.0 and (code < -_DIGIT or low - code >= _BELOW * (high - low)))
    far = _FARTHER if code in _OTHER_DIGITS else _FAR
    return bool(code - high >= far * (high - low) and high > 0.0)


def may_be_categories(found: Array) -> bool:
    """Return whether distinct numbers may be codes, such as 1, 2, 3 for ``race``: few small whole ones, over two."""
    if not 3 <= len(found) <= _MOST_CODES or np.any(found % 1):
        return False
    return bool(found[0] in (0.0, 1.0) and found[-1] <= _LARGEST_CODE)


def may_be_named_codes(found: Array) -> bool:
    """Return whether distinct numbers may be codes if the name suggests so: whole ones of at most three digits."""
    if not 3 <= len(found) <= _MOST_NAMED_CODES or np.any(found % 1):
        return False
    return bool(found[0] >= 0.0 and found[-1] <= _LARGEST_NAMED_CODE)
