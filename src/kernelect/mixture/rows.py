"""The rows of a mixture, in memory or elsewhere: coded, with targets and weights, copies counted as one row.

A task has its rows in memory. Of rows that stay elsewhere it holds all if there are no more than figures are made of
(100 000), else so many that are spread evenly. Machines on landmarks are fitted to all rows where they are, and
everything else to those of the task: trees, weights, probabilities and intervals.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kernelect.estimators import Surveyed, check_sample_weight, remark_on_copies
from kernelect.exceptions import InvalidArgument
from kernelect.inputs import Coding, Frame, Wishes, coding_of, fit_coding, fit_warp, lost_cells, warp_of
from kernelect.mixture.base import Views
from kernelect.mixture.copies import merged, origin_of
from kernelect.mixture.elsewhere import MarksOf, PartCode, RowsElsewhere, SketchOf, as_triple
from kernelect.numerics import stratified
from kernelect.selection.landmarks import firsts_of, table, taken_rows
from kernelect.typing import Array, Indices


@dataclass(frozen=True, kw_only=True)
class MixtureRows:
    """What a mixture is fitted on.

    Attributes
    ----------
    views : Views
    Z : ndarray of shape (n, d)
        Coded rows.
    y : ndarray
        Numbers of classes (n,), or targets (n,) or (n, k).
    weights : ndarray of shape (n,)
        0 for rows that are copies of others.
    origin : ndarray of shape (n,)
        The place of the row that each is a copy of.
    numbers : ndarray of shape (n,)
        Which of the rows that ``fit`` was given these are.
    groups : ndarray of shape (n,) or None
    classes : ndarray or None
    lost : tuple of str
        What to say of cells that count as missing.
    elsewhere : RowsElsewhere or None
        All rows, where they stay; None if they are in memory.
    """

    views: Views
    Z: Array
    y: Any
    weights: Array
    origin: Indices
    numbers: Indices
    groups: Indices | None = None
    classes: Any = None
    lost: tuple[str, ...] = ()
    elsewhere: RowsElsewhere | None = None

    @property
    def are_some(self) -> bool:
        """Whether ``fit`` was given more rows than these."""
        return self.elsewhere is not None and self.elsewhere.n_rows > len(self.Z)

    @property
    def remark(self) -> str:
        """A sentence on how many rows are copies of others; nothing if none is."""
        return remark_on_copies(self.origin)


def checked_weights(sample_weight: Any, n_rows: int) -> Array:
    """Return the weights of rows in memory, the largest of them 1: sums of huge ones overflow."""
    weights = check_sample_weight(sample_weight, np.zeros((n_rows, 1)), dtype=np.float64)
    if not np.all(weights >= 0.0):
        raise InvalidArgument("sample_weight holds negative numbers: every weight must be at least 0.")
    return np.asarray(weights / weights.max(), dtype=float)


def rows_in_memory(
    frame: Frame,
    y: Any,
    weights: Array,
    groups: Indices | None,
    wishes: Wishes,
    classes: Any = None,
    by_class: Array | float = 1.0,
) -> MixtureRows:
    """Return rows of which all cells are at hand; ``by_class`` multiplies their weights."""
    given = weights > 0  # a row of no weight has no say in anything
    coding = fit_coding(frame.take(given), wishes)
    origin, groups = origin_of(coding(frame), y, groups, given)
    weights = merged(weights, origin) * by_class
    kept = weights > 0
    if remark_on_copies(origin):  # nothing depends on how often a row was given, except for its weight
        coding = fit_coding(frame.take(kept), wishes)
    Z = coding(frame)
    return MixtureRows(
        views=Views(coding, fit_warp(Z[kept], coding.numeric)),
        Z=Z,
        y=y,
        weights=weights,
        origin=origin,
        numbers=np.arange(len(Z)),
        groups=groups,
        classes=classes,
        lost=tuple(lost_cells(coding.roles, frame.take(given), codes=True)),
    )


def rows_elsewhere(found: Surveyed, wishes: Wishes, by_class: Array | None = None) -> MixtureRows:
    """Return rows that stay where they are; ``by_class`` multiplies the weights of each class.

    Copies count as one row if the task holds all rows. Of more rows each counts by itself.
    """
    coder = _Coder(found, wishes, stratified(found.n_rows, table.FIGURE_ROWS), by_class)
    rows, weights = coder.rows()
    if len(rows.Z) < found.n_rows:
        return rows
    origin, _ = origin_of(rows.Z, rows.y, None, np.asarray(weights > 0))
    if not remark_on_copies(origin):
        return rows
    again, _ = coder.rows(merged(weights, origin))
    return replace(again, origin=origin, lost=rows.lost)


@dataclass(frozen=True)
class _Coder:
    """Codes rows where they are, and takes some of them into memory."""

    found: Surveyed
    wishes: Wishes
    numbers: Indices
    by_class: Array | None

    def rows(self, joint: Array | None = None) -> tuple[MixtureRows, Array]:
        """Return the rows and their weights without those of classes; ``joint`` are weights that copies share."""
        found, firsts = self.found, firsts_of(self.found.counts)
        sketch = found.parts.sum(SketchOf(firsts, joint))
        columns = sketch.frame()
        coding = coding_of(columns, self.wishes)
        figures = found.facts.weights
        code = PartCode(
            coding=coding,
            firsts=firsts,
            share=figures.count / figures.total,
            classes=found.classes,
            by_class=self.by_class,
            merged=joint,
        )
        code = replace(code, coding=self._marking_once(code))
        held = found.parts.coded(code, np.empty((0, len(code.coding))))
        Z, y, weights = taken_rows(held, as_triple, firsts, self.numbers)
        rows = MixtureRows(
            views=Views(code.coding, _warp_of(code.coding, columns)),
            Z=Z,
            y=y,
            weights=weights,
            origin=np.arange(len(Z)),
            numbers=self.numbers,
            classes=found.classes,
            lost=tuple(lost_cells(code.coding.roles, columns, codes=True)),
            elsewhere=RowsElsewhere(parts=held, numbers=self.numbers, n_rows=found.n_rows),
        )
        return rows, weights if self.by_class is None else weights / self.by_class[y]

    def _marking_once(self, code: PartCode) -> Coding:
        if len(code.coding.marks) < 2:
            return code.coding
        patterns = self.found.parts.sum(MarksOf(code))
        return code.coding.marking_once(patterns.tolist())


def _warp_of(coding: Coding, columns: Frame) -> Any:
    """Return the warp of numeric inputs, from columns that stand for those of the table."""
    inputs = zip(coding.numeric.tolist(), coding.inputs(columns), strict=False)
    return warp_of(inputs)
