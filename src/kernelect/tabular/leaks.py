"""Columns that number the rows or date them: no input of a machine that is to predict new rows.

They are found by what they are, not by their names. A new row has a number and a date that no training row had, and a
machine that has learned by them has memorised rows.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd

from kernelect.inputs.notes import Note
from kernelect.tabular.columns import Column, Found, column_cells
from kernelect.tabular.subjects import words_of

#: Fewer rows than this do not tell a row number from a measurement.
_ENOUGH_ROWS = 20

#: Pairs of equal numbers that chance would have made among measurements of the same range: none of them is a sign of
#: numbers that were dealt out, one to a row (e^-7 is one in a thousand).
_COLLISIONS = 7.0

#: Range, in rows, up to which whole numbers in the order of the rows are row numbers with gaps.
_GAPS = 20.0

#: Whole numbers in the order of the rows that are years, not row numbers.
_YEARS = (1600.0, 2100.0)

_DATED: Note = (
    "{was} left out: {its} dates are a trend that new rows go beyond (--time predicts later rows from earlier ones, "
    "--keep uses the days since 1970 as a number)",
    "",
)
_OF_YEARS: Note = (
    "{was} left out: {its} years are a trend that new rows go beyond (--time predicts later rows from earlier ones, "
    "--keep uses the year as a number)",
    "",
)

#: Last words of the names of columns whose whole numbers, all different, name the rows whatever their range.
_NAMES = ("id", "ids", "nr", "no", "number", "num", "key", "index", "idx", "rownames", "rowid", "serial", "uuid")

#: Words that say nothing, as programs give to row numbers, or that a row goes by.
_NUMBERED = re.compile(r"(unnamed|x|v|var|col|column|row|obs|observation|case|record|sample|seq|sequence|order)?_*\d*")

#: Words for what is measured or counted: whole numbers that are all different may be amounts in their order.
_AMOUNTS = {"age", "dose", "weight", "height", "length", "width", "depth", "price", "cost", "income", "salary"} | {
    "population",
    "area",
    "size",
    "temperature",
    "distance",
    "speed",
    "volume",
    "score",
    "rating",
}

#: Share of the rows by which ranks may have gaps, since rows were left out.
_RANK_GAPS = 0.25

#: Words in the names of dates of birth, which tell an age and no trend.
_BIRTH = frozenset(("birth", "birthdate", "birthday", "dob", "born", "geburtsdatum", "naissance"))


def set_aside(found: Found, frame: pd.DataFrame, kept: Collection[str] = ()) -> Found:
    """Return the columns that are inputs, with notes on those set aside.

    Parameters
    ----------
    found : Found
        What was found of use.
    frame : DataFrame
        All inputs, those that were left out before too.
    kept : collection of str
        Names that the user wants to be used.
    """
    numbers = _row_numbers(found.columns, frame, kept)
    years = [name for name in numbers if _are_years(_numbers(frame[name]))]
    dates = [
        one.name for one in found.columns if one.kind == "date" and one.name not in kept and not is_birth(one.name)
    ]
    notes: list[tuple[str, Note]] = [
        (name, (f"{{was}} left out: {why.replace('its ', '{its} ')} (keep {{it}} with --keep)", ""))
        for name, why in numbers.items()
        if name not in years
    ]
    notes += [(name, _OF_YEARS) for name in years] + [(name, _DATED) for name in dates]
    words = {**dict.fromkeys(years, "years"), **dict.fromkeys(dates, "dates")}
    aside = {**numbers, **{name: f"its {what} are a trend that new rows go beyond" for name, what in words.items()}}
    return found.without(aside, notes, tuple(name for name in map(str, frame.columns) if name in words))


def _row_numbers(columns: Sequence[Column], frame: pd.DataFrame, kept: Collection[str]) -> dict[str, str]:
    """Return name -> why, of the columns that number the rows."""
    values = {one.name: column_cells(frame[one.name], one.kind, one.reading) for one in columns if one.kind == "number"}
    candidates = {name: cells for name, cells in values.items() if name not in kept and _all_different(cells)}
    found = {name: why for name, cells in candidates.items() if (why := _why_number(name, cells))}
    used = {one.name for one in columns}
    left = [str(name) for name in frame.columns if name not in used]
    known = [cells for cells in (_numbers(frame[name]) for name in left) if _all_different(cells)]
    known += [candidates[name] for name in found]
    for name, cells in candidates.items():
        if name not in found and any(_parallel(cells, other) for other in known):
            found[name] = "its numbers run parallel to a row number"
    return found


def _numbers(column: pd.Series) -> np.ndarray:
    """Return the cells of a column as numbers, all missing if they are none."""
    if not pd.api.types.is_numeric_dtype(column):
        return np.full(len(column), np.nan)
    return column.to_numpy(dtype=float, na_value=np.nan)


def _all_different(cells: np.ndarray) -> bool:
    return len(cells) >= _ENOUGH_ROWS and not np.isnan(cells).any() and len(np.unique(cells)) == len(cells)


def _why_number(name: str, cells: np.ndarray) -> str:
    """Return why whole numbers, all different, number the rows; nothing if they may have been measured."""
    if np.any(cells % 1):
        return ""
    if _are_ranks(name, cells) or _AMOUNTS.intersection(words_of(name)):
        return ""
    n, span = len(cells), float(cells.max() - cells.min()) + 1.0
    if 0.5 * n * n / span > _COLLISIONS:
        return "its whole numbers are all different, as row numbers are and measurements of this range are not"
    steps = np.diff(cells)
    if span <= _GAPS * n and (np.all(steps > 0) or np.all(steps < 0)):
        return "its whole numbers run in the order of the rows, as row numbers and times do"
    return "its whole numbers are all different, and by its name they name rows" if _names_rows(name) else ""


def _names_rows(name: str) -> bool:
    """Return whether a name is one of row numbers."""
    words = words_of(name)
    return not words or words[-1] in _NAMES or _NUMBERED.fullmatch("_".join(words)) is not None


def _are_ranks(name: str, cells: np.ndarray) -> bool:
    """Return whether whole numbers, all different, are ranks: from 1 to about the number of rows, in another order."""
    slack, steps = 1.0 + _RANK_GAPS * len(cells), np.diff(cells)
    near = 1.0 <= cells.min() <= slack and cells.max() <= len(cells) + slack
    return bool(near and np.any(steps > 0) and np.any(steps < 0) and not _names_rows(name))


def is_birth(name: str) -> bool:
    """Return whether a column of dates holds dates of birth, by its name."""
    return bool(_BIRTH & set(words_of(name)))


def _are_years(cells: np.ndarray) -> bool:
    """Return whether row numbers are years, one to a row and in their order."""
    steps = np.diff(cells)
    ordered = np.all(steps > 0) or np.all(steps < 0)
    return bool(ordered and cells.min() >= _YEARS[0] and cells.max() <= _YEARS[1])


def _parallel(cells: np.ndarray, other: np.ndarray) -> bool:
    """Return whether one column rises, or falls, wherever the other one rises."""
    steps = np.diff(cells[np.argsort(other)])
    return bool(np.all(steps > 0) or np.all(steps < 0))
