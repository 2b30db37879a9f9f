"""Whether whole numbers are counts: how often something happened, from 0 on, and rarely often."""

from __future__ import annotations

import numpy as np
import pandas as pd

from kernelect.exceptions import UnusableTable
from kernelect.tabular.columns import values_of

COUNT = "count"

#: Counts go on to at least this number; fewer values may as well be codes of classes.
_LEAST_HIGH = 4


def looks_like_counts(target: pd.Series) -> bool:
    """Tell whether numbers are counts: whole, from 0, without gaps in the lower half, and rarer the larger they are."""
    values = values_of(target, "number").to_numpy()
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
    """Raise where a target that is said to be a count is none."""
    values = values_of(target, "number")
    wrong = ~((values >= 0) & (values % 1 == 0)).to_numpy()
    if wrong.any():
        raise UnusableTable(
            f"--task count: the target {target.name!r} has {target[wrong].iloc[0]} in one row: counts are whole "
            "numbers of at least 0, so correct it or use --task regression."
        )
