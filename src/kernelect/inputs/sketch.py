"""What parts of a table say of its columns: distinct cells with counts, which are joined with ``+``.

Kinds, medians, spreads, quantiles and frequent categories follow from distinct cells and how often each occurs, so a
table that is nowhere as a whole has the coding of the same rows in memory. Beyond ``MOST_CELLS`` distinct cells a
sketch keeps quantiles of numbers and the most frequent texts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelect.exceptions import InvalidArgument
from kernelect.inputs.coding import RARE
from kernelect.inputs.frame import Cells, Frame, as_frame
from kernelect.inputs.readings import as_text, is_missing
from kernelect.numerics import scrambled
from kernelect.typing import Array, Indices, Mask

#: Distinct cells that a sketch keeps of a column, and cells that stand for a column when its coding is fitted. With
#: more rows, the rank of a quantile is off by one part in so many at most.
MOST_CELLS = 200_000


@dataclass(frozen=True, kw_only=True)
class ColumnSketch:
    """Distinct cells of a column.

    Attributes
    ----------
    cells : ndarray
        Sorted, none of them missing.
    counts : ndarray of int
    n_missing : int
    declared : bool
        Whether the type of the column is categorical.
    """

    cells: Cells
    counts: Indices
    n_missing: int
    declared: bool

    @classmethod
    def of(cls, cells: Cells, declared: bool) -> ColumnSketch:
        """Return the sketch of the cells of a part."""
        missing = is_missing(cells)
        found, counts = np.unique(cells[~missing], return_counts=True)
        return cls(cells=found, counts=counts, n_missing=int(missing.sum()), declared=declared).thinned()

    def __add__(self, other: ColumnSketch) -> ColumnSketch:
        known = [each for each in (self, other) if len(each.cells)]
        cells = [each.cells for each in known] or [self.cells]
        if len({each.dtype.kind for each in cells}) > 1:  # numbers in one part and texts in another are texts
            cells = [as_text(each) for each in cells]
        found, place = np.unique(np.concatenate(cells), return_inverse=True)
        counts = np.zeros(len(found), dtype=np.intp)
        np.add.at(counts, place, np.concatenate([each.counts for each in known] or [self.counts]))
        return replace(
            self,
            cells=found,
            counts=counts,
            n_missing=self.n_missing + other.n_missing,
            declared=self.declared or other.declared,
        ).thinned()

    def thinned(self) -> ColumnSketch:
        """Return the sketch with at most ``MOST_CELLS`` distinct cells."""
        if len(self.cells) <= MOST_CELLS:
            return self
        if self.cells.dtype == object:
            kept = np.sort(np.argsort(-self.counts, kind="stable")[:MOST_CELLS])
            return replace(self, cells=self.cells[kept], counts=self.counts[kept])
        after = np.cumsum(self.counts)
        share = np.minimum((after - 1) * MOST_CELLS // after[-1], MOST_CELLS - 1)  # the stretch that each cell ends in
        kept = np.append(np.flatnonzero(np.diff(share)), len(share) - 1)
        return replace(self, cells=self.cells[kept], counts=np.diff(after[kept], prepend=0))

    def standing_for(self, n_rows: int) -> Cells:
        """Return cells that stand for the column of so many rows: all of them, or a part in proportion.

        A text that is not rare among the rows is not rare among its part.
        """
        counts, missing = self.counts, self.n_missing
        if n_rows > MOST_CELLS:
            counts = np.maximum(counts * MOST_CELLS // n_rows, np.minimum(counts, RARE))
            missing = max(missing * MOST_CELLS // n_rows, min(missing, 1))
        empty = {"O": None, "M": np.datetime64("NaT", "us")}.get(self.cells.dtype.kind, np.nan)
        return np.concatenate([np.repeat(self.cells, counts), np.full(missing, empty, dtype=self.cells.dtype)])


@dataclass(frozen=True, kw_only=True)
class TableSketch:
    """Sketches of all columns, of rows that count.

    Attributes
    ----------
    names : tuple of str
    columns : tuple of ColumnSketch
    n_rows : int
    named : bool
        Whether the columns have names of their own.
    """

    names: tuple[str, ...]
    columns: tuple[ColumnSketch, ...]
    n_rows: int
    named: bool

    @classmethod
    def of(cls, X: Any, kept: Mask) -> TableSketch:
        """Return the sketch of those rows of a part that are ``kept``."""
        frame = as_frame(X)
        columns = zip(frame.columns, frame.declared, strict=True)
        return cls(
            names=frame.names,
            columns=tuple(ColumnSketch.of(cells[kept], declared) for cells, declared in columns),
            n_rows=int(kept.sum()),
            named=frame.named,
        )

    def __add__(self, other: TableSketch) -> TableSketch:
        if self.names != other.names:
            raise InvalidArgument(
                f"X has the columns {', '.join(self.names)} in one partition and {', '.join(other.names)} in another: "
                "give all the same ones."
            )
        columns = tuple(one + more for one, more in zip(self.columns, other.columns, strict=True))
        return replace(self, columns=columns, n_rows=self.n_rows + other.n_rows)

    def frame(self) -> Frame:
        """Return columns that stand for those of the table; cells of one place are not those of one row."""
        columns = tuple(each.standing_for(self.n_rows) for each in self.columns)
        return Frame(
            self.names, columns, tuple(each.declared for each in self.columns), min(self.n_rows, MOST_CELLS), self.named
        )


def missing_together(marks: Array, numbers: Indices) -> NDArray[np.uint64]:
    """Return a hash (j,) of the rows that each column of marks (n, j) names; hashes of parts add up to that of all."""
    rows = scrambled(np.asarray(numbers, dtype=np.uint64))
    return np.asarray(np.where(marks > 0.0, rows[:, None], np.uint64(0)).sum(axis=0), dtype=np.uint64)
