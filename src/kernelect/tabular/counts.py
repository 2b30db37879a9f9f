"""Targets of numbers: which of them make a model, and which are counts.

Counts tell how often something happened: whole numbers from 0 on, the larger ones rare.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from kernelect.exceptions import UnusableTable
from kernelect.facts.numbers import counted
from kernelect.tabular.columns import column_values

COUNT = "count"

#: Targets that vary by less than this have squares near the smallest number there is.
_SMALLEST_SPREAD = 1e-140

#: Counts go on to at least this number; fewer values may as well be codes of classes.
_LEAST_HIGH = 4


def looks_like_counts(target: pd.Series) -> bool:
    """Return whether numbers are counts: whole, from 0, without gaps in the lower half, rarer the larger they are."""
    values = column_values(target, "number").to_numpy()
    if np.isnan(values).any() or np.any(values % 1) or values.min() != 0.0 or values.max() < _LEAST_HIGH:
        return False
    if values.max() > 10.0 * len(values):
        return False
    times = np.bincount(values.astype(int))
    usual = int(np.median(values)) + 1
    mode = int(np.argmax(times))
    if np.any(times[: usual + 1] == 0) or 2 * mode > values.max():
        return False
    # From the most frequent one on there are ever fewer: in halves, since single counts scatter.
    tail = times[mode:]
    first, second = tail[: (len(tail) + 1) // 2].sum(), tail[(len(tail) + 1) // 2 :].sum()
    return bool(second < 0.4 * first and tail[-1] < 0.2 * tail[0])


def require_counts(target: pd.Series) -> None:
    """Raise if a target that is said to be a count is none."""
    values = column_values(target, "number")
    wrong = ~((values >= 0) & (values % 1 == 0)).to_numpy()
    if wrong.any():
        raise UnusableTable(
            f"--task count: the target {target.name!r} has {target[wrong].iloc[0]} in one row: counts are whole "
            "numbers of at least 0, so correct it or use --task regression."
        )


def usable_numbers(frame: pd.DataFrame, target: str) -> pd.DataFrame:
    """Return the rows, or say why their targets make no model."""
    numbers = column_values(frame[target], "number")
    if numbers.isna().any():
        cell, lost = frame[target][numbers.isna()].iloc[0], counted(int(numbers.isna().sum()), "cell")
        raise UnusableTable(
            f"The target {target!r} has {lost} that cannot be read as a number, such as {cell!r}: correct them, let "
            f"such cells count as missing (--number {target!r}), or use --task classification."
        )
    spread = float(numbers.max() - numbers.min())
    if 0.0 < spread < _SMALLEST_SPREAD:
        raise UnusableTable(
            f"The target {target!r} varies by {spread:.3g} only, and the squares of such numbers are 0 in double "
            "precision: give it in another unit, for instance multiplied by 1e200."
        )
    if numbers.nunique() == 1:
        raise UnusableTable(
            f"The target {target!r} is {numbers.iloc[0]:g} in every row, so there is nothing to predict: choose "
            "another column with --target."
        )
    return frame
