"""Turns arrays and DataFrames into named columns, each a one-dimensional array; no other module knows both.

A column is float64 (NaN is missing), datetime64[us] (NaT is missing) or object: text, with None
where a cell is missing. pandas, polars and anything with ``columns`` and ``__getitem__`` are read
by their own methods, so neither package is needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from kernelect.exceptions import InvalidArgument, SparseInput

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


def is_frame(X: object) -> bool:
    """Tell whether ``X`` has named columns."""
    return hasattr(X, "columns") and hasattr(X, "__getitem__") and not isinstance(X, np.ndarray)


def as_frame(X: Any) -> Frame:
    """Return the columns of an array or DataFrame.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features), or DataFrame
        Numbers, text, booleans, dates; missing cells are NaN, None or NaT.
    """
    if isinstance(X, Frame):
        return X
    if is_frame(X):
        names = [str(name) for name in X.columns]
        pairs = [cells_of(X[name]) for name in X.columns]
        return Frame(tuple(names), tuple(cells for cells, _ in pairs), tuple(declared for _, declared in pairs), len(X))
    array = _two_dimensional(X)
    names = [f"x{j}" for j in range(array.shape[1])]
    columns = tuple(_cells(array[:, j]) for j in range(array.shape[1]))
    return Frame(tuple(names), columns, (False,) * len(names), len(array), named=False)


def _two_dimensional(X: Any) -> Cells:
    if hasattr(X, "tocsr"):
        raise SparseInput("X is a sparse matrix, and the inputs are centred, which makes them dense: give X.toarray().")
    array = np.asarray(X)
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
    """Return objects as floats where all are numbers, as dates where all are dates, else as text."""
    missing = np.array([_is_missing(cell) for cell in values], dtype=bool)
    present = values[~missing]
    if all(isinstance(cell, bool | int | float | np.number | np.bool_) for cell in present):
        out = np.full(len(values), np.nan)
        out[~missing] = [float(cell) for cell in present]
        return out
    if all(hasattr(cell, "isoformat") for cell in present):
        out = np.full(len(values), np.datetime64("NaT"), dtype="datetime64[us]")
        out[~missing] = [np.datetime64(cell.isoformat()[:19]) for cell in present]
        return out
    text = np.full(len(values), None, dtype=object)
    text[~missing] = [_text(cell) for cell in present]
    return text


def _is_missing(cell: object) -> bool:
    """Tell None, NaN, NaT and pandas' NA, all of which differ from themselves or are None."""
    if cell is None or type(cell).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(cell, float) and cell != cell


def _text(cell: object) -> str:
    """Return a cell as text; whole numbers alike whether they are stored as integers or floats."""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell).strip()
