"""Cells of a target that are limits, such as ``<0.5`` and ``>100``: kept as limits if a machine takes them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from kernelect.estimators import GPR
from kernelect.facts.numbers import counted
from kernelect.mixture import KernelRegressor
from kernelect.tabular.rows import TableRows
from kernelect.typing import Array

_BELOW, _ABOVE = ("<", "≤"), (">", "≥")


def target_limits(cells: pd.Series, values: pd.Series) -> Array | None:
    """Return lower and upper limits (n, 2) of a target of numbers; None if all cells are the numbers themselves.

    Parameters
    ----------
    cells : Series
        As they are written.
    values : Series
        The numbers that were read, with an index among that of the cells.
    """
    texts = cells.reindex(values.index).map(lambda cell: cell.strip() if isinstance(cell, str) else "")
    below, above = (texts.str.startswith(signs).to_numpy(dtype=bool) for signs in (_BELOW, _ABOVE))
    if not (below | above).any():
        return None
    numbers = values.to_numpy(dtype=float)
    return np.column_stack([np.where(below, -np.inf, numbers), np.where(above, np.inf, numbers)])


def on_limits(target: str, limits: Array | None) -> list[str]:
    """Return what is said of limits in a target, nothing if it has none."""
    if limits is None:
        return []
    count = int(np.isinf(limits).any(axis=1).sum())
    return [
        f"The target {target!r} has {counted(count, 'cell')} that only give a limit. The mixture and --machine gp take "
        "them for what they say, other machines take the limit itself. Scores are those of the other rows.",
    ]


def targets_for(machine: Any, rows: TableRows, chosen: np.ndarray) -> Any:
    """Return what a machine is fitted to: limits, if there are any and it takes them."""
    if rows.limits is not None and isinstance(machine, GPR | KernelRegressor):
        return tuple(rows.limits[chosen].T)
    return rows.y.iloc[chosen]
