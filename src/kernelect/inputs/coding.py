"""Turns the columns of a table into a matrix: numeric inputs first, then category codes.

A column may become several inputs (a number and the fact that it is missing; a date's days, season
and weekday), which all belong to that column: relevance and explanations are given per column. A
category becomes one input, a code that can only be compared for equality.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from kernelect.exceptions import InvalidArgument
from kernelect.inputs.frame import Cells, Frame
from kernelect.inputs.numerals import CLOCK, DAY
from kernelect.inputs.readings import is_missing, values_of
from kernelect.inputs.roles import Role, Wishes, describe
from kernelect.typing import Array, Indices

#: Levels with fewer rows than this share the code of "other", which unseen levels get too.
RARE = 3

#: Share of missing cells from which their absence is an input of its own.
MISSING_SHARE = 0.01

#: Days a date has to span for its season, and for its weekday, to mean anything.
_SEASON_SPAN, _WEEK_SPAN = 400.0, 21.0

#: Days.
YEAR = 365.25

#: The largest input: a cell in another unit than the training rows had is far away, and no infinity.
_FURTHEST = 1e300

OTHER = 0

_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


@dataclass(frozen=True, kw_only=True)
class NumberCode:
    """A number: imputed by the median, then centred and scaled."""

    column: int
    name: str
    fill: float
    centre: float
    scale: float
    part: str = "value"

    def __call__(self, values: Array) -> Array:
        """Return the input from the column's values."""
        values = _part(self.part, values)
        filled = np.where(np.isnan(values), self.fill, values)
        with np.errstate(over="ignore"):
            return np.clip((filled - self.centre) / self.scale, -_FURTHEST, _FURTHEST)


@dataclass(frozen=True)
class MissingCode:
    """Whether a cell is missing, as 0 and 1."""

    column: int
    name: str

    def __call__(self, values: Cells) -> Array:
        """Return the input from the column's values."""
        return is_missing(values).astype(float)


@dataclass(frozen=True, kw_only=True)
class CategoryCode:
    """A category: the position of its level in ``levels`` plus 1; 0 for rare and unseen levels."""

    column: int
    name: str
    levels: tuple[str, ...]
    missing: bool  # whether a missing cell is a level of its own, the last one
    weekday: bool = False

    def __call__(self, values: Cells) -> Array:
        """Return the codes from the column's values."""
        if self.weekday:
            values = _weekday(values)
        places = {level: place for place, level in enumerate(self.levels, start=OTHER + 1)}
        if self.missing:
            places[None] = len(self.levels) + 1  # type: ignore[index]
        return np.array([places.get(value, OTHER) for value in values], dtype=float)

    def name_of(self, level: float) -> str:
        """Return what a cell with this code means, such as ``sex = male``."""
        place = int(level) - 1
        if level == OTHER:
            return f"{self.name} = a rare category"
        if place == len(self.levels):
            return f"{self.name} = (missing)"
        return f"{self.name} = {_WEEKDAYS[int(self.levels[place])] if self.weekday else self.levels[place]}"


@dataclass(frozen=True)
class Coding:
    """How the columns of a table become inputs, fitted on the training rows without their targets.

    The inputs of a row depend on that row alone: cells are read as in training. A cell written otherwise is read by
    itself if it has one meaning only (``2,5`` after a column with decimal points, ``2024-12-31`` after one of other
    dates), and counts as missing if not.

    Attributes
    ----------
    roles : tuple of Role
        The role of every column.
    numbers : tuple of NumberCode and MissingCode
        The numeric inputs, in order.
    categories : tuple of CategoryCode
        The category codes, which follow the numeric inputs.
    """

    roles: tuple[Role, ...]
    numbers: tuple[NumberCode | MissingCode, ...]
    categories: tuple[CategoryCode, ...]

    def __call__(self, frame: Frame) -> Array:
        """Return the inputs (n, d) of a table with the same columns."""
        out = np.empty((len(frame), len(self)))
        for j, values in enumerate(self.inputs(frame)):
            out[:, j] = values
        return out

    def inputs(self, frame: Frame) -> Iterator[Array]:
        """Yield the inputs one by one; the columns of a frame may then differ in length."""
        known: dict[int, Cells] = {}
        for code in (*self.numbers, *self.categories):
            if code.column not in known:
                known[code.column] = self._values(frame, code.column)
            yield code(known[code.column])

    @property
    def marks(self) -> Indices:
        """The positions of inputs that say whether a cell is missing."""
        return np.flatnonzero([isinstance(code, MissingCode) for code in self.numbers])

    def of_marks(self) -> Coding:
        """Return the coding that has these inputs only."""
        return replace(self, numbers=tuple(self.numbers[place] for place in self.marks), categories=())

    def marking_once(self, patterns: Sequence[Hashable]) -> Coding:
        """Return the coding in which columns that are missing together say it once.

        ``patterns`` tells for each of ``marks`` which rows they name.
        """
        first = {pattern: place for place, pattern in reversed(list(zip(self.marks.tolist(), patterns, strict=True)))}
        again = set(self.marks.tolist()) - set(first.values())
        return replace(self, numbers=tuple(code for place, code in enumerate(self.numbers) if place not in again))

    def __len__(self) -> int:
        return len(self.numbers) + len(self.categories)

    @property
    def numeric(self) -> Indices:
        """Return the positions of numeric inputs."""
        return np.arange(len(self.numbers))

    @property
    def categorical(self) -> Indices:
        """Return the positions of category codes."""
        return np.arange(len(self.numbers), len(self))

    @property
    def owners(self) -> Indices:
        """Return the column that every input belongs to."""
        return np.array([code.column for code in (*self.numbers, *self.categories)], dtype=np.intp)

    @property
    def names(self) -> tuple[str, ...]:
        """Return a readable name of every input."""
        return tuple(code.name for code in (*self.numbers, *self.categories))

    def _values(self, frame: Frame, column: int) -> Cells:
        return values_of(frame.columns[column], self.roles[column].kind, self.roles[column].reading)


