"""Partitions as members of a mixture: what the boxes of trees say, judged by trees that have not seen a row.

Trees come in bags: all trees of a bag are grown on the same part of the rows (or of the groups, if there are
any). The bags that a row is not in speak of it as a machine without it does. What the boxes say of
classes are decision values, with a temperature fitted on such rows as leave-one-out fits one for a
least-squares machine: log-odds, like predicted numbers, are a sum over boxes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kernelect.criteria.calibration import fit_temperature
from kernelect.inputs import Indicators
from kernelect.mixture.bags import even_rows, numbered_classes, units_of
from kernelect.mixture.base import Member, MixtureCandidate, MixtureTask
from kernelect.mixture.trees import GrownTree, RankedColumns, joined_trees
from kernelect.model import BagJackknife, BoxPart, Component, Tempered, View
from kernelect.numerics import Deadline, canonical_columns
from kernelect.typing import Array, Indices, Mask

#: Rows up to which trees take part: what they say of all of them has to be found.
MOST_TREE_ROWS = 200_000


@dataclass(frozen=True, kw_only=True)
class PartitionCandidate(MixtureCandidate):
    """Trees, which select no kernel and whose boxes are the same in every view."""

    kernel = "partitions"

    def takes_part(self, task: MixtureTask) -> bool:
        return len(task.Z) <= MOST_TREE_ROWS and not task.partly

    def fit(self, task: MixtureTask) -> Member:
        trees, coding = self._trees(task), task.views.coding
        component = trees.fit(
            task.view(self),
            task.y,
            task.weights,
            numeric=coding.numeric,
            categorical=coding.categorical,
            groups=task.groups,
            deadline=task.deadline,
            interval_rows=None if task.labels else task.interval_rows,
        )
        return Member(candidate=self, component=component, importances=trees.feature_importances_, status=trees.status)

    @abstractmethod
    def _trees(self, task: MixtureTask) -> Partitions:
        """Return the trees, not grown yet."""


@dataclass(frozen=True, kw_only=True)
class Ground:
    """What trees are grown on, in an order that knows neither that of the rows nor that of the columns.

    Attributes
    ----------
    R : ndarray of shape (n, e)
        RankedColumns.
    targets : ndarray of shape (n, k)
        Numbers of usual spread, or what stands for classes.
    classes : ndarray of shape (n,) or None
        Numbers of classes.
    weights : ndarray of shape (n,)
        Of mean 1.
    units : ndarray of shape (n,)
        Rows with the same number are in the same bags.
    """

    R: Array
    targets: Array
    classes: Indices | None
    weights: Array
    units: Indices


@dataclass(frozen=True, kw_only=True)
class Grown:
    """Trees, bag by bag and as many in each, and the rows (n, B) that every bag holds."""

    trees: Sequence[GrownTree]
    bags: Mask


class Partitions(ABC):
    """Boxes of coded rows.

    Attributes
    ----------
    feature_importances_ : ndarray of shape (d,)
        How much the cuts along every coded input reduce the loss, summing to 1.
    n_trees_ : int
        Trees that there was time for.
    """

    #: Rows that trees are grown on, at most, spread evenly: the others are in no bag.
    most_rows: int

    seed: int
    n_classes: int | None  # None for numbers
    feature_importances_: Array
    n_trees_: int

    @abstractmethod
    def _grow(self, ground: Ground, deadline: Deadline) -> Grown:
        """Grow trees."""

    @property
    @abstractmethod
    def status(self) -> str:
        """How many trees there are, and why they are not more."""

    def fit(
        self,
        Z: Array,
        y: Any,
        weights: Array,
        *,
        numeric: Indices,
        categorical: Indices,
        groups: Indices | None,
        deadline: Deadline,
        interval_rows: Indices | None = None,
    ) -> Component:
        """Grow trees on coded rows; return them with what they predict for rows out of bag.

        ``y`` holds numbers of classes, or targets; ``interval_rows`` are those that intervals are made of.
        """
        kept = np.flatnonzero(weights > 0)
        indicators = Indicators.of(Z[kept], numeric, categorical)
        E = indicators(Z)
        places = None if self.n_classes is None else numbered_classes(E[kept], y[kept], self.n_classes)
        targets, centre, spread = self._targets(y, kept, places)
        table = np.column_stack([E, targets if places is None else places[y], weights])
        rows = even_rows(table, weights, self.most_rows, groups)
        columns = canonical_columns(E[rows])
        ranks = RankedColumns.of(E[np.ix_(rows, columns)])
        ground = Ground(
            R=ranks.R,
            targets=targets[rows],
            classes=None if places is None else places[y[rows]],
            weights=weights[rows] / weights[rows].mean(),
            units=units_of(groups, rows, table),
        )
        grown = self._grow(ground, deadline)
        trees = joined_trees(grown.trees, ranks, columns, spread)
        several = places is not None and len(places) > 2
        trees, self.n_trees_ = replace(trees, boxes=trees.boxes[:, places]) if several else trees, len(trees)
        self._weigh_inputs(grown.trees, indicators.inputs[columns], Z.shape[1])
        bag = np.zeros((len(Z), grown.bags.shape[1]), dtype=bool)
        bag[rows] = grown.bags
        component = Component(
            view=View(indicators=indicators),
            parts=(BoxPart(trees=trees, coefficients=trees.boxes / len(trees)),),
            constant=centre,
        )
        decision = centre + trees.mean(E, among=~bag)
        return self._judged(component, decision, y, weights, ~bag, kept if interval_rows is None else interval_rows)

    def _targets(self, y: Any, kept: Indices, places: Indices | None) -> tuple[Array, Array, Array]:
        """Return targets (n, k) of usual spread, their centre (k,) and that spread (k,).

        Several classes have columns in the order of ``places``, so that what they are called changes no rounding.
        """
        if self.n_classes == 2:
            return np.where(y == 1, 1.0, -1.0)[:, None], np.zeros(1), np.ones(1)
        if self.n_classes is not None and places is not None:
            k = self.n_classes
            return np.eye(k)[places[y]] - 1.0 / k, np.zeros(k), np.ones(k)
        values = np.asarray(y, dtype=float).reshape(len(y), -1)
        known = np.sort(values[kept], axis=0)  # sums then have the same last digits in any order of rows
        centre, spread = known.mean(axis=0), known.std(axis=0)
        spread[spread == 0.0] = 1.0
        return (values - centre) / spread, centre, spread

    def _weigh_inputs(self, trees: Sequence[GrownTree], inputs: Indices, n_inputs: int) -> None:
        gains = np.sum([tree.gains for tree in trees], axis=0)
        behind = inputs if len(inputs) else np.zeros(len(gains), dtype=np.intp)
        strength = np.bincount(behind, np.maximum(gains, 0.0), minlength=n_inputs)
        total = strength.sum()
        self.feature_importances_ = strength / total if total > 0 else np.full(n_inputs, 1.0 / n_inputs)

    def _judged(
        self, component: Component, decision: Array, y: Any, weights: Array, out: Mask, rows: Indices
    ) -> Component:
        """Return trees with what they predict for rows out of bag, ``decision`` (n, k), and what that says of new rows.

        ``out`` (n, B) tells which bags every row is not in; ``rows`` are those that intervals are made of.
        """
        kept = weights > 0
        if self.n_classes is not None:
            link = Tempered(inverse_temperature=fit_temperature(decision[kept], y[kept], weights[kept]))
            return replace(component, link=link, left_out=decision)
        residuals = np.asarray(y, dtype=float).reshape(decision.shape) - decision
        spread = BagJackknife(
            rows=rows,
            residuals=residuals[rows],
            out=out[rows],
            mean_square=np.average(residuals[kept] ** 2, axis=0, weights=weights[kept]),
        )
        return replace(component, spread=spread, left_out=decision)
