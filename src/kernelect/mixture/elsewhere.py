"""Rows of a mixture that stay where they are: machines on landmarks are fitted to all of them.

Each part is coded where it is: its columns by the coding of the whole table, its labels by their numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelect.estimators import Estimator, fit_led, part_weights, real_targets, vector
from kernelect.exceptions import InvalidArgument
from kernelect.inputs import Coding, TableSketch, Warp, as_frame, missing_together
from kernelect.mixture.bags import seven_digits
from kernelect.model import Component, LandmarkJackknife, TargetScale
from kernelect.selection import Lead
from kernelect.selection.landmarks import RowPart, RowParts
from kernelect.typing import Array, Indices


@dataclass(frozen=True, kw_only=True)
class RowsElsewhere:
    """All rows of a mixture, coded where they are.

    Attributes
    ----------
    parts : RowParts
        With coded inputs, numbers of classes or targets as they are, and weights.
    numbers : ndarray of int
        Which of them a task holds.
    n_rows : int
        How many there are.
    """

    parts: RowParts
    numbers: Indices
    n_rows: int

    def fit(self, estimator: Estimator, warp: Warp | None, scale: TargetScale, known: Any, lead: Lead | None) -> Array:
        """Fit a machine on landmarks to a view of all rows; return its widths.

        ``known`` is a target that the scale has a value for; it stands at rows of weight 0, where there may be others.
        """
        seen = self.parts if warp is None and scale.is_identity else self._seen(PartView(warp, scale, known))
        return fit_led(estimator, seen, None, None, None, lead=lead)

    def _seen(self, view: PartView) -> RowParts:
        return self.parts.coded(view, self.parts.template, hold=False)

    def placed(self, component: Component) -> Component:
        """Return a component whose intervals are made of rows of the task, by their places there."""
        spread = component.spread
        if not isinstance(spread, LandmarkJackknife):
            return component
        return replace(component, spread=replace(spread, rows=np.searchsorted(self.numbers, spread.rows)))


@dataclass(frozen=True)
class PartView:
    """A coded part as a candidate sees it."""

    warp: Warp | None
    scale: TargetScale
    known: Any

    def __call__(self, part: RowPart) -> RowPart:
        """Return the part with warped inputs, and targets on their scale."""
        X = part.X if self.warp is None else self.warp(part.X)
        if self.scale.is_identity:
            return replace(part, X=X)
        counted = np.asarray(part.weights > 0.0)
        return replace(part, X=X, y=self.scale.forward(np.where(counted, part.y, self.known)))


@dataclass(frozen=True, kw_only=True)
class PartCode:
    """From a part to coded rows.

    Attributes
    ----------
    coding : Coding
    firsts : ndarray of int
        Number of the first row of every part.
    classes : ndarray or None
        None for numbers.
    share : float
        What weights are multiplied by.
    by_class : ndarray or None
        The same for every class.
    merged : ndarray or None
        The weight of every row of the table, if copies count as one row; then ``share`` has no say.
    """

    coding: Coding
    firsts: Indices
    share: float
    classes: Any = None
    by_class: Array | None = None
    merged: Array | None = None

    def __call__(self, part: RowPart) -> RowPart:
        """Return coded inputs, numbers of classes or targets, and weights."""
        X = self.coding(as_frame(part.X))
        y = real_targets(part.y) if self.classes is None else _places(self.classes, vector(part.y))
        weights = self.weights(part, len(X))
        return RowPart(
            number=part.number, X=X, y=y, weights=weights if self.by_class is None else weights * self.by_class[y]
        )

    def weights(self, part: RowPart, n_rows: int) -> Array:
        """Return the weights of a part, those of classes aside."""
        if self.merged is None:
            return seven_digits(part_weights(part, n_rows) * self.share)
        first = int(self.firsts[part.number])
        return self.merged[first : first + n_rows]


@dataclass(frozen=True)
class SketchOf:
    """What the rows of a part that count say of its columns; ``merged`` as in :class:`PartCode`."""

    firsts: Indices
    merged: Array | None = None

    def __call__(self, part: RowPart) -> TableSketch:
        """Return the sketch of a part."""
        n_rows = int(np.diff(self.firsts)[part.number])
        if self.merged is None:
            return TableSketch.of(part.X, part_weights(part, n_rows) > 0.0)
        first = int(self.firsts[part.number])
        return TableSketch.of(part.X, self.merged[first : first + n_rows] > 0.0)


@dataclass(frozen=True)
class MarksOf:
    """Which rows that count have missing cells, as sums that tell different sets of rows apart."""

    code: PartCode

    def __call__(self, part: RowPart) -> NDArray[np.uint64]:
        """Return what a part adds."""
        marks = self.code.coding.of_marks()(as_frame(part.X))
        counted = self.code.weights(part, len(marks)) > 0.0
        numbers = int(self.code.firsts[part.number]) + np.flatnonzero(counted)
        return missing_together(marks[counted], numbers)


def columns_of_part(X: Any, n_columns: int) -> Any:
    """Return the rows of a part whose columns are coded later."""
    frame = as_frame(X)
    if len(frame.names) != n_columns:
        raise InvalidArgument(f"X has {len(frame.names)} columns, and other partitions have {n_columns}.")
    return frame


def as_triple(part: RowPart) -> tuple[Array, Any, Array]:
    """Return inputs, targets and weights of a coded part."""
    return part.X, part.y, part.weights


def itself(part: RowPart) -> RowPart:
    """Return a part as it is."""
    return part


def joined_parts(parts: Sequence[RowPart]) -> tuple[Any, Any, Any]:
    """Return inputs, targets and weights of parts in one piece each."""
    filled = [part for part in parts if len(part.X)]
    columns = [[getattr(part, name) for part in filled] for name in ("X", "y", "weights")]
    return tuple(None if each[0] is None else _joined(each) for each in columns)  # type: ignore[return-value]


def _joined(values: list[Any]) -> Any:
    if not hasattr(values[0], "iloc"):
        return np.concatenate([np.asarray(each) for each in values])
    import pandas as pd

    return pd.concat(values, ignore_index=True)


def _places(classes: Any, labels: Any) -> Indices:
    return np.searchsorted(classes, labels) if len(labels) else np.zeros(0, dtype=np.intp)
