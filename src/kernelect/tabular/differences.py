"""How a new table differs from the one a model was fitted on, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from kernelect.facts.names import listed
from kernelect.facts.numbers import counted
from kernelect.inputs.numerals import COMMA
from kernelect.inputs.readings import Reading, missing_codes
from kernelect.tabular.columns import MOST_CATEGORIES, Column, column_values
from kernelect.tabular.schema import Schema

#: Share of a column's cells from which being unreadable means that it is another column.
_MOSTLY = 0.5

#: As many cells as make no accident of a code; one new row may be all there is.
_OFTEN = 2

#: Missing cells beyond their share in training: at least so many rows, and so many times the share.
_MORE_ROWS, _MORE_OFTEN = 3, 3.0


def readings_for(schema: Schema, frame: pd.DataFrame) -> tuple[dict[str, Reading], list[str]]:
    """Return how the columns of a new table are read, and remarks on those written otherwise than in training."""
    readings, remarks = schema.readings(frame), []
    for column in schema.columns:
        reading = readings[column.name]
        if reading.decimal != column.reading.decimal:
            here, there = ("comma", "point") if reading.decimal == COMMA else ("point", "comma")
            remarks.append(
                f"Column {column.name!r} has a decimal {here} here and had a decimal {there} in the training table: "
                f"it was read with the {here}."
            )
        if reading.date_format != column.reading.date_format:
            remarks.append(
                f"Column {column.name!r} has dates written as {reading.date_format} here and as "
                f"{column.reading.date_format} in the training table: they were read as {reading.date_format}."
            )
        codes = _new_codes(column, frame[column.name], reading)
        if codes:
            readings[column.name] = replace(reading, missing_codes=(*reading.missing_codes, *codes))
            remarks.append(
                f"Column {column.name!r} holds {' and '.join(codes)}, outside the range of the training table: such "
                "cells count as missing."
            )
    return readings, remarks


def _new_codes(column: Column, cells: pd.Series, reading: Reading) -> tuple[str, ...]:
    """Return codes for missing cells that the training table did not have: far from all that it had.

    Each number is judged by itself, so that the prediction of a row does not depend on the other new rows.
    """
    if column.kind != "number" or column.literal or column.low is None or column.high is None:
        return ()
    values = column_values(cells, "number", reading).to_numpy()
    outside = np.unique(values[(values < column.low) | (values > column.high)])
    often = np.full(3, _OFTEN)
    return tuple(f"{value:.0f}" for value in outside if missing_codes(np.sort([column.low, column.high, value]), often))


def differences(
    schema: Schema, frame: pd.DataFrame, X: pd.DataFrame, absent: Sequence[str], readings: dict[str, Reading]
) -> list[str]:
    """Return remarks on cells unlike those of the training table.

    Parameters
    ----------
    schema : Schema
    frame, X : DataFrame
        The new table as it stands, and its inputs.
    absent : sequence of str
        Columns that it lacks.
    readings : dict of column to Reading
    """
    remarks: list[str] = []
    outside, rows = [], np.zeros(len(X), dtype=bool)
    for column in (column for column in schema.columns if column.name not in absent):
        values, cells = X[column.name].to_numpy(), frame[column.name]
        missing = pd.isna(values)
        lost = _lost(cells[missing], readings[column.name])
        remarks += [*_on_unseen(column, values[~missing]), *_on_unreadable(column, lost, len(X))]
        remarks += _on_missing(column, int(missing.sum()) - len(lost), len(X))
        if column.kind != "category":
            beyond = (values < column.low) | (values > column.high)
            outside += [column.name] if beyond.any() else []
            rows |= beyond
    if outside:
        remarks.append(
            f"In {int(rows.sum())} of {len(X)} rows a number lies outside the range of the training table (columns "
            f"{listed(outside)}): predictions there are extrapolated."
        )
    return remarks


def _lost(cells: pd.Series, reading: Reading) -> pd.Series:
    """Return those of the missing cells that could not be read: neither empty nor codes."""
    cells = cells.dropna()
    return cells[column_values(cells, "category", reading).notna()] if len(cells) else cells


def _on_unseen(column: Column, present: np.ndarray) -> Iterator[str]:
    if column.kind != "category" or len(column.categories) >= MOST_CATEGORIES:  # not all were remembered
        return
    known = set(column.categories)
    unseen = [cell for cell in present if cell not in known]
    if unseen:
        found = sorted(set(unseen))
        what = "1 category" if len(found) == 1 else f"{len(found)} categories"
        yield (
            f"Column {column.name!r} has {what} the model never saw ({listed(found)}), in "
            f"{counted(len(unseen), 'row')}: such cells count as rare categories, or as none of those known."
        )


def _on_unreadable(column: Column, lost: pd.Series, n_rows: int) -> Iterator[str]:
    if not len(lost) or column.kind == "category":
        return
    what = "date" if column.kind == "date" else "number"
    way_out = (
        f": such cells count as missing. The training table had {column.kind}s there; check that this is the same "
        "column."
        if len(lost) > _MOSTLY * n_rows
        else ": such cells count as missing."
    )
    found = f"Column {column.name!r} has {counted(len(lost), 'cell')} that cannot be read as a {what}"
    yield f"{found}, such as {lost.iloc[0]!r}{way_out}"


def _on_missing(column: Column, missing: int, n_rows: int) -> Iterator[str]:
    if missing >= _MORE_ROWS and missing > _MORE_OFTEN * column.missing * n_rows:
        before = f"{100 * column.missing:.0f} %" if column.missing else "none"
        yield (
            f"Column {column.name!r} has {missing} of {n_rows} cells missing, of which the training table had {before}."
        )
