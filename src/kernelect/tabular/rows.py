"""The rows of a table, ready for a pipeline, and which of them depend on each other."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from kernelect.exceptions import UnusableTable
from kernelect.inputs import Wishes, as_frame, describe
from kernelect.inputs.notes import sentences
from kernelect.tabular.columns import column_values
from kernelect.tabular.units import MANY, Copies, find_copies, joined


@dataclass(frozen=True, kw_only=True)
class TableRows:
    """Inputs, targets and weights, ready for a pipeline, and which rows depend on each other.

    Attributes
    ----------
    groups : ndarray of int, or None
        The group of every row, if a column was named (``--group``).
    time : ndarray of float, or None
        When every row was observed, if a column was named (``--time``).
    event : ndarray of bool, or None
        Whether every target is the time of an event, if a column was named (``--event``).
    limits : ndarray of shape (n, 2), or None
        Lower and upper limit of every target, if some are only known by a limit; ``y`` has the limit itself there.
    dated : tuple of str
        Columns of dates that were left out.
    places : ndarray of int, or None
        Where every row stands in its table, which also has rows that were left out; None if no row was left out.
    """

    X: pd.DataFrame
    y: pd.Series
    weights: np.ndarray | None
    groups: np.ndarray | None = None
    time: np.ndarray | None = None
    event: np.ndarray | None = None
    limits: np.ndarray | None = None
    dated: tuple[str, ...] = ()
    places: np.ndarray | None = None

    @cached_property
    def copies(self) -> Copies:
        """Rows that are equal to others, in inputs and target or in inputs alone."""
        return find_copies(self.X, self.y, self.groups)

    @cached_property
    def units(self) -> np.ndarray | None:
        """The same number for rows that folds keep together; None if every row stands by itself."""
        copied = self.copies.index if self.copies.repeated else None
        if self.groups is None or copied is None:
            return self.groups if copied is None else copied
        together = joined(self.groups, copied)
        # Equal rows that link most groups are what a design repeats, such as the days of every subject.
        return together if len(np.unique(together)) > 0.5 * len(np.unique(self.groups)) else self.groups

    @property
    def left_out_together(self) -> np.ndarray | None:
        """The same number for rows that leave-one-out leaves out together; a few copies are not worth it."""
        return self.units if self.groups is not None or self.copies.repeated >= MANY else None


def group_numbers(column: pd.Series) -> np.ndarray:
    """Return the number of every row's group; a row without one is a group of its own."""
    numbers, names = pd.factorize(column_values(column, "category"))
    if len(names) + int((numbers < 0).sum()) < 2:
        raise UnusableTable(
            f"--group {column.name!r}: the column has the value {names[0]!r} in every row: name a column with at least "
            "two values, or leave --group out."
        )
    lone = numbers < 0
    return np.where(lone, len(names) + np.cumsum(lone), numbers).astype(np.intp)


@dataclass(frozen=True)
class Times:
    """When rows were observed, the form of the dates (empty for numbers), and remarks on how cells were read."""

    values: np.ndarray
    form: str
    remarks: list[str]


def times_of(column: pd.Series, wishes: Wishes | None = None) -> Times:
    """Return when every row was observed."""
    (role,) = describe(as_frame(column.to_frame()), wishes)
    known = role.kind in ("number", "date")
    values = column_values(column, role.kind if known else "date", role.reading)
    unknown = values.isna().to_numpy()
    if unknown.any():
        row, cell = column.index[unknown][0] + 1, column[unknown].iloc[0]
        raise UnusableTable(
            f"--time {column.name!r}: row {row} has {cell!r}, which is neither a date nor a number: write dates as "
            f"2024-12-31, give their form (--date '{column.name}=%d.%m.%Y'), or leave the row out."
        )
    remarks = sentences((str(column.name), note) for note in role.notes) if known else []
    form = "" if role.kind == "number" else role.reading.date_format
    return Times(values.to_numpy(dtype=float), form, remarks)
