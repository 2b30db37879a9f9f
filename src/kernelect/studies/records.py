"""A table as a record, before it is rendered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

BEST, SECOND = "best", "second"


@dataclass(frozen=True, kw_only=True)
class TableEntry:
    """One entry of a table: its text, its typesetting, and the numbers behind it."""

    text: str
    emphasis: str = ""  # BEST, SECOND or nothing
    numbers: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class StudyTable:
    """A titled table; the first column names the rows."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[TableEntry, ...], ...]
    notes: tuple[str, ...] = ()
