"""The columns of a table: what they are and which values they have."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernelect.facts.names import plain_name
from kernelect.facts.record import ColumnFacts


def describe_columns(X: Any) -> list[ColumnFacts]:
    """Return name, kind and share of missing cells of every column of a DataFrame or an array."""
    if not hasattr(X, "columns"):
        array = np.asarray(X, dtype=float)
        return [number_facts(f"x{j}", array[:, j]) for j in range(array.shape[1])]
    return [_described(plain_name(name), X[name]) for name in X.columns]


def _described(name: str, column: Any) -> ColumnFacts:
    if column.dtype.kind in "biuf":
        return number_facts(name, column.to_numpy(dtype=float, na_value=np.nan))
    return ColumnFacts(
        name=name, kind="category", missing=float(column.isna().mean()), categories=int(column.nunique())
    )


def number_facts(name: str, values: Any) -> ColumnFacts:
    """Return what a column of numbers holds."""
    known = values[~np.isnan(values)]
    low, high = (float(known.min()), float(known.max())) if len(known) else (None, None)
    return ColumnFacts(name=name, kind="number", missing=1.0 - len(known) / max(len(values), 1), low=low, high=high)


def missing_cells(X: Any) -> int:
    """Return the number of missing cells of a DataFrame or an array."""
    return int((X.isna().to_numpy() if hasattr(X, "isna") else np.isnan(np.asarray(X, dtype=float))).sum())
