"""Turns arrays and DataFrames into named columns, each a one-dimensional array; no other module knows both.

A column is float64 (NaN is missing), datetime64[us] (NaT is missing; moments of a time zone are in UTC) or object:
text, with None if a cell is missing. Durations are days, times of day shares of a day. pandas, polars and anything
with ``columns`` and ``__getitem__`` are read by their own methods, so neither package is needed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt

from kernelect.exceptions import InvalidArgument

Cells = npt.NDArray[Any]


@dataclass(frozen=True)
class Frame:
    """Named columns of equal length.

    ``declared`` marks columns whose type is already categorical. ``named`` is false if the names are only column
    numbers, as for an array; its numbers are then used as they are.
    """

    names: tuple[str, ...]
    columns: tuple[Cells, ...]
    declared: tuple[bool, ...]
    n_rows: int
    named: bool = True

    def __len__(self) -> int:
        return self.n_rows

    def take(self, rows: npt.NDArray[Any] | slice) -> Frame:
        """Return some of the rows."""
        columns = tuple(column[rows] for column in self.columns)
        return Frame(self.names, columns, self.declared, len(np.arange(self.n_rows)[rows]), self.named)


def is_dask(X: object) -> bool:
    """Return whether this is a collection of Dask."""
    return type(X).__module__.partition(".")[0] in ("dask", "dask_expr") and hasattr(X, "__dask_graph__")


def is_frame(X: object) -> bool:
    """Return whether ``X`` has named columns."""
    return hasattr(X, "columns") and hasattr(X, "__getitem__") and not isinstance(X, np.ndarray) and not _is_arrow(X)


def _is_arrow(X: object) -> bool:
    """Return whether ``X`` is a table of pyarrow, whose ``columns`` are no names."""
    return hasattr(X, "column_names") and hasattr(X, "to_pydict")


def check_names(X: Any) -> None:
    """Raise if two columns of a DataFrame have the same name, or if it holds no rows yet."""
    if hasattr(X, "collect") and hasattr(X, "collect_schema") and not hasattr(X, "to_numpy"):
        raise InvalidArgument("X is a LazyFrame, which holds no rows yet: call .collect(), and give what it returns.")
    names = [str(name) for name in X.columns] if is_frame(X) else []
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InvalidArgument(
            f"X has {names.count(twice)} columns named {twice!r}: give each column a name of its own, or leave out "
            "copies with X.loc[:, ~X.columns.duplicated()]."
        )


def as_frame(X: Any) -> Frame:
    """Return the columns of an array or DataFrame.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features), or DataFrame
        Numbers, text, booleans, dates; missing cells are NaN, None or NaT.
    """
    if isinstance(X, Frame):
        return X
    if _is_arrow(X):
        return _of_arrow(X)
    check_names(X)
    if is_frame(X):
        names = [str(name) for name in X.columns]
        pairs = [cells_of(X[name]) for name in X.columns]
        return Frame(tuple(names), tuple(cells for cells, _ in pairs), tuple(declared for _, declared in pairs), len(X))
    array = _two_dimensional(X)
    names = [f"x{j}" for j in range(array.shape[1])]
    columns = tuple(_cells(array[:, j]) for j in range(array.shape[1]))
    return Frame(tuple(names), columns, (False,) * len(names), len(array), named=False)


def _of_arrow(table: Any) -> Frame:
    names = [str(name) for name in table.column_names]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InvalidArgument(f"X has {names.count(twice)} columns named {twice!r}: give each one a name of its own.")
    columns = []
    for column in table.columns:
        cells = np.empty(len(column), dtype=object)
        cells[:] = column.to_pylist()
        columns.append(_cells(cells))
    declared = tuple(str(column.type).startswith("dictionary") for column in table.columns)
    return Frame(tuple(names), tuple(columns), declared, table.num_rows)


def as_array(X: Any) -> Cells:
    """Return rows as an array, those of a sparse matrix if there is memory for it."""
    if hasattr(X, "toarray"):
        from kernelect.numerics import dense_rows

        X = dense_rows(X)
    return np.asarray(unmasked(X))


def unmasked(X: Any) -> Any:
    """Return an array whose masked cells are missing; whatever has no mask is returned as it is."""
    if not np.ma.is_masked(X):
        return X
    numeric = X.dtype.kind in "iufb"
    cells = np.array(X.data, dtype=np.float64 if numeric else object)
    cells[np.ma.getmaskarray(X)] = np.nan if numeric else None
    return cells


def require_known(y: Any) -> None:
    """Raise if targets, of any type but floats, have missing values among them: None, NA, NaT or masked ones."""
    if not hasattr(y, "__len__") or isinstance(y, tuple) or hasattr(y, "__dask_graph__"):
        return
    cells = np.asarray(unmasked(y))
    missing = [_is_missing(cell) for cell in cells.ravel()] if cells.dtype.kind == "O" else []
    if any(missing):
        raise InvalidArgument(
            f"Input y contains NaN or None: {sum(missing)} of {len(missing)} values are missing, the first in row "
            f"{missing.index(True)}. Leave such rows out."
        )


def _two_dimensional(X: Any) -> Cells:
    array = as_array(X)
    if array.ndim != 2:
        raise InvalidArgument(
            f"X has {array.ndim} dimension(s) and must have 2, rows and columns. Reshape your data either using "
            "array.reshape(-1, 1) if it has a single column or array.reshape(1, -1) if it is a single row."
        )
    if np.iscomplexobj(array):
        raise InvalidArgument("X holds complex numbers. Complex data not supported: give real and imaginary parts.")
    return array


def cells_of(series: Any) -> tuple[Cells, bool]:
    """Return the cells of one column of a DataFrame, and whether its type is categorical."""
    name = str(getattr(series, "dtype", "")).lower()
    declared = name.startswith(("category", "categorical", "enum"))
    if declared:
        series = series.astype(object) if hasattr(series, "astype") else series.cast(str)
    if getattr(getattr(series, "dtype", None), "tz", None) is not None:
        series = series.dt.tz_convert(None)
    return _cells(_to_numpy(series)), declared


def _to_numpy(series: Any) -> Cells:
    """Return a column as NumPy has it; nullable numbers become floats with NaN."""
    values = series.to_numpy() if hasattr(series, "to_numpy") else np.asarray(series)
    return np.asarray(values)


def _cells(values: Cells) -> Cells:
    """Return cells as float64, datetime64[us], or text objects with None for missing ones."""
    if values.dtype.kind in "iufb":
        return values.astype(np.float64)
    if values.dtype.kind == "M":
        return values.astype("datetime64[us]")
    if values.dtype.kind == "m":
        return values / np.timedelta64(1, "D")
    return _mixed(values.astype(object))


def _mixed(values: Cells) -> Cells:
    """Return objects as floats if all are numbers, as dates if all are dates, else as text."""
    missing = np.array([_is_missing(cell) for cell in values], dtype=bool)
    present = values[~missing]
    _, empty, read = next(one for one in _OBJECTS if all(isinstance(cell, one[0]) for cell in present))
    out = np.full(len(values), empty)
    out[~missing] = [read(cell) for cell in present]
    return out


def _moment(cell: Any) -> np.datetime64:
    """Return a date, or a date and time in UTC."""
    if not isinstance(cell, datetime):
        return np.datetime64(cell, "us")
    return np.datetime64(cell.replace(tzinfo=None), "us") - np.timedelta64(cell.utcoffset() or timedelta(), "us")


def _days(cell: timedelta | np.timedelta64) -> float:
    return float(np.timedelta64(cell) / np.timedelta64(1, "D"))


def _share_of_day(cell: time) -> float:
    return (cell.hour * 3600 + cell.minute * 60 + cell.second + cell.microsecond / 1e6) / 86400


def _is_missing(cell: object) -> bool:
    """Tell None, NaN, NaT and pandas' NA, all of which differ from themselves or are None."""
    if cell is None or type(cell).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(cell, float | np.floating | np.datetime64 | np.timedelta64 | Decimal) and cell != cell


def _text(cell: object) -> str:
    """Return a cell as text; whole numbers alike whether they are stored as integers or floats."""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell).strip()


#: Types of objects, the missing cell of their column, and how one of them is read; the first that fits all cells.
_OBJECTS: tuple[tuple[Any, Any, Callable[[Any], Any]], ...] = (
    (timedelta | np.timedelta64, np.nan, _days),  # before numbers, since NumPy's durations are such
    (bool | int | float | np.number | np.bool_ | Decimal, np.nan, float),
    (date | np.datetime64, np.datetime64("NaT", "us"), _moment),
    (time, np.nan, _share_of_day),
    (object, None, _text),
)
