"""Categories as numbers: one indicator per level that enough rows have."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernelect.inputs.coding import RARE
from kernelect.typing import Array, Indices

#: Levels of a category that have an indicator of their own, the most frequent ones.
MOST_LEVELS = 30


@dataclass(frozen=True, kw_only=True)
class Indicators:
    """Coded rows without category codes: numbers as they are, and one indicator per level of a category.

    Attributes
    ----------
    numeric : ndarray of shape (d_numeric,)
        Inputs that are numbers.
    column : ndarray of shape (e - d_numeric,)
        The category that each indicator belongs to.
    level : ndarray of shape (e - d_numeric,)
        The code that the indicator tests for.
    """

    numeric: Indices
    column: Indices
    level: Array

    @classmethod
    def of(cls, Z: Array, numeric: Indices, categorical: Indices) -> Indicators:
        """Return the indicators of the levels that enough rows have."""
        pairs: list[tuple[int, float]] = []
        for column in categorical.tolist():
            levels, counts = np.unique(Z[:, column], return_counts=True)
            often = np.argsort(-counts, kind="stable")[:MOST_LEVELS]
            kept = [float(levels[place]) for place in often if counts[place] >= RARE]
            pairs += [(column, level) for level in (kept[:1] if len(levels) == 2 else kept)]
        return cls(
            numeric=np.asarray(numeric, dtype=np.intp),
            column=np.array([column for column, _ in pairs], dtype=np.intp),
            level=np.array([level for _, level in pairs], dtype=float),
        )

    def __call__(self, Z: Array) -> Array:
        """Return numbers and indicators of coded rows, E (m, e)."""
        return np.hstack([Z[:, self.numeric], (Z[:, self.column] == self.level).astype(float)])

    @property
    def inputs(self) -> Indices:
        """The coded input from which every column of E is made."""
        return np.concatenate([self.numeric, self.column])