def fit_coding(frame: Frame, wishes: Wishes | None = None) -> Coding:
    """Return the coding of a training table, given what the user says about columns."""
    coding = coding_of(frame, wishes)
    return coding.marking_once([marks.tobytes() for marks in coding.of_marks().inputs(frame)])


def coding_of(frame: Frame, wishes: Wishes | None = None) -> Coding:
    """Return the coding of columns by what each of them holds, in which columns may be missing together.

    The order of cells has no say, nor has which of them are in one row: distinct cells with counts suffice.
    """
    roles = describe(frame, wishes)
    numbers: list[NumberCode | MissingCode] = []
    categories: list[CategoryCode] = []
    for column, (role, cells) in enumerate(zip(roles, frame.columns, strict=True)):
        if role.kind == "unused":
            continue
        values = values_of(cells, role.kind, role.reading)
        if role.kind == "category":
            categories.append(_category_code(column, role.name, values))
            continue
        numbers += _number_codes(column, role, values)
        absent = np.isnan(values)
        if absent.mean() >= MISSING_SHARE:
            numbers.append(MissingCode(column, f"{role.name} is missing"))
        categories += _weekday_code(column, role, values)
    categories = [code for code in categories if code.levels]
    if not numbers and not categories:
        reasons = "; ".join(f"{role.name!r}: {role.reason}" for role in roles[:5])
        raise InvalidArgument(f"X has no column to learn from ({reasons}): give a column that varies.")
    return Coding(roles, tuple(numbers), tuple(categories))


def _number_codes(column: int, role: Role, values: Array) -> list[NumberCode | MissingCode]:
    if role.reading.unit == CLOCK:
        waves = {"day-sin": "06:00", "day-cos": "00:00"}  # two waves a day, named after the time when each is highest
        clock = (_number_code(column, f"{role.name} ({when})", values, part) for part, when in waves.items())
        return [code for code in clock if code is not None]
    codes = [_number_code(column, role.name, values, "value")]
    if role.kind == "date" and np.nanmax(values) - np.nanmin(values) >= _SEASON_SPAN:
        # Two waves of one year, named after the month in which each is highest.
        codes += [_number_code(column, f"{role.name} (season, April)", values, "season-sin")]
        codes += [_number_code(column, f"{role.name} (season, January)", values, "season-cos")]
    return [code for code in codes if code is not None]


def _number_code(column: int, name: str, values: Array, part: str) -> NumberCode | None:
    from kernelect.numerics import rounding_of

    values = _part(part, values)
    fill = float(np.nanmedian(values))
    filled = np.where(np.isnan(values), fill, values)
    # Differences of numbers with a large offset, such as times, are exact, and their quotients are not.
    offset = fill if np.ptp(filled / 2.0) < abs(fill) / 4.0 else 0.0
    apart = filled - offset
    # Rows of 1e100 have no squares' sum: the spread is taken in units of the largest value.
    largest = float(np.abs(apart).max()) or 1.0
    # Sorted, so that the last digits of sums, which decide ties later, do not depend on the order of rows.
    shares = np.sort(apart / largest)
    centre, scale = offset + float(shares.mean()) * largest, float(shares.std()) * largest
    return (
        NumberCode(column=column, name=name, fill=fill, centre=centre, scale=scale, part=part)
        if scale > rounding_of(filled)
        else None
    )


def _category_code(column: int, name: str, values: Cells) -> CategoryCode:
    missing = is_missing(values)
    levels, counts = np.unique(values[~missing].astype(str), return_counts=True)
    kept = tuple(str(level) for level in levels[counts >= RARE])
    if len(levels) - len(kept) == 0 and not missing.any() and len(kept) < 2:
        return CategoryCode(column=column, name=name, levels=(), missing=False)
    return CategoryCode(column=column, name=name, levels=kept or tuple(map(str, levels)), missing=bool(missing.any()))


def _weekday_code(column: int, role: Role, values: Array) -> list[CategoryCode]:
    known = values[~np.isnan(values)]
    if role.kind != "date" or known.max() - known.min() < _WEEK_SPAN:
        return []
    days = _weekday(known)
    levels, counts = np.unique(days.astype(str), return_counts=True)
    kept = tuple(str(level) for level in levels[counts >= RARE])
    name = f"{role.name} (weekday)"
    return [CategoryCode(column=column, name=name, levels=kept, missing=False, weekday=True)] if len(kept) > 1 else []


def _weekday(days: Array) -> Cells:
    """Return the weekday of days since 1970 as text, None if they are missing."""
    missing = np.isnan(days)
    out = np.full(len(days), None, dtype=object)
    # 1970-01-01 was a Thursday, the fourth day of the week.
    out[~missing] = [str((int(np.floor(day)) + 3) % 7) for day in days[~missing]]
    return out


#: Parts of a column that are waves -> their period, and the share of it by which the sine is ahead.
WAVES = {"season-sin": (YEAR, 0.0), "season-cos": (YEAR, 0.25), "day-sin": (DAY, 0.0), "day-cos": (DAY, 0.25)}


def _part(name: str, values: Array) -> Array:
    if name not in WAVES:
        return values
    period, ahead = WAVES[name]
    return np.asarray((np.cos if ahead else np.sin)(2.0 * np.pi * values / period))
