"""The columns of a table on their way through the steps of a pipeline.

A cell stands for one column at one point of the way: as the table has it, as a number of the graph, or as text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

import numpy as np

from kernelect.exceptions import MissingCapability
from kernelect.export.graph import Lookup, Node, Raw, concatenated, take
from kernelect.export.program import ExportedColumn
from kernelect.typing import Array


@dataclass(frozen=True)
class RawCell:
    """A cell as the table has it."""

    column: int


@dataclass(frozen=True)
class TextCell:
    """A text, with what stands in for a missing one (None: nothing does)."""

    column: int
    fill: str | None


@dataclass(frozen=True, eq=False)
class NumberCell:
    """One element of a node; ``column`` is the one it was made from, if it was one."""

    node: Node
    place: int
    column: int | None = None


Cell = RawCell | TextCell | NumberCell


class Retyped(Exception):
    """A column turned out to hold text after it had been taken for numbers."""


@dataclass(kw_only=True)
class Sheet:
    """What is learned of the table's columns along the way.

    Attributes
    ----------
    names : list of str
    kinds : dict of int to str
        "number", "date" or "category", of the columns that are used.
    levels : dict of int to dict of str to None
        Levels of category columns, in order of appearance.
    typical : dict of int to (float, float)
        A usual number of a column, and how far others lie from it.
    used : set of int
    nones : set of int
        Columns whose missing cells were None when the model was fitted, and not NaN.
    """

    names: list[str]
    kinds: dict[int, str] = field(default_factory=dict)
    levels: dict[int, dict[str, None]] = field(default_factory=dict)
    typical: dict[int, tuple[float, float]] = field(default_factory=dict)
    used: set[int] = field(default_factory=set)
    nones: set[int] = field(default_factory=set)

    def raw(self) -> list[Cell]:
        """Return the cells of a row as the table has it."""
        return [RawCell(j) for j in range(len(self.names))]

    def is_text(self, cell: Cell) -> bool:
        """Return whether a cell holds text, as far as is known."""
        if isinstance(cell, RawCell):
            return self.kinds.get(cell.column) == "category"
        return isinstance(cell, TextCell)

    def numbers(self, cells: Sequence[Cell]) -> Node:
        """Return cells as one vector of numbers, those of one node at once."""
        runs = [list(run) for _, run in groupby(cells, key=_source)]
        return concatenated([self._run(run) for run in runs])

    def _run(self, cells: list[Cell]) -> Node:
        first = cells[0]
        if isinstance(first, NumberCell):
            return take(first.node, np.array([cell.place for cell in cells if isinstance(cell, NumberCell)]))
        for cell in cells:
            if self.is_text(cell):
                raise MissingCapability(
                    f"Column {self.names[cell.column or 0]!r} holds text where a step or the machine takes numbers: "
                    "encode it, by OneHotEncoder for example."
                )
            self._take(cell.column or 0, "number")
        return Raw(tuple(cell.column or 0 for cell in cells))

    def _take(self, column: int, kind: str) -> None:
        self.used.add(column)
        self.kinds.setdefault(column, kind)

    def texts(self, cell: Cell) -> TextCell:
        """Return a cell as text."""
        if isinstance(cell, TextCell):
            return cell
        if isinstance(cell, RawCell):
            if self.kinds.get(cell.column, "category") != "category":
                self.kinds[cell.column] = "category"
                raise Retyped
            return TextCell(cell.column, None)
        raise MissingCapability("A step that encodes text is given numbers: encode the column before it is scaled.")

    def lookup(self, cell: TextCell, rows: dict[str, Array], missing: Array, unseen: Array) -> list[Cell]:
        """Return the cells that a text is encoded as.

        Parameters
        ----------
        cell : TextCell
        rows : dict of str to ndarray of shape (m,)
            Text -> numbers.
        missing, unseen : ndarray of shape (m,)
            Numbers of a missing text, and of any other.
        """
        self._take(cell.column, "category")
        known = self.levels.setdefault(cell.column, {})
        known.update(dict.fromkeys(rows))
        if cell.fill is not None:
            missing = rows.get(cell.fill, unseen)
        node = Lookup(column=cell.column, rows=rows, missing=missing, unseen=unseen)
        return [NumberCell(node, place, cell.column) for place in range(len(unseen))]

    def remember(self, cells: Sequence[Cell], centre: Any = None, spread: Any = None) -> None:
        """Keep what a scaling tells of its columns, for rows to try the export on."""
        for place, cell in enumerate(cells):
            if cell.column is not None and self.kinds.get(cell.column) != "category":
                before = self.typical.get(cell.column, (0.0, 1.0))
                found = before[0] if centre is None else float(centre[place])
                wide = before[1] if spread is None else float(spread[place])
                self.typical[cell.column] = (found if np.isfinite(found) else 0.0, wide or 1.0)

    def columns(self) -> tuple[ExportedColumn, ...]:
        """Return the columns that a row of the export holds."""
        return tuple(self._column(j) for j in sorted(self.used))

    def _column(self, j: int) -> ExportedColumn:
        typical, spread = self.typical.get(j, (0.0, 1.0))
        return ExportedColumn(
            name=self.names[j],
            place=j,
            kind=self.kinds[j],
            levels=tuple(self.levels.get(j, ())),
            typical=typical,
            spread=spread,
            none=j in self.nones,
        )


def _source(cell: Cell) -> int:
    return id(cell.node) if isinstance(cell, NumberCell) else 0


def made(node: Node, cells: Sequence[Cell]) -> list[Cell]:
    """Return the cells of a vector whose elements were made of one cell each."""
    return [NumberCell(node, place, cell.column) for place, cell in enumerate(cells)]
