"""The first look at rows that stay where they are: how many, whether they can be used, and what a code needs of them.

Every part answers with a few numbers, and with a sentence if it cannot be used. The sentence names the part.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sized
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kernelect.exceptions import InvalidArgument
from kernelect.selection.landmarks import RowPart, RowParts, added_terms
from kernelect.typing import Array


@dataclass(frozen=True, kw_only=True)
class TargetSpread:
    """Count, mean and squared deviations of targets (k,), and the range they lie in; joined with ``+``."""

    count: int
    mean: Array
    squares: Array
    lower: Array
    upper: Array

    @property
    def largest(self) -> float:
        """The largest size of a target."""
        return float(np.maximum(np.abs(self.lower), np.abs(self.upper)).max(initial=0.0))

    @property
    def furthest(self) -> float:
        """The largest difference of a target from its mean."""
        return float(np.maximum(self.upper - self.mean, self.mean - self.lower).max(initial=0.0))

    def __add__(self, other: TargetSpread) -> TargetSpread:
        count = self.count + other.count
        if not self.count or not other.count:
            return other if not self.count else self
        step = other.mean - self.mean
        squares = self.squares + other.squares + step**2 * (self.count * other.count / count)
        return TargetSpread(
            count=count,
            mean=self.mean + step * (other.count / count),
            squares=squares,
            lower=np.minimum(self.lower, other.lower),
            upper=np.maximum(self.upper, other.upper),
        )

    @classmethod
    def of(cls, targets: Array) -> TargetSpread:
        """Return the spread of the rows of a part."""
        mean = targets.mean(axis=0) if len(targets) else np.zeros(targets.shape[1])
        return cls(
            count=len(targets),
            mean=mean,
            squares=np.sum((targets - mean) ** 2, axis=0),
            lower=targets.min(axis=0, initial=np.inf),
            upper=targets.max(axis=0, initial=-np.inf),
        )


@dataclass(frozen=True, kw_only=True)
class WeightFigures:
    """Figures of the positive weights; joined with ``+``."""

    count: int
    smallest: float
    largest: float
    total: float

    def __add__(self, other: WeightFigures) -> WeightFigures:
        return WeightFigures(
            count=self.count + other.count,
            smallest=min(self.smallest, other.smallest),
            largest=max(self.largest, other.largest),
            total=self.total + other.total,
        )

    @classmethod
    def of(cls, weights: Array) -> WeightFigures:
        """Return the figures of a part."""
        positive = weights[weights > 0.0]
        return cls(
            count=len(positive),
            smallest=float(positive.min(initial=np.inf)),
            largest=float(positive.max(initial=0.0)),
            total=float(positive.sum()),
        )


@dataclass(frozen=True, kw_only=True)
class PartFacts:
    """What one part reports of itself, or all of them together; joined with ``+``.

    Attributes
    ----------
    n_rows : int
    weights : WeightFigures
    labels, weighted : Counter
        Rows of every label, and those of positive weight.
    spread : TargetSpread or None
        Of real targets with positive weight.
    n_outputs : set of int
        Columns of the targets; 0 if they have one dimension.
    """

    n_rows: int
    weights: WeightFigures
    labels: Counter[Any] = field(default_factory=Counter)
    weighted: Counter[Any] = field(default_factory=Counter)
    spread: TargetSpread | None = None
    n_outputs: frozenset[int] = frozenset()

    def __add__(self, other: PartFacts) -> PartFacts:
        return PartFacts(
            n_rows=self.n_rows + other.n_rows,
            weights=self.weights + other.weights,
            labels=self.labels + other.labels,
            weighted=self.weighted + other.weighted,
            spread=added_terms(self.spread, other.spread),
            n_outputs=self.n_outputs | other.n_outputs,
        )


#: Reads the inputs of a part that has so many columns.
Read = Callable[[Any, int], Sized]


@dataclass(frozen=True)
class Look:
    """The look at one part.

    Attributes
    ----------
    n_columns : int
    labels : bool
        Whether targets are labels.
    read : callable
        From the inputs of a part and the number of columns to something of the length of the part, or an error.
    """

    n_columns: int
    labels: bool
    read: Read

    def __call__(self, part: RowPart) -> PartFacts | str:
        """Return what a part reports, or why it cannot be used: the sentence gets the name of the part later."""
        try:
            X = self.read(part.X, self.n_columns)
            y = vector(part.y) if self.labels else real_targets(part.y)
            weights = part_weights(part, len(X))
            if len(y) != len(X):
                raise InvalidArgument(f"X has {len(X)} rows and y has {len(y)}: give them the same partitions.")
            if not self.labels:
                _require_finite("y", as_columns(y))
        except InvalidArgument as problem:
            return str(problem)
        kept = weights > 0.0
        if self.labels:
            return PartFacts(
                n_rows=len(X), weights=WeightFigures.of(weights), labels=_counted(y), weighted=_counted(y[kept])
            )
        spread = TargetSpread.of(as_columns(y)[kept]) if len(y) else None
        outputs = frozenset([0 if y.ndim == 1 else y.shape[1]] if len(y) else [])
        return PartFacts(n_rows=len(X), weights=WeightFigures.of(weights), spread=spread, n_outputs=outputs)


def survey(parts: RowParts, look: Look) -> tuple[tuple[int, ...], PartFacts]:
    """Return the number of rows in every part, and what all of them report; raise if one of them cannot be used."""
    counts, total = [], None
    for number, facts in enumerate(parts.each(look)):
        if isinstance(facts, str):
            raise InvalidArgument(f"In {parts.name(number)} {facts}")
        counts.append(facts.n_rows)
        total = added_terms(total, facts)
    if total is None or total.n_rows < 2:
        raise InvalidArgument(f"X has {sum(counts)} row(s) in {len(counts)} partition(s): at least 2 are needed.")
    if len(total.n_outputs) > 1:
        raise InvalidArgument(f"y has {sorted(total.n_outputs)} columns in different partitions: give all the same.")
    return tuple(counts), total


def finite_matrix(X: Any, n_columns: int) -> Array:
    """Return the inputs of a part as numbers, or raise if one is missing or infinite."""
    found = matrix(X, n_columns)
    _require_finite("X", found)
    return found


def matrix(X: Any, n_columns: int) -> Array:
    """Return the inputs of a part as numbers; single precision stays."""
    names = [repr(str(name)) for name in getattr(X, "columns", [])]
    if names:
        columns = [_column(X.iloc[:, j], name) for j, name in enumerate(names)]
        X = np.column_stack(columns) if len(X) else np.zeros((0, len(names)))
    X = np.asarray(X)
    if X.ndim != 2 or (X.shape[1] != n_columns and len(X)):
        raise InvalidArgument(f"X has the shape {X.shape}, but {n_columns} columns are expected.")
    return X.reshape(len(X), n_columns) if X.dtype in (np.float32, np.float64) else _as_numbers(X, "X")


def _column(column: Any, name: str) -> Array:
    return _as_numbers(column.to_numpy(), f"column {name} of X")


def _as_numbers(values: Any, what: str) -> Array:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidArgument(f"{what} holds what is not a number ({error}): code it as numbers first.") from None


def real_targets(y: Any) -> Array:
    """Return real targets, (b,) or (b, k)."""
    return _as_numbers(getattr(y, "to_numpy", lambda: y)(), "y")


def as_columns(y: Array) -> Array:
    """Return targets (b,) or (b, k) with two dimensions."""
    return y[:, None] if y.ndim == 1 else y


def vector(y: Any) -> Any:
    """Return labels, (b,)."""
    labels = np.asarray(getattr(y, "to_numpy", lambda: y)())
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1:
        raise InvalidArgument(f"y has {labels.ndim} dimensions: give one label per row.")
    missing = [i for i, label in enumerate(labels.tolist()) if label is None or label != label]
    if missing:
        raise InvalidArgument(f"y has no label in row {missing[0]}: leave out rows without a label.")
    return labels


def part_weights(part: RowPart, n_rows: int) -> Array:
    """Return the weights of a part, 1 if there are none."""
    if part.weights is None:
        return np.ones(n_rows)
    weights = _as_numbers(getattr(part.weights, "to_numpy", lambda: part.weights)(), "sample_weight").reshape(-1)
    if len(weights) != n_rows:
        raise InvalidArgument(
            f"X has {n_rows} rows and sample_weight has {len(weights)}: give them the same partitions."
        )
    unusable = np.flatnonzero(~(weights >= 0.0) | ~np.isfinite(weights))
    if len(unusable):
        raise InvalidArgument(
            f"sample_weight is {weights[unusable[0]]} in row {unusable[0]}: give every row a number of at least 0."
        )
    return weights


def _require_finite(name: str, values: Array) -> None:
    rows = np.flatnonzero(~np.isfinite(values).all(axis=1))
    if len(rows):
        column = int(np.flatnonzero(~np.isfinite(values[rows[0]]))[0])
        found = "NaN" if np.isnan(values[rows[0], column]) else "an infinite value"
        where = f"row {rows[0]}" + (f", column {column}" if name == "X" else "")
        raise InvalidArgument(f"{name} holds {found} ({where}, counted from 0): fill or remove such rows first.")


def _counted(labels: Any) -> Counter[Any]:
    found, counts = np.unique(labels, return_counts=True)
    return Counter(dict(zip(found.tolist(), counts.tolist(), strict=True)))
