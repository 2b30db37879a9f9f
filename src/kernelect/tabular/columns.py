"""What each column is: numbers, dates or categories, and which columns carry nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

#: Share of a text column's cells that have to be numbers (or dates) for it to be read as such.
_MOSTLY = 0.9

#: More different texts than this, and than half of the rows, are names rather than categories.
_FEW_TEXTS = 20

#: Fewer rows than this do not tell a row number from a measurement.
_ENOUGH_ROWS = 20

#: Numbers beyond this count as missing: their squares overflow.
_LARGEST = 1e100

_SECONDS_PER_DAY = 86400

#: Steps of a clock per second, by pandas' name of its unit.
_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}

#: Categories that are remembered with the model, to explain new ones.
MOST_CATEGORIES = 1000


@dataclass(frozen=True)
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
    """

    name: str
    kind: str
    missing: float
    low: float | None = None
    high: float | None = None
    categories: tuple[str, ...] = ()


def find_columns(frame: pd.DataFrame, kept: Sequence[str] = ()) -> tuple[list[Column], list[str]]:
    """Return the columns of use, and a remark for every column that was left out or reinterpreted.

    Parameters
    ----------
    frame : DataFrame
        Inputs only.
    kept : sequence of str
        Names that are kept even if they look like row numbers or names.
    """
    columns, remarks = [], []
    for name in frame.columns:
        kind, remark = kind_of(frame[name])
        values = values_of(frame[name], kind)
        if kind == "number" and _distinct(values) == 1 and np.isnan(values.to_numpy()).any():
            kind, values = "category", values_of(frame[name], "category")  # a mark that is there or not
        useless = _uselessness(frame[name], values, kind, name in kept)
        if useless:
            remarks.append(f"Column {name!r} was left out: {useless}.")
            continue
        remarks += [f"Column {name!r}: {remark}."] if remark else []
        columns.append(_described(name, values, kind))
    return columns, remarks


def values_of(column: pd.Series, kind: str) -> pd.Series:
    """Return a column as floats (numbers, days since 1970) or as text objects, missing cells as NaN."""
    if kind == "category":
        return _texts(column)
    values = _days(column) if kind == "date" else _floats(column)
    array = values.to_numpy(dtype=float, na_value=np.nan)
    return pd.Series(np.where(np.abs(array) <= _LARGEST, array, np.nan), index=column.index, name=column.name)


def kind_of(column: pd.Series) -> tuple[str, str]:
    """Return what a column is, and a remark where that was a judgement."""
    if pd.api.types.is_bool_dtype(column) or pd.api.types.is_numeric_dtype(column):
        known = column.to_numpy(dtype=float, na_value=np.nan)
        extreme = int(np.sum(np.abs(known) > _LARGEST))
        return "number", f"{extreme} infinite or huge cell(s) count as missing" if extreme else ""
    if isinstance(column.dtype, pd.CategoricalDtype):
        return "category", ""
    if pd.api.types.is_datetime64_any_dtype(column):
        return "date", "dates were turned into days since 1970"
    texts = _texts(column)
    present = int(texts.notna().sum())
    for kind, how in (("number", "count as missing, being no numbers"), ("date", "count as missing, being no dates")):
        read = int(values_of(texts, kind).notna().sum())
        if present and read >= _MOSTLY * present:
            lost = texts[texts.notna() & values_of(texts, kind).isna()]
            said = [f"{len(lost)} cell(s) such as {lost.iloc[0]!r} {how}"] if len(lost) else []
            return kind, ", ".join([*(["dates were turned into days since 1970"] if kind == "date" else []), *said])
    return "category", ""


def _floats(column: pd.Series) -> pd.Series:
    """Return cells as numbers, NaN where they are none."""
    if pd.api.types.is_numeric_dtype(column):
        return column
    # A categorical type, which arithmetic refuses, goes first.
    return pd.to_numeric(column.astype(object), errors="coerce")


def _texts(column: pd.Series) -> pd.Series:
    """Return cells as text objects; whole numbers alike whether other cells are missing or not."""
    present = column.notna()
    out = pd.Series(np.full(len(column), np.nan, dtype=object), index=column.index, name=column.name, dtype=object)
    out[present] = [_text(cell) for cell in column[present]]
    return out


def _text(cell: Any) -> str:
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell).strip()


def _days(column: pd.Series) -> pd.Series:
    """Return days since 1970; only dates written as 2024-12-31 (with or without time) are read."""
    if not pd.api.types.is_datetime64_any_dtype(column):
        texts = _texts(column)
        written = texts.where(texts.str.match(r"\d{4}-\d{2}-\d{2}", na=False))
        column = pd.to_datetime(written, errors="coerce", format="ISO8601", utc=True)
    naive = column.dt.tz_convert(None) if column.dt.tz is not None else column
    # By hand: pandas counts in nanoseconds on the way, which end in the year 2262.
    stamps = naive.to_numpy(dtype=f"datetime64[{naive.dt.unit}]")
    days = stamps.astype(np.int64) / (_SECONDS_PER_DAY * _PER_SECOND[naive.dt.unit])
    return pd.Series(np.where(np.isnat(stamps), np.nan, days), index=column.index, name=column.name)


def _uselessness(column: pd.Series, values: pd.Series, kind: str, kept: bool) -> str:
    """Return why a column cannot help, or nothing."""
    distinct, present = _distinct(values), int(np.sum(~pd.isna(values.to_numpy())))
    if not present:
        return "all its cells are missing"
    if distinct == 1 and present == len(values):
        return "it is constant"
    if kept:
        return ""
    if kind == "category" and distinct > max(_FEW_TEXTS, present / 2):
        return (
            f"{distinct} different texts in {present} rows look like names, free text or dates in an unknown form "
            "(write dates as 2024-12-31, or keep it with --keep)"
        )
    if kind == "number" and _counts_rows(str(column.name), values.to_numpy(), distinct):
        return "it looks like a row number (keep it with --keep)"
    return ""


def _distinct(values: pd.Series) -> int:
    """Return the number of different values; ``nunique`` is slow where there are thousands of columns."""
    if values.dtype == object:
        return int(values.nunique())
    array = values.to_numpy()
    return len(np.unique(array[~np.isnan(array)]))


def _counts_rows(name: str, values: np.ndarray, distinct: int) -> bool:
    """Tell whether the values are whole numbers without gap or repetition, or called an id and all different."""
    if len(values) < _ENOUGH_ROWS or distinct < len(values) or np.any(values % 1):
        return False
    last_word = name.lower().replace("-", "_").split("_")[-1]
    return bool(values.max() - values.min() == len(values) - 1) or last_word == "id"


def _described(name: str, values: pd.Series, kind: str) -> Column:
    missing = float(pd.isna(values.to_numpy()).mean())
    if kind == "category":
        found = sorted(values.dropna().unique())
        return Column(name, kind, missing, categories=tuple(found[:MOST_CATEGORIES]))
    array = values.to_numpy()
    return Column(name, kind, missing, low=float(np.nanmin(array)), high=float(np.nanmax(array)))
