"""Which columns matter on rows that were held out: by how much predictions get worse when a column is shuffled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kernelect.facts.names import plain_name, told_apart
from kernelect.facts.numbers import with_error
from kernelect.facts.record import HeldOutFacts
from kernelect.typing import Array, Indices

#: Bars of the picture.
_BARS = 14

#: Rise of the loss of a row that is rounding.
_ROUNDING = 1e-12


@dataclass(frozen=True, kw_only=True)
class HeldOutRelevance:
    """Rise of the loss of rows held out, when a column's cells are shuffled among them.

    Attributes
    ----------
    names : tuple of str
        The columns with the largest rise first.
    rise, standard_error : ndarray of shape (n_names,)
        Mean over the rows, and its standard error.
    score : "log-loss" or "R²"
        R² falls where the loss rises: the loss is then the squared error over the targets' variance.
    n_rows : int
        Rows that were shuffled.
    """

    names: tuple[str, ...]
    rise: Array
    standard_error: Array
    score: str
    n_rows: int

    @classmethod
    def of(cls, names: Sequence[Any], rises: Sequence[Array], units: Sequence[Indices], score: str) -> HeldOutRelevance:
        """Return the record of all folds.

        Parameters
        ----------
        names : sequence of column names
        rises : sequence of ndarray of shape (n_columns, m)
            Of every fold: by how much each row's loss rose, NaN for columns that were not tried.
        units : sequence of ndarray of shape (m,)
            The rows of one unit, such as a patient, count as one observation in standard errors.
        score : str
        """
        rise, unit = np.concatenate(rises, axis=1), np.concatenate(units)
        rise[np.abs(rise) < _ROUNDING] = 0.0
        tried = np.flatnonzero(np.isfinite(rise).all(axis=1))
        mean = rise[tried].mean(axis=1)
        _, place, sizes = np.unique(unit, return_inverse=True, return_counts=True)
        totals = np.array([np.bincount(place, weights=row - row.mean()) for row in rise[tried]]).reshape(len(tried), -1)
        count = len(sizes)
        error = np.sqrt((totals**2).sum(axis=1) * count / max(count - 1, 1)) / len(unit)
        order = np.argsort(-mean, kind="stable")
        words = told_apart([plain_name(name) for name in names])
        return cls(
            names=tuple(words[tried[j]] for j in order),
            rise=mean[order],
            standard_error=error[order],
            score=score,
            n_rows=len(unit),
        )

    def shown(self, most: int = _BARS) -> HeldOutRelevance:
        """Return the record of the columns that matter most."""
        return replace(self, names=self.names[:most], rise=self.rise[:most], standard_error=self.standard_error[:most])

    @property
    def cost(self) -> str:
        """What happens to the score when a column is shuffled, in words."""
        return "fall of R²" if self.score == "R²" else f"rise of the {self.score}"

    def clear(self) -> int:
        """Return how many columns make predictions worse by more than two standard errors."""
        return int(np.sum(self.rise > 2.0 * self.standard_error))

    def helping(self) -> set[str]:
        """Return the columns without which predictions get worse by more than a standard error."""
        return {name for name, helps in zip(self.names, self.rise > self.standard_error, strict=True) if helps}

    def describe(self) -> list[HeldOutFacts]:
        """Return the columns with their figures in words."""
        return [
            HeldOutFacts(name=name, rise=float(rise), standard_error=float(error), words=with_error(rise, error))
            for name, rise, error in zip(self.names, self.rise, self.standard_error, strict=True)
        ]
