"""What each column of a table is, and which columns carry nothing; cells are judged by :mod:`kernelect.inputs`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches

import numpy as np
import pandas as pd

from kernelect.exceptions import InvalidArgument
from kernelect.inputs import Wishes, as_frame, describe
from kernelect.inputs.frame import cells_of
from kernelect.inputs.notes import Note, sentences
from kernelect.inputs.numerals import CLOCK
from kernelect.inputs.readings import PLAIN, Reading, usual_spellings
from kernelect.inputs.readings import values_of as read_cells
from kernelect.inputs.roles import TIME_OF_DAY, Role

#: Categories that are remembered with the model, to explain new ones.
MOST_CATEGORIES = 1000

_SPELLED = "{has} categories in several spellings, which count as one unless --categorical names the column"

#: Columns that a message lists.
_MOST_NAMES = 12


@dataclass(frozen=True, kw_only=True)
class Column:
    """One input column, as it was found in the training table.

    Attributes
    ----------
    name : str
    kind : "number", "date" or "category"
    missing : float
        Share of missing cells.
    low, high : float or None
        Range of a number, or of a date in days since 1970.
    categories : tuple of str
        All categories (the first 1000), sorted; empty for numbers and dates.
    reading : Reading
        How cells become values: decimal sign, form of dates, codes for missing cells.
    literal : bool
        Whether all numbers are meant, since the user declares it a number: none is a code for a missing cell.
    """

    name: str
    kind: str
    missing: float
    low: float | None = None
    high: float | None = None
    categories: tuple[str, ...] = ()
    reading: Reading = PLAIN
    literal: bool = False

    @property
    def own_kind(self) -> str:
        """The kind as machines know it, which tells times of day from other numbers."""
        return TIME_OF_DAY if self.reading.unit == CLOCK else self.kind


@dataclass(frozen=True, kw_only=True)
class Found:
    """The columns of use, why others are not, and notes on what was decided.

    ``empty`` are columns without a cell of their kind, ``dated`` those that date the rows and are no inputs.
    """

    columns: tuple[Column, ...]
    unused: dict[str, str]
    notes: tuple[tuple[str, Note], ...] = ()
    empty: tuple[str, ...] = ()
    dated: tuple[str, ...] = ()

    @property
    def remarks(self) -> list[str]:
        """What was decided, in sentences."""
        return sentences(self.notes)

    def without(
        self, unused: Mapping[str, str], notes: Iterable[tuple[str, Note]], dated: tuple[str, ...] = ()
    ) -> Found:
        """Return what is found with further columns that are no inputs."""
        columns = tuple(one for one in self.columns if one.name not in unused)
        return replace(
            self, columns=columns, unused={**self.unused, **unused}, notes=(*self.notes, *notes), dated=dated
        )


def find_columns(frame: pd.DataFrame, wishes: Wishes | None = None) -> Found:
    """Return the columns of use, and a remark on all that was left out or reinterpreted.

    Parameters
    ----------
    frame : DataFrame
        Inputs only.
    wishes : Wishes, optional
        What the user declares about columns.
    """
    wishes = wishes or Wishes()
    columns: list[Column] = []
    unused: dict[str, str] = {}
    notes: list[tuple[str, Note]] = []
    roles = describe(as_frame(frame), wishes)
    for name, role in zip(frame.columns, roles, strict=True):
        notes += [(name, note) for note in role.notes]
        if role.kind == "unused":
            unused[name] = role.reason
            continue
        values = column_values(frame[name], role.kind, role.reading)
        if role.kind == "category" and name not in wishes.kinds:
            role, values, note = _spelled_alike(role, values)
            notes += [(name, each) for each in note]
        column = _described(name, values, role)
        columns.append(replace(column, literal=role.kind == "number" and name in wishes.kinds))
    empty = tuple(role.name for role in roles if role.empty)
    return Found(columns=tuple(columns), unused=unused, notes=tuple(notes), empty=empty)


def _spelled_alike(role: Role, values: pd.Series) -> tuple[Role, pd.Series, tuple[Note, ...]]:
    """Return role, cells and what to say of a column of categories, of which spellings that differ are one."""
    usual = usual_spellings(values.value_counts().to_dict())
    if not usual:
        return role, values, ()
    other, said = next(pair for pair in usual.items() if pair[0] != pair[1])
    note = (_SPELLED, f"{other!r} counts as {said!r}")
    reading = replace(role.reading, spelled=tuple(dict.fromkeys(usual.values())))
    return replace(role, reading=reading), values.map(usual, na_action="ignore"), (note,)


def column_values(column: pd.Series, kind: str, reading: Reading = PLAIN) -> pd.Series:
    """Return a column as floats (numbers, days since 1970) or as text objects, missing cells as NaN."""
    cells = column_cells(column, kind, reading)
    return pd.Series(cells, index=column.index, name=column.name, dtype=cells.dtype)


def column_cells(column: pd.Series, kind: str, reading: Reading = PLAIN) -> np.ndarray:
    """Return the same as an array."""
    if kind == "category" and pd.api.types.is_bool_dtype(column):
        column = column.astype(object).map(str, na_action="ignore")
    values = read_cells(cells_of(column)[0], kind, reading)
    if kind == "category":
        return np.array([np.nan if cell is None else cell for cell in values] + [None], dtype=object)[:-1]
    return np.asarray(values, dtype=float)


def _described(name: str, values: pd.Series, role: Role) -> Column:
    missing = float(pd.isna(values.to_numpy()).mean())
    if role.kind == "category":
        found = sorted(values.dropna().unique())
        return Column(
            name=name, kind=role.kind, missing=missing, categories=tuple(found[:MOST_CATEGORIES]), reading=role.reading
        )
    array = values.to_numpy()
    low, high = float(np.nanmin(array)), float(np.nanmax(array))
    return Column(name=name, kind=role.kind, missing=missing, low=low, high=high, reading=role.reading)


def check_name(frame: pd.DataFrame, name: str, option: str) -> str:
    """Return ``name``, or say which column was meant."""
    if name in frame.columns:
        return name
    close = get_close_matches(name, list(frame.columns), n=1) or [
        column for column in frame.columns if column.lower() == name.lower()
    ]
    hint = f" Did you mean {close[0]!r}?" if close else ""
    raise InvalidArgument(f"{option}: there is no column {name!r}.{hint} {columns_listed(list(frame.columns))}")


def columns_listed(names: Sequence[str]) -> str:
    """Return a sentence with the columns of a table: all, or the first ones and the last, which often is the target."""
    if len(names) <= _MOST_NAMES:
        return f"There are {', '.join(map(repr, names))}."
    first = ", ".join(map(repr, names[: _MOST_NAMES - 1]))
    return f"There are {first}, {len(names) - _MOST_NAMES} more, and {names[-1]!r}."
