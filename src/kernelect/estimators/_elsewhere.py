"""Training rows that stay where they are: coded part by part, with what all parts together report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from kernelect.criteria.calibration import classes_of
from kernelect.estimators._base import Estimator
from kernelect.estimators._dask import DaskParts
from kernelect.estimators._sklearn import validate_data
from kernelect.estimators._survey import (
    Look,
    PartFacts,
    Read,
    as_columns,
    finite_matrix,
    matrix,
    part_weights,
    real_targets,
    survey,
    vector,
)
from kernelect.estimators._targets import encode_labels, require_spread, targets_of, weight_by_class
from kernelect.estimators._training import (
    LabelledTraining,
    Training,
    check_weights,
    remark_on_copies,
    require_classes,
    require_two,
)
from kernelect.exceptions import InvalidArgument
from kernelect.inputs.frame import is_dask
from kernelect.numerics import copied_rows, nearest_power_of_two
from kernelect.selection.landmarks import EXACT_ROWS, PartTable, RowPart, RowParts, RowTable
from kernelect.typing import Array, Indices

#: Cells that are brought together to look for copies.
_MOST_CELLS = 20_000_000


def as_parts(X: Any, y: Any, sample_weight: Any, groups: Any = None) -> RowParts | None:
    """Return rows that stay where they are, None if they are in memory."""
    if isinstance(X, RowParts):
        return X
    if is_dask(X):
        if groups is not None:
            raise InvalidArgument(
                "groups are left out as a whole, which needs all their rows in one place, and X is a Dask collection: "
                "give X.compute(), or leave groups out."
            )
        return DaskParts(X, y, sample_weight)
    for name, values in (("y", y), ("sample_weight", sample_weight)):
        if is_dask(values):
            raise InvalidArgument(
                f"{name} is a Dask collection and X is {type(X).__name__}: give both as Dask collections, or "
                f"{name}.compute()."
            )
    return None


def _labels_of(n_columns: int, classes: Any, by_class: Array, part: RowPart) -> tuple[Array, Array, Array]:
    """Return inputs, targets of +-1 and weights of a part; ``by_class`` are the weights of the classes."""
    X = matrix(part.X, n_columns)
    index = np.searchsorted(classes, vector(part.y)) if len(X) else np.zeros(0, dtype=np.intp)
    return X, targets_of(index, len(classes)), part_weights(part, len(X)) * by_class[index]


def _numbers_of(n_columns: int, n_outputs: int, unit: float, part: RowPart) -> tuple[Array, Array, Array]:
    """Return inputs, real targets in a unit of their own, and weights of a part."""
    X = matrix(part.X, n_columns)
    targets = as_columns(real_targets(part.y)) if len(X) else np.zeros((0, n_outputs))
    return X, targets / unit, part_weights(part, len(X))


def _weighted_jointly(code: Any, firsts: Indices, weights: Array, part: RowPart) -> tuple[Array, Array, Array]:
    """Return what a code makes of a part, with other weights: all that copies of a row share are on one of them."""
    X, targets, _ = code(part)
    first = int(firsts[part.number])
    return X, targets, weights[first : first + len(X)]


@dataclass(frozen=True)
class PartedTraining:
    """What ``fit`` was given, checked.

    Attributes
    ----------
    table : PartTable
    classes : ndarray or None
        Of labels.
    single : bool
        Whether real targets had one dimension.
    unit : float
        By which real targets have been divided.
    origin : ndarray of int or None
        The first of the rows that each is a copy of; None if there are no copies, or too many rows to look for them.
    """

    table: PartTable
    classes: Any = None
    single: bool = True
    unit: float = 1.0
    origin: Indices | None = None

    @property
    def remark(self) -> str:
        """What a status says of copies, nothing if there are none."""
        return remark_on_copies(self.origin)

    @property
    def n_weighted(self) -> int:
        """Number of rows of positive weight."""
        return self.table.n_weighted

    def in_blocks(self) -> tuple[RowTable, None]:
        """Return the rows for a machine on landmarks, in the given order."""
        return self.table, None

    def expanded(self, values: Array) -> Array:
        """Return values of all rows, those of a copy from the row that stands for it."""
        return values if self.origin is None else values[self.origin]

    def in_memory(self, refusal: Callable[[str], str]) -> Training:
        """Return all rows if they are few; else raise, with ``refusal`` of what is needed."""
        if self.table.n_rows > EXACT_ROWS:
            raise InvalidArgument(refusal(f"needs all {self.table.n_rows} rows in one place, and X is in parts"))
        rows = self.table.rows(np.arange(self.table.n_rows))
        words: dict[str, Any] = {
            "X": rows.X,
            "targets": rows.targets,
            "weights": rows.weights,
            "kept": rows.weights > 0.0,
        }
        found: Training = Training(**words, single=self.single)
        if self.classes is not None:
            found = LabelledTraining(**words, classes=self.classes, index=classes_of(rows.targets))
        return found.merged() if self.origin is None else replace(found, origin=self.origin)


#: Rows that ``fit`` was given: in memory, or in parts that stay where they are.
GivenRows = Training | PartedTraining


@dataclass(frozen=True, kw_only=True)
class Surveyed:
    """Rows that stay where they are, all of which can be used.

    Attributes
    ----------
    parts : RowParts
    n_columns : int
    counts : tuple of int
        Rows of every part.
    facts : PartFacts
    classes : ndarray or None
        Labels, sorted; None for numbers.
    """

    parts: RowParts
    n_columns: int
    counts: tuple[int, ...]
    facts: PartFacts
    classes: Any = None

    @property
    def n_rows(self) -> int:
        """How many rows there are, those of weight 0 among them."""
        return sum(self.counts)

    @property
    def rows_by_class(self) -> Indices:
        """Rows of every class."""
        return np.array([self.facts.labels[label] for label in self.classes.tolist()], dtype=np.intp)

    def training(self, code: Any, *, single: bool = True, unit: float = 1.0) -> PartedTraining:
        """Return the rows as machines read them; of more than have their figures kept, each counts by itself."""
        table, origin = self._table(code), None
        if len(table.kept) == table.n_rows and table.n_rows * self.n_columns <= _MOST_CELLS:
            rows = table.rows(np.arange(table.n_rows))
            marks = rows.targets if self.classes is None else classes_of(rows.targets)[:, None]
            origin = copied_rows(rows.X, marks.astype(float), among=np.flatnonzero(rows.weights > 0.0))
            if remark_on_copies(origin):
                weights = np.asarray(np.bincount(origin, rows.weights, minlength=table.n_rows), dtype=float)
                joint = partial(_weighted_jointly, code, table.firsts, weights)
                table = PartTable(self.parts, joint, self.counts, int(np.sum(weights > 0.0)))
            else:
                origin = None
        return PartedTraining(table, classes=self.classes, single=single, unit=unit, origin=origin)

    def _table(self, code: Any) -> PartTable:
        table, weights = PartTable(self.parts, code, self.counts, self.facts.weights.count), self.facts.weights
        median = float(np.median(table.kept_weights[table.figures()])) if len(table.figures()) else 1.0
        check_weights(weights.smallest, weights.largest, weights.total, median, counts=False)
        return table


def surveyed_labels(estimator: Estimator, parts: RowParts, read: Read) -> Surveyed:
    """Return rows with labels, after the estimator took note of their columns; ``read`` reads inputs."""
    n_columns = _columns(estimator, parts)
    counts, facts = survey(parts, Look(n_columns, labels=True, read=read))
    classes = encode_labels(_array(list(facts.labels)))[0]
    require_classes([label for label in classes.tolist() if not facts.weighted[label]])
    return Surveyed(parts=parts, n_columns=n_columns, counts=counts, facts=facts, classes=classes)


def surveyed_numbers(estimator: Estimator, parts: RowParts, read: Read) -> Surveyed:
    """Return the same for rows with numbers as targets."""
    n_columns = _columns(estimator, parts)
    counts, facts = survey(parts, Look(n_columns, labels=False, read=read))
    spread = facts.spread
    assert spread is not None
    require_two(facts.weights.count)
    require_spread(spread.largest, spread.furthest)
    return Surveyed(parts=parts, n_columns=n_columns, counts=counts, facts=facts)


def labelled_parts(estimator: Estimator, parts: RowParts, class_weight: object) -> PartedTraining:
    """Return the rows of a classification."""
    found = surveyed_labels(estimator, parts, finite_matrix)
    by_class = weight_by_class(class_weight, found.classes, found.rows_by_class)
    return found.training(partial(_labels_of, found.n_columns, found.classes, by_class))


def measured_parts(estimator: Estimator, parts: RowParts, *, own_unit: bool) -> PartedTraining:
    """Return the rows of a regression, their targets in a unit of their own or in that of the user."""
    found = surveyed_numbers(estimator, parts, finite_matrix)
    (outputs,), spread = found.facts.n_outputs, found.facts.spread
    assert spread is not None
    deviation = float(np.sqrt(spread.squares.sum() / (spread.count * len(spread.mean))))
    unit = nearest_power_of_two(deviation) if own_unit else 1.0
    code = partial(_numbers_of, found.n_columns, max(outputs, 1), unit)
    return found.training(code, single=outputs == 0, unit=unit)


def _columns(estimator: Estimator, parts: RowParts) -> int:
    """Return the number of columns, after the estimator took note of them."""
    validate_data(estimator, parts.template, skip_check_array=True, reset=True)
    return int(parts.template.shape[1])


def _array(labels: list[Any]) -> Any:
    """Return labels as an array; text beside numbers stays what it is, so that it can be refused in words."""
    texts = sum(isinstance(label, str) for label in labels)
    return np.array(labels, dtype=object if 0 < texts < len(labels) else None)
