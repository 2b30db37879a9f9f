"""Times until an event: which rows saw theirs, and columns that may tell it."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

from kernelect.exceptions import UnusableTable
from kernelect.tabular.columns import column_values
from kernelect.tabular.rows import TableRows
from kernelect.tabular.schema import Schema
from kernelect.typing import REGRESSION

#: Words in names of times until something, and of columns that tell whether it happened.
_TIME_WORDS = "f?u?time|times|days?|weeks?|months?|years?|survival|duration|follow_?up|tte|os|pfs"
_EVENT_WORDS = "status|fustat|events?|death|dead|died|censor(?:ed|ing)?|cens|observed|relapsed?"
_TIMES, _EVENTS = (re.compile(rf"(?:^|[^a-z])(?:{words})(?:$|[^a-z])") for words in (_TIME_WORDS, _EVENT_WORDS))


def events_of(column: pd.Series) -> np.ndarray:
    """Return whether every row saw its event: true, or 1."""
    if pd.api.types.is_bool_dtype(column.dropna().infer_objects()) and column.notna().all():
        return column.to_numpy(dtype=bool)
    values = column_values(column, "number").to_numpy()
    wrong = ~np.isin(values, (0.0, 1.0))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise UnusableTable(
            f"--event {column.name!r}: row {column.index[row] + 1} has {str(column.iloc[row])!r}: every row needs 1 "
            "(the event was seen at the time that --target gives) or 0 (it was not seen until then)."
        )
    if not values.any():
        raise UnusableTable(
            f"--event {column.name!r}: no row has an event, so that nothing tells when one comes: check whether 0 "
            "and 1 are the wrong way round."
        )
    return np.asarray(values == 1.0)


def on_events(schema: Schema, rows: TableRows) -> list[str]:
    """Return a remark if the target looks like a time, and an input like what tells whether it ended in an event."""
    if schema.event is not None or schema.task != REGRESSION or not _TIMES.search(_plain(schema.target)):
        return []
    found = [
        column.name
        for column in schema.columns
        if column.kind == "number"
        and _EVENTS.search(_plain(column.name))
        and np.isin(rows.X[column.name].to_numpy(), (0.0, 1.0)).all()
    ]
    if not found or not np.all(rows.y.to_numpy() >= 0.0):
        return []
    return [
        f"The target {schema.target!r} looks like a time and {found[0]!r} like whether it ended in an event. If so, "
        f"use --event {found[0]!r}: rows without an event then count as later, and the column is no input."
    ]


def _plain(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", str(name)).lower()
