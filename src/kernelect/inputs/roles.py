"""The role of each column: a number, a category, a date, or nothing that a machine can use."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from kernelect.exceptions import InvalidArgument
from kernelect.inputs.dates import ISO, days_of, find_form, read_days
from kernelect.inputs.frame import Cells, Frame
from kernelect.inputs.notes import Note
from kernelect.inputs.numerals import (
    CLOCK,
    COMMA,
    DURATION,
    POINT,
    decimal_sign,
    means_unknown,
    read_numerals,
    shared_unit,
    stands_for_nothing,
)
from kernelect.inputs.readings import LARGEST, PLAIN, Reading, as_text, is_missing, missing_codes, unbounded, values_of
from kernelect.typing import Array, Indices

#: What inputs make of cells such as <0.5.
LIMITS = "{has} cells that are limits, read as the limit itself"

#: What a user may call a column of hours from 0 to 24: a number on a circle.
TIME_OF_DAY = "clock"

KINDS = ("number", "category", "date", TIME_OF_DAY)

#: Share of a text column's cells that have to be numbers (or dates) for it to be read as such.
MOSTLY = 0.9

#: Share of a column's numbers that have to be more than limits ("<40", ">=40" are two categories).
_NOT_LIMITS = 0.5

#: More different texts than this, and than half of the rows, are names or free text rather than categories.
FEW_TEXTS = 20

_TRUTHS = (0.0, 1.0)

#: Dates written as digits, and how many of them leave no doubt that they are dates.
_DIGITS, _ENOUGH_DAYS = "%Y%m%d", 20

#: Letters and a number: beside whole numbers, all of them are names.
_LABEL = re.compile(r"[A-Za-z]{1,3}[-_ ]?\d+")

_LEADING_ZEROS = re.compile(r"0\d{2,}")


@dataclass(frozen=True, kw_only=True)
class Role:
    """What one column of the training table is.

    Attributes
    ----------
    name : str
    kind : "number", "category", "date" or "unused"
    reason : str
        Why the column is not used; empty if it is used.
    reading : Reading
        How its cells become values.
    notes : tuple of Note
        Decisions about the column that were a judgement.
    empty : bool
        Whether no cell holds a value of its kind.
    """

    name: str
    kind: str
    reason: str = ""
    reading: Reading = PLAIN
    notes: tuple[Note, ...] = ()
    empty: bool = False


@dataclass(frozen=True)
class Wishes:
    """What a user says about columns; everything else is detected.

    Attributes
    ----------
    kinds : mapping of column to kind
    readings : mapping of column to Reading
        For columns whose kind is given.
    missing_codes : mapping of column to texts
        The key "" holds the codes for all columns.
    kept : collection of column names
        Columns to use even if they look like names.
    decimal : "." or ",", optional
        Decimal sign of columns that leave it open; by default the one that the other columns prove.
    """

    kinds: Mapping[str, str] = field(default_factory=dict)
    readings: Mapping[str, Reading] = field(default_factory=dict)
    missing_codes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    kept: frozenset[str] = frozenset()
    decimal: str | None = None

    def codes(self, name: str) -> tuple[str, ...]:
        """Return the codes for missing cells that were given for a column."""
        return (*self.missing_codes.get("", ()), *self.missing_codes.get(name, ()))


def describe(frame: Frame, wishes: Wishes | None = None) -> tuple[Role, ...]:
    """Return the role of every column."""
    wishes = wishes or Wishes()
    check_kinds(wishes.kinds, frame.names)
    if wishes.decimal is None:
        wishes = replace(wishes, decimal=table_sign(frame))
    return tuple(_role(frame, column, wishes) for column in range(len(frame.names)))


def check_kinds(kinds: Mapping[str, str], names: tuple[str, ...]) -> None:
    """Check that the columns given a kind exist, and that the kind exists."""
    for name, kind in kinds.items():
        if name not in names:
            raise InvalidArgument(f"columns={{{name!r}: {kind!r}}}: there is no column {name!r} in X.")
        if kind not in KINDS:
            raise InvalidArgument(f"columns={{{name!r}: {kind!r}}}: the kind must be one of {', '.join(KINDS)}.")


def table_sign(frame: Frame) -> str:
    """Return the decimal sign of a table: that of its text columns, or the point if they leave it open."""
    texts = [cells for cells in frame.columns if cells.dtype == object]
    found = [decimal_sign(cells) for cells in texts]
    return COMMA if COMMA in found and POINT not in found else POINT


def _role(frame: Frame, column: int, wishes: Wishes) -> Role:
    name, cells, declared = frame.names[column], frame.columns[column], frame.declared[column]
    given = wishes.kinds.get(name)
    reading = replace(PLAIN, missing_codes=wishes.codes(name))
    kind, reading, notes = _kind(cells, declared, reading, wishes.decimal or POINT, given)
    if name in wishes.readings:
        reading = wishes.readings[name]
        notes = _on_given_form(cells, reading) if kind == "date" else notes
    values = values_of(cells, kind, reading)
    missing = is_missing(values)
    found, counts = np.unique(values[~missing], return_counts=True)
    if kind == "number" and given is None and frame.named:
        reading, notes, found, counts = _judged(reading, notes, found, counts)
    distinct, present = len(found), int(counts.sum())
    if not present:
        huge = () if kind == "category" else _on_huge(unbounded(cells, kind, reading))
        far = f"all its numbers are infinite or beyond {LARGEST:g}, rescale it"
        reason = far if huge else "all its cells are missing"
        return Role(name=name, kind="unused", reason=reason, notes=(*huge, _EMPTY), empty=True)
    if distinct == 1 and present == len(values):
        if kind == "number" and abs(found[0]) > _EXACT:
            return Role(name=name, kind="unused", reason="it is the same to 16 digits", notes=(_SAME,))
        return Role(name=name, kind="unused", reason="it is constant", notes=(_CONSTANT,))
    said = declared or given is not None or name in wishes.kept
    if kind == "category" and not said and distinct > max(FEW_TEXTS, present / 2):
        texts = f"{distinct} different texts in {present} rows"
        return Role(name=name, kind="unused", reason=f"{texts} look like names or free text", notes=((_NAMES, texts),))
    if kind == "number":
        reading = replace(reading, truths=bool(np.isin(found, _TRUTHS).all()))
    # One value that is there or not there is a mark.
    return Role(name=name, kind="category" if distinct == 1 else kind, reason="", reading=reading, notes=notes)


#: Whole numbers beyond this are not all told apart.
_EXACT = 2.0**53

_EMPTY: Note = ("{has} missing cells only and {was} left out", "")
_CONSTANT: Note = ("{is} constant and {was} left out", "")
_SAME: Note = ("{is} the same in all rows to 16 digits and {was} left out (keep {it} with --categorical)", "")
_NAMES = (
    "{looks} like names, free text or dates in an unknown form and {was} left out "
    "(keep {it} with --keep, or give the form with --date)"
)


def _kind(
    cells: Cells, declared: bool, reading: Reading, sign: str, given: str | None
) -> tuple[str, Reading, tuple[Note, ...]]:
    """Return what the cells are, how they are read, and notes if that was a judgement."""
    if given == TIME_OF_DAY:
        given, reading = "number", replace(reading, unit=CLOCK)
        if cells.dtype.kind != "f":
            return given, reading, ()
    if cells.dtype.kind in "fM" and (given != "date" or cells.dtype.kind == "M"):
        found = "date" if cells.dtype.kind == "M" else "category" if declared else "number"
        if found == "number" and given is None and _are_written_dates(cells):
            return "date", replace(reading, date_format=_DIGITS), (("{is} read as dates", _DIGITS),)
        return given or found, reading, _on_huge(cells) if (given or found) == "number" else ()
    present = [cell for cell in as_text(cells) if cell is not None and cell not in reading.missing_codes]
    if given == "category" or (declared and given is None) or not present:
        return given or "category", reading, ()
    numbers, dates = _numbers(present, reading, sign), _dates(present, reading)
    if given is not None:
        return (given, *(numbers if given == "number" else dates)[1:])
    if _are_codes(present):
        return "category", reading, (("{has} numbers with leading zeros, read as categories", present[0]),)
    for kind, judged in (("number", numbers), ("date", dates)):
        if judged[0] >= MOSTLY:
            return (kind, *judged[1:])
    return "category", reading, ()


def _numbers(present: list[str], reading: Reading, sign: str) -> tuple[float, Reading, tuple[Note, ...]]:
    """Return the share of texts that are numbers, how to read them, and what to say about it."""
    unit = shared_unit(present, MOSTLY)
    reading = replace(reading, decimal=decimal_sign(present, unit) or sign, unit=unit)
    found = read_numerals(present, reading.decimal, unit)
    lost = [text for text, value in zip(present, found.values, strict=True) if np.isnan(value)]
    if any(_LABEL.fullmatch(text) for text in lost) and not np.any(found.values[~np.isnan(found.values)] % 1):
        return 0.0, reading, ()  # names such as 167 and c168
    empty, unknown = (sum(map(one, lost)) for one in (stands_for_nothing, means_unknown))
    empty -= unknown if unknown > len(present) - len(lost) else 0
    read, limits = len(present) - len(lost), sum(text in found.limits for text in present)
    share = read / max(len(present) - empty, 1) if read - limits > _NOT_LIMITS * read else 0.0
    notes = _on_lost(lost, "numbers")
    if reading.decimal == COMMA and any(COMMA in text or POINT in text for text in present):
        notes += (("{is} read with a decimal comma", ""),)
    if limits:
        notes += ((LIMITS, f"such as {found.limits[0]!r}"),)
    if unit == CLOCK:
        notes += (("{is} read as times of day", f"such as {found.dressed[0]!r}"),)
    elif unit == DURATION:
        notes += (("{is} read as hours", f"such as {found.dressed[0]!r}"),)
    elif found.dressed:
        notes += (("{is} read without {its} unit or currency", f"such as {found.dressed[0]!r}"),)
    return share, reading, notes


def _dates(present: list[str], reading: Reading) -> tuple[float, Reading, tuple[Note, ...]]:
    found = find_form(present, 0.0)
    if found is None:
        return 0.0, reading, _on_lost(present, "dates")
    form, open_ = found
    lost = [text for text, day in zip(present, read_days(present, form), strict=True) if np.isnan(day)]
    empty = sum(stands_for_nothing(text) for text in lost)
    share = (len(present) - len(lost)) / max(len(present) - empty, 1)
    notes: tuple[Note, ...] = () if form == ISO else (("{is} read as dates", form),)
    if open_:
        notes = (("{is} read as dates; day and month could be the other way round (say so with --date)", form),)
    return share, replace(reading, date_format=form), (*notes, *_on_lost(lost, "dates"))


def _on_given_form(cells: Cells, reading: Reading) -> tuple[Note, ...]:
    """Return what to say about dates whose form was given: only which cells do not have it."""
    texts, days = values_of(cells, "category", reading), values_of(cells, "date", reading)
    return _on_lost(
        [text for text, day in zip(texts, days, strict=True) if text is not None and np.isnan(day)], "dates"
    )


def _on_lost(lost: list[str], what: str) -> tuple[Note, ...]:
    if not lost:
        return ()
    return ((f"{{has}} cells that are no {what} and count as missing", f"{len(lost)}, such as {lost[0]!r}"),)


def _are_written_dates(cells: Cells) -> bool:
    """Return whether whole numbers are dates written as digits, such as 20241231: other numbers are rarely all days."""
    found = np.unique(cells[~np.isnan(cells)])
    if len(found) < _ENOUGH_DAYS or found[0] < 1e7 or found[-1] >= 1e8 or np.any(found % 1):
        return False
    return not np.isnan(days_of(as_text(found), _DIGITS)).any()


def _on_huge(cells: Cells) -> tuple[Note, ...]:
    extreme = int(np.sum(np.abs(cells) > LARGEST)) if cells.dtype.kind == "f" else 0
    return (("{has} infinite or huge cells, which count as missing", str(extreme)),) if extreme else ()


def _are_codes(present: list[str]) -> bool:
    """Tell whether texts are codes of one length, such as postal codes: as numbers they would lose their zeros."""
    alike = len({len(text) for text in present}) == 1 and all(text.isdigit() for text in present)
    return alike and any(_LEADING_ZEROS.fullmatch(text) for text in present)


def _judged(
    reading: Reading, notes: tuple[Note, ...], found: Array, counts: Indices
) -> tuple[Reading, tuple[Note, ...], Array, Indices]:
    """Return the reading with codes for missing cells, and the numbers that are left."""
    codes = missing_codes(found, counts)
    for code in codes:
        clause = f"{{has}} {code:.0f}, which counts as missing unless --number names the column"
        notes = (*notes, (clause, f"{int(counts[found == code].sum())} cells"))
    kept = ~np.isin(found, codes)
    found, counts = found[kept], counts[kept]
    texts = tuple(f"{code:.0f}" for code in codes)
    return replace(reading, missing_codes=(*reading.missing_codes, *texts)), notes, found, counts
