"""What the page shows of a table before it is fitted: its columns, the role found for each, and small pictures."""

from __future__ import annotations

from datetime import date, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from kernelect.app.settings import Settings
from kernelect.app.wording import in_page_words
from kernelect.facts.numbers import are_years, counted, trimmed
from kernelect.tabular import Column, Table, describe_table, read_table, require_room
from kernelect.tabular.columns import column_values, find_columns
from kernelect.tabular.stakes import with_stakes

#: Columns that are shown, bars of a picture, and cells that are shown of a column.
_MOST_COLUMNS, _BARS, _CELLS = 300, 12, 3


def look_at(path: Path, settings: Settings) -> dict[str, Any]:
    """Return what is in a table, read as the settings say; raises what ``kernelect fit`` would.

    Parameters
    ----------
    path : Path
    settings : Settings
        Without a target, the columns are described as if all were inputs.
    """
    table = _read(path, path.stat().st_mtime_ns, settings.target, settings.sheet)
    frame, facts, read = table.frame, {}, {}
    if settings.target is None:
        found = find_columns(frame)
        columns, unused, parts, remarks = found.columns, found.unused, {}, list(table.remarks)
    else:
        how = {"decimal": table.decimal, "words": table.words, **settings.declared()}
        schema, rows, more = describe_table(frame, settings.target, **how)
        with_stakes(schema, rows, **settings.at_stake())
        columns, unused, remarks = schema.columns, schema.unused, [*table.remarks, *more]
        parts = {schema.group: "group", schema.time: "time", schema.weight: "weight", schema.event: "event"}
        parts = {**parts, **dict.fromkeys(schema.ids, "names rows"), schema.target: "target"}
        read = {schema.target: rows.y} if rows.limits is None else {}  # limits such as <5 are shown as they stand
        classes = [str(label) for label in schema.classes or ()]
        facts = {"task": "count" if schema.counts else schema.own_task, "classes": classes[:_MOST_COLUMNS]}
    known = {column.name: column for column in columns}
    return {
        **facts,
        "rows": len(frame),
        "names": list(frame.columns),
        "columns": [
            _shown(frame[name], known.get(name), parts.get(name), unused.get(name, ""), read.get(name))
            for name in frame.columns[:_MOST_COLUMNS]
        ],
        "remarks": [in_page_words(remark) for remark in remarks],
    }


@lru_cache(maxsize=1)
def _read(path: Path, _: int, target: str | None, sheet: str | None) -> Table:
    """Read a table once for all that is chosen about it; the time of its last change is part of the question."""
    require_room(str(path))
    return read_table(path, target=target, sheet=sheet)


def _shown(
    cells: pd.Series, column: Column | None, part: str | None, reason: str, read: pd.Series | None
) -> dict[str, Any]:
    """Return the facts of one column: a part of its own, an input, or of no use for a reason.

    ``read`` are the cells of the target that are not missing, as they are read.
    """
    values = cells if column is None else column_values(cells, column.kind, column.reading)
    values = values if read is None else read
    kind = "" if column is None else column.kind
    return {
        "name": str(cells.name),
        "found": part or kind or "unused",
        "reason": reason,
        "missing": 1.0 - float(pd.notna(values).sum()) / max(len(cells), 1),
        "words": _words(column, values),
        "bars": _bars(values),
    }


def _words(column: Column | None, values: pd.Series) -> str:
    """Return the range of numbers and dates, and the first categories."""
    if column is not None and column.low is not None and column.high is not None:
        ends = (column.low, column.high)
        if column.kind == "date":
            return " to ".join(str(date(1970, 1, 1) + timedelta(days=end)) for end in ends)
        years = are_years(*ends)
        return " to ".join(trimmed(end, years=years) for end in ends)
    if column is None and pd.api.types.is_float_dtype(values) and values.notna().any():
        return " to ".join(trimmed(float(end)) for end in (values.min(), values.max()))
    counts = values.dropna().astype(str).value_counts()
    more = f" and {len(counts) - _CELLS} more" if len(counts) > _CELLS else ""
    listed = ", ".join(text if len(text) <= 24 else f"{text[:23]}…" for text in counts.index[:_CELLS])
    return f"{counted(len(counts), 'value')}: {listed}{more}" if len(counts) else "no values"


def _bars(values: pd.Series) -> list[float]:
    """Return heights of bars between 0 and 1: how many cells lie in each part of the range, or in each category."""
    if pd.api.types.is_numeric_dtype(values) and not pd.api.types.is_bool_dtype(values):
        numbers = values.to_numpy(dtype=float, na_value=np.nan)
        numbers = numbers[np.isfinite(numbers)]
        width = np.ptp(numbers) if len(numbers) else 0.0
        counts = np.histogram(numbers, _BARS)[0] if 0.0 < width < np.inf else np.array([float(len(numbers))])
    else:
        counts = values.dropna().astype(str).value_counts().to_numpy()[:_BARS]
    largest = max(counts, default=0)
    return [round(float(count / largest), 3) for count in counts] if largest else []
