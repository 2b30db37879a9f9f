"""What a table is for a model: its target, its task and its input columns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from kernelect.facts.stakes import Stakes
from kernelect.inputs.frame import cells_of
from kernelect.inputs.numerals import COMMA
from kernelect.inputs.readings import Reading, adapted
from kernelect.tabular.columns import Column, column_cells
from kernelect.typing import ORDERED, SURVIVAL

if TYPE_CHECKING:  # few tables have spans
    from kernelect.tabular.spans import TimeSpan


@dataclass(frozen=True, kw_only=True)
class Schema:
    """Target, task and input columns; ``classes`` is None for regression.

    ``ids`` are columns that name the rows. ``unused`` tells why other columns of the training table are no inputs,
    ``dated`` which of them date the rows,
    ``stakes`` what errors cost and which figure counts most, ``counts`` whether numbers are counts.
    ``event`` is the column that tells whether a target is the time of an event.
    ``ordered`` tells whether the classes have an order, in which they then stand.
    ``target_codes`` are cells of the target that count as missing, ``time_format`` is the form of ``time``'s dates.
    ``spans`` are input columns that are made of two dates each.
    """

    target: str
    task: str
    columns: tuple[Column, ...]
    classes: tuple[Any, ...] | None
    weight: str | None = None
    group: str | None = None
    time: str | None = None
    ids: tuple[str, ...] = ()
    unused: dict[str, str] = field(default_factory=dict)
    dated: tuple[str, ...] = ()
    stakes: Stakes = field(default_factory=Stakes)
    counts: bool = False
    target_codes: tuple[str, ...] = ()
    time_format: str = ""
    event: str | None = None
    ordered: bool = False
    spans: tuple[TimeSpan, ...] = ()

    @property
    def learnt(self) -> dict[str, Reading]:
        """How each input column was read in training."""
        return {column.name: column.reading for column in self.columns}

    @property
    def spelled(self) -> list[str]:
        """Columns of decimal commas: among them 1.308 is no number of Python's, so that they are read as written."""
        return [column.name for column in self.columns if column.reading.decimal == COMMA]

    def readings(self, frame: pd.DataFrame) -> dict[str, Reading]:
        """Return how each input column of a new table is read: as in training, unless its cells prove otherwise."""
        return {
            column.name: adapted(cells_of(frame[column.name])[0], column.kind, column.reading)
            for column in self.columns
        }

    def inputs(self, frame: pd.DataFrame, readings: dict[str, Reading] | None = None) -> pd.DataFrame:
        """Return the input columns as floats and text objects, in the order of training."""
        readings = self.readings(frame) if readings is None else readings
        cells = {one.name: column_cells(frame[one.name], one.kind, readings[one.name]) for one in self.columns}
        # As arrays, texts would become another type; as series, thousands of columns take three times as long.
        texts = {name: pd.Series(each, frame.index, object) for name, each in cells.items() if each.dtype == object}
        return pd.DataFrame({**cells, **texts}, frame.index)

    def labels(self, places: np.ndarray) -> np.ndarray:
        """Return the classes at their places."""
        return np.array(self.classes)[places]

    @property
    def own_task(self) -> str:
        """The task as machines know it, which tells numbers from times and classes from grades."""
        return SURVIVAL if self.event is not None else ORDERED if self.ordered else self.task
