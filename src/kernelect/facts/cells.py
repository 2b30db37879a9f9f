"""Cells of a table as pictures of explanations need them: in words, in order, on an axis, side by side."""

from __future__ import annotations

from contextlib import suppress
from datetime import date, timedelta
from typing import Any

import numpy as np

from kernelect.facts.names import plain_name, short_name
from kernelect.facts.numbers import are_years, trimmed
from kernelect.typing import Array

#: Classes of equal width into which a line of the swarm is sorted to see how dense it is.
_BINS = 60

#: Levels of a category that an axis shows.
_LEVELS = 12

_MISSING = "(missing)"


def cell_words(cell: Any, kind: str = "") -> str:
    """Return a cell as it may stand behind its column's name; a "date" may be given as days since 1970."""
    if cell is None or cell != cell:
        return _MISSING
    if isinstance(cell, bool | np.bool_) or not isinstance(cell, int | float | np.number):
        return short_name(cell, 18)
    with suppress(OverflowError):
        if kind == "date":
            return str(date(1970, 1, 1) + timedelta(days=float(cell)))
    return trimmed(float(cell), 4, years=kind == "year")


def hold_years(cells: Any) -> bool:
    """Return whether the cells of a column are years."""
    numbers = _numbers(cells)
    known = np.empty(0) if numbers is None else numbers[np.isfinite(numbers)]
    return len(known) > 0 and are_years(float(known.min()), float(known.max()))


def columns_of_years(X: Any) -> frozenset[str]:
    """Return the names of a DataFrame's columns that hold years."""
    return frozenset(str(name) for name in getattr(X, "columns", ()) if hold_years(X[name]))


def _numbers(cells: Any) -> Array | None:
    """Return cells as numbers, NaN if missing; None if they are texts."""
    try:
        return np.array([np.nan if cell is None else cell for cell in np.asarray(cells).tolist()], dtype=float)
    except (TypeError, ValueError):
        return None


def column_ranks(cells: Any) -> Array:
    """Return how high each cell stands in its column, 0 to 1; equal cells alike, NaN for texts and missing ones."""
    numbers = _numbers(cells)
    out = np.full(len(cells), np.nan)
    known = np.zeros(len(cells), dtype=bool) if numbers is None else np.isfinite(numbers)
    if numbers is None or not known.any():
        return out
    levels, place, counts = np.unique(numbers[known], return_inverse=True, return_counts=True)
    middle = (np.cumsum(counts) - 0.5 * counts) / known.sum()
    spread = middle[-1] - middle[0]
    out[known] = ((middle - middle[0]) / spread if len(levels) > 1 else np.full(1, 0.5))[place]
    return out


def axis_of(cells: Any) -> tuple[Array, tuple[str, ...]]:
    """Return where cells stand on an axis, and the levels' names if they are texts."""
    numbers = _numbers(cells)
    if numbers is not None:
        return numbers, ()
    texts = np.array([_MISSING if cell is None or cell != cell else plain_name(cell) for cell in cells])
    levels, counts = np.unique(texts, return_counts=True)
    shown = sorted(levels[np.argsort(-counts, kind="stable")[:_LEVELS]].tolist())
    places = {level: float(at) for at, level in enumerate(shown)}
    return np.array([places.get(text, np.nan) for text in texts.tolist()]), tuple(shown)


def swarm(values: Array) -> Array:
    """Return heights between -1 and 1: points in a dense place are spread out over more of the line."""
    low, high = float(values.min()), float(values.max())
    bins = (
        np.zeros(len(values), dtype=int) if high <= low else ((values - low) / (high - low) * (_BINS - 1)).astype(int)
    )
    counts = np.bincount(bins, minlength=_BINS)
    heights = np.zeros(len(values))
    for place in np.flatnonzero(counts > 1):
        members = np.flatnonzero(bins == place)
        # From the middle outwards, left and right in turn.
        steps = np.array([(i + 1) // 2 * (1 if i % 2 else -1) for i in range(len(members))], dtype=float)
        heights[members] = 2.0 * steps / max(counts.max(), 12)
    return heights


def swarm_within(at: Array, values: Array) -> Array:
    """Return the heights of every level by itself."""
    out = np.zeros(len(values))
    for level in np.unique(at[np.isfinite(at)]):
        out[at == level] = swarm(values[at == level])
    return out
