"""Columns that together give the target, as the ends of a range give its middle, and none of them alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from kernelect.facts.doubts import DoubtRule, Obstacle, Severity, Words, few_rows
from kernelect.facts.names import plain_name
from kernelect.facts.numbers import number, percent
from kernelect.numerics import time_is_up
from kernelect.registry import register
from kernelect.tabular.evidence import TableEvidence
from kernelect.tabular.rules.giveaway import GIVEN_AWAY, MOST_COLUMNS
from kernelect.tabular.schema import Schema
from kernelect.tabular.telling import left_by_one, left_by_table, left_by_tree, rows_once

#: Error (as a share of that of guessing) and unexplained variance below which two columns give the target away: five
#: times less than one column alone may leave, since there are many pairs and one of them is always the best.
_GIVEN_AWAY = 0.2 * GIVEN_AWAY

#: Rows next to the border between two classes that trees on other rows miss though columns tell the class: one a fold.
_SLIPS = 5.0

#: Unexplained variance below which a sum of more than two columns is exact.
_EXACT = 1e-6

#: Share of the target's deviation that a column of such a sum moves at least.
_PART = 1e-3

#: Rows below which some pair fits by chance, and rows for each column of a sum.
_LEAST_ROWS, _ROWS_EACH = 100, 5

#: Rows on which a pair is tried first, with what it may leave there; splits of a tree on two columns in a row; and
#: pairs that are tried at all.
_FEWER_ROWS, _AT_FIRST, _DEPTH, _MOST_PAIRS = 400, 0.1, 3, 1000

#: Pairs of numbers that are looked at closely, those of the best correlation first.
_CLOSELY = 5

#: Different values for each row up to which a column has values that repeat.
_REPEATED = 0.1

_SUM, _PRODUCT, _TABLE, _DIFFERENCE, _SEVERAL = "sum", "product", "table", "difference", "several"

_TIMES = " \N{MULTIPLICATION SIGN} "

Telling = tuple[float, tuple[str, ...], str, tuple[float, ...]]


@register
class Together(DoubtRule[TableEvidence]):
    """Two columns or a sum of several predict the target almost without error, and none of them alone."""

    name = "together"
    about = "columns that together tell the target"
    severity = Severity.VOID

    def look(self, evidence: TableEvidence) -> Mapping[str, Any] | Obstacle | None:
        schema = evidence.schema
        if len(evidence.rows.y) < _LEAST_ROWS:
            return few_rows(_LEAST_ROWS)
        if len(schema.columns) > MOST_COLUMNS:
            return Obstacle(code="many-columns", why=f"there are more than {MOST_COLUMNS} columns")
        columns, y = rows_once(evidence.rows, schema)
        classes = schema.classes is not None
        search = _Pairs(schema, columns, y)
        for left, names, how, factors in search.found():
            if any(left_by_one(columns[name], y, classes) < GIVEN_AWAY for name in names):
                continue  # this is the doubt about one column
            return {
                "columns": [plain_name(name) for name in names],
                "target": plain_name(schema.target),
                "left": left,
                "how": how,
                "factors": list(factors),
                "classes": classes,
            }
        return search.obstacle

    def words(self, found: Mapping[str, Any]) -> Words:
        names, what = found["columns"], "error of guessing" if found["classes"] else "target's variance"
        listed = f"{', '.join(names[:-1])} and {names[-1]}"
        left = percent(found["left"], 2 if found["left"] >= 5e-5 else 0)
        return Words(
            f"Columns {listed} together predict the target almost without error{_formula(found)}: {left} of the {what} "
            "is left.",
            f"Check that {listed} are known before the target is, and that it was not computed from them. Otherwise "
            f"leave them out (--drop {','.join(names)!r}).",
        )


def _formula(found: Mapping[str, Any]) -> str:
    """Return how the target follows from the columns."""
    names, factors, target = found["columns"], found["factors"], found["target"]
    if found["how"] == _TABLE:
        return ", since every pair of their values has one"
    if found["how"] == _DIFFERENCE:
        return " by their difference or ratio"
    if found["how"] == _PRODUCT:
        powers = ["" if _is_one(factor) else f"^{number(factor, 2)}" for factor in factors]
        parts = _TIMES.join(f"{name}{power}" for name, power in zip(names, powers, strict=True))
        return f" ({target} goes with {parts})"
    times = ["" if _is_one(factor) else f"{number(factor, 3)}{_TIMES}" for factor in factors]
    parts = " + ".join(f"{factor}{name}" for factor, name in zip(times, names, strict=True))
    return f" ({target} goes with {parts})"


def _is_one(factor: float) -> bool:
    """Return whether a factor is 1 as far as it is shown."""
    return abs(factor - 1.0) < 5e-3


class _Pairs:
    """The search, and why it may have missed something."""

    def __init__(self, schema: Schema, columns: Mapping[str, np.ndarray], y: np.ndarray) -> None:
        self.columns, self.y, self.classes = columns, y, schema.classes is not None
        varies = [column for column in schema.columns if len(np.unique(columns[column.name])) > 1]
        self.numbers = [column.name for column in varies if column.kind != "category" and not column.missing]
        repeated = [column.name for column in varies if len(np.unique(columns[column.name])) <= _REPEATED * len(y)]
        self.tables = list(combinations(repeated, 2))
        self.trees = list(combinations(self.numbers, 2)) if self.classes else []
        self.obstacle: Obstacle | None = None

    def found(self) -> Iterator[Telling]:
        """Yield columns that give the target, the closest first."""
        if not self.classes and len(self.numbers) > 1:
            yield from self._sums()
        pairs = [*((pair, _TABLE) for pair in self.tables), *((pair, _DIFFERENCE) for pair in self.trees)]
        for tried, (names, by) in enumerate(pairs):
            if time_is_up() or tried == _MOST_PAIRS:
                self.obstacle = Obstacle(code="many-pairs", why=f"{tried} of {len(pairs)} pairs of columns were tried")
                return
            left = self._by_table(names) if by == _TABLE else self._by_tree(names)
            if left <= self.enough:
                yield left, names, by, ()

    @property
    def enough(self) -> float:
        """What a pair may leave."""
        if not self.classes:
            return _GIVEN_AWAY
        wrong = len(self.y) - int(np.unique(self.y, return_counts=True)[1].max())
        return min(GIVEN_AWAY, max(_GIVEN_AWAY, _SLIPS / max(wrong, 1)))

    def _sums(self) -> Iterator[Telling]:
        Z, y, names = np.column_stack([self.columns[name] for name in self.numbers]), self.y, self.numbers
        yield from _pairs_in_line(Z, y, names, _SUM)
        if y.min() > 0.0:
            positive = [place for place in range(len(names)) if Z[:, place].min() > 0.0]
            yield from _pairs_in_line(np.log(Z[:, positive]), np.log(y), [names[p] for p in positive], _PRODUCT)
        if len(y) >= _ROWS_EACH * (len(names) + 1):
            left, factors = _fitted(Z, y)
            parts = np.flatnonzero(np.abs(factors) * Z.std(axis=0) > _PART * y.std())
            if left < _EXACT and len(parts) > 2:
                yield left, tuple(names[part] for part in parts), _SEVERAL, tuple(factors[parts])

    def _by_table(self, names: tuple[str, str]) -> float:
        one, other = (np.unique(self.columns[name], return_inverse=True)[1] for name in names)
        return left_by_table(one * (int(other.max()) + 1.0) + other, self.y, self.classes)

    def _by_tree(self, names: tuple[str, str]) -> float:
        one, other = (self.columns[name] for name in names)
        ratio = np.divide(one, other, out=np.zeros_like(one), where=other != 0.0)
        inputs = np.column_stack([one, other, one - other, np.clip(ratio, -1e30, 1e30)])
        few, half = inputs[:_FEWER_ROWS], min(len(inputs), _FEWER_ROWS) // 2
        tree = DecisionTreeClassifier(max_depth=_DEPTH, random_state=0).fit(few[:half], self.y[:half])
        wrong = np.mean(tree.predict(few[half:]) != self.y[half : len(few)])
        return left_by_tree(inputs, self.y, True, _DEPTH) if wrong < _AT_FIRST else np.inf


def _pairs_in_line(Z: np.ndarray, y: np.ndarray, names: Sequence[str], how: str) -> Iterator[Telling]:
    """Yield pairs of columns of which a weighted sum is the target."""
    if len(names) < 2:
        return
    among = np.corrcoef(np.column_stack([Z, y]), rowvar=False)
    r, (one, other) = among[:-1, -1], np.triu_indices(len(names), 1)
    between = np.clip(1.0 - among[one, other] ** 2, 1e-9, None)
    # R² of two columns from correlations; it cancels between columns that are nearly equal, and is found anew below.
    explained = (r[one] ** 2 + r[other] ** 2 - 2.0 * r[one] * r[other] * among[one, other]) / between
    for place in np.argsort(-explained, kind="stable")[:_CLOSELY]:
        pair = [int(one[place]), int(other[place])]
        left, factors = _fitted(Z[:, pair], y)
        if left < _GIVEN_AWAY:
            yield left, (names[pair[0]], names[pair[1]]), how, tuple(factors)


def _fitted(Z: np.ndarray, y: np.ndarray) -> tuple[float, np.ndarray]:
    """Return the share of the variance that a weighted sum of columns leaves, and its weights."""
    scale = np.maximum(Z.std(axis=0), np.finfo(float).tiny)
    inputs, target = (Z - Z.mean(axis=0)) / scale, y - y.mean()
    weights = np.linalg.lstsq(inputs, target, rcond=None)[0]
    return float(np.sum((target - inputs @ weights) ** 2) / np.sum(target**2)), weights / scale
