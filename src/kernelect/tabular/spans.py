"""Pairs of dates as inputs: the days from one to the other, and ages at a date.

Dates themselves are a trend that new rows go beyond. How long something took, or how old somebody was, is not.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import pandas as pd

from kernelect.inputs.coding import YEAR
from kernelect.inputs.notes import Note
from kernelect.inputs.readings import Reading
from kernelect.tabular.columns import Column, Found, column_values

#: Columns of dates up to which all pairs are looked at, and the share of rows in which one date follows the other.
_MOST_DATES, _ORDERED = 4, 0.95


@dataclass(frozen=True, kw_only=True)
class TimeSpan:
    """The time between the dates of two columns: in days, or in years since a birth."""

    name: str
    first: str
    last: str
    first_reading: Reading
    last_reading: Reading
    in_years: bool = False

    def values(self, frame: pd.DataFrame) -> pd.Series:
        """Return the span of every row, missing where one of its dates is."""
        first = column_values(frame[self.first], "date", self.first_reading)
        days = column_values(frame[self.last], "date", self.last_reading) - first
        return days / YEAR if self.in_years else days

    @property
    def note(self) -> Note:
        """What to say of it."""
        what = f"the age at {self.last}, in years" if self.in_years else f"the days from {self.first} to {self.last}"
        return (f"{{was}} made of two dates: {what}", "")


def with_spans(frame: pd.DataFrame, spans: tuple[TimeSpan, ...]) -> pd.DataFrame:
    """Return a table with the spans whose dates it has."""
    made = {
        one.name: one.values(frame)
        for one in spans
        if one.name not in frame.columns and {one.first, one.last} <= set(frame.columns)
    }
    return frame.assign(**made) if made else frame


def find_spans(found: Found, frame: pd.DataFrame) -> tuple[tuple[TimeSpan, ...], Found]:
    """Return the spans that the dates of a table make, and the columns with them; a birth is left to its ages."""
    dates = [one for one in found.columns if one.kind == "date"]
    if not 2 <= len(dates) <= _MOST_DATES:
        return (), found
    from kernelect.tabular.leaks import is_birth  # predictions know the spans already

    born = {one.name for one in dates if is_birth(one.name)}
    pairs = (_span(*pair, born, frame) for pair in combinations(dates, 2))
    spans = _one_age_each(span for span in pairs if span is not None and span.name not in frame.columns)
    if not spans:
        return (), found
    made = tuple(_column(span, span.values(frame)) for span in spans)
    births = {span.first: f"{span.name} says it" for span in spans if span.in_years}
    notes = [(span.name, span.note) for span in spans]
    return spans, replace(found, columns=(*found.columns, *made)).without(births, notes)


def _one_age_each(found: Iterable[TimeSpan]) -> tuple[TimeSpan, ...]:
    """Return spans with the first age of every birth: the others are that age and days that are inputs too."""
    spans = tuple(found)
    first = {span.first: span for span in reversed(spans) if span.in_years}
    return tuple(span for span in spans if not span.in_years or first[span.first] is span)


def _span(one: Column, other: Column, born: Collection[str], frame: pd.DataFrame) -> TimeSpan | None:
    """Return the span between two columns of dates, None if neither follows the other or it is always the same."""
    if {one.name, other.name} <= set(born):
        return None
    age = one.name in born or other.name in born
    span = _named(other, one, age) if other.name in born else _named(one, other, age)
    values = span.values(frame).to_numpy()
    known = values[~np.isnan(values)]
    if 2 * len(known) < len(values) or np.ptp(known) == 0.0:
        return None
    if not age and np.mean(known < 0.0) > np.mean(known > 0.0):
        span = _named(other, one, age)
        known = -known
    return span if np.mean(known >= 0.0) >= _ORDERED else None


def _named(first: Column, last: Column, age: bool) -> TimeSpan:
    return TimeSpan(
        name=f"age at {last.name} (years)" if age else f"{first.name} to {last.name} (days)",
        first=first.name,
        last=last.name,
        first_reading=first.reading,
        last_reading=last.reading,
        in_years=age,
    )


def _column(span: TimeSpan, values: pd.Series) -> Column:
    array = values.to_numpy()
    missing = float(np.isnan(array).mean())
    return Column(
        name=span.name, kind="number", missing=missing, low=float(np.nanmin(array)), high=float(np.nanmax(array))
    )
