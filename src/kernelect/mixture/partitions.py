"""Partitions as members of a mixture: what the boxes of trees say, judged by trees that have not seen a row.

Trees come in bags: all trees of a bag are grown on the same part of the rows (or of the groups, where there are
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

from kernelect.criteria.calibration import fit_temperature, probabilities
from kernelect.inputs import Indicators
from kernelect.mixture.bags import canonical_classes, even_rows, units_of
from kernelect.mixture.trees import Nodes, Ranks, Trees, joined
from kernelect.numerics import Deadline, canonical_columns
from kernelect.typing import Array, Indices, Mask


@dataclass(frozen=True, kw_only=True)
class Ground:
    """What trees are grown on, in an order that knows neither that of the rows nor that of the columns.

    Attributes
    ----------
    R : ndarray of shape (n, e)
        Ranks.
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

    trees: Sequence[Nodes]
    bags: Mask


class Partitions(ABC):
    """Boxes of coded rows.

    Attributes
    ----------
    n_features_in_ : int
        Number of coded inputs, d.
    feature_importances_ : ndarray of shape (d,)
        How much the cuts along every coded input reduce the loss, summing to 1.
    """

    #: Rows that trees are grown on, at most, spread evenly: the others are in no bag.
    most_rows: int

    seed: int
    n_classes: int | None  # None for numbers
    feature_importances_: Array
    n_features_in_: int
    _trees: Trees
    _indicators: Indicators
    _intercept: Array
    _inverse_temperature: float
    _mean_square: Array
    _jackknife_residuals: Array
    _out_of_bag: Mask  # (q, B): rows that intervals are made of, and bags

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
    ) -> Array:
        """Grow trees on coded rows; return what they say of rows out of bag, (n, k).

        ``y`` holds numbers of classes, or targets; ``interval_rows`` are those that intervals are made of.
        """
        kept, self.n_features_in_ = np.flatnonzero(weights > 0), Z.shape[1]
        self._indicators = Indicators.of(Z[kept], numeric, categorical)
        E = self._indicators(Z)
        places = None if self.n_classes is None else canonical_classes(E[kept], y[kept], self.n_classes)
        targets, spread = self._targets(y, kept, places)
        table = np.column_stack([E, targets if places is None else places[y], weights])
        rows = even_rows(table, weights, self.most_rows, groups)
        columns = canonical_columns(E[rows])
        ranks = Ranks.of(E[np.ix_(rows, columns)])
        ground = Ground(
            R=ranks.R,
            targets=targets[rows],
            classes=None if places is None else places[y[rows]],
            weights=weights[rows] / weights[rows].mean(),
            units=units_of(groups, rows, table),
        )
        grown = self._grow(ground, deadline)
        trees = joined(grown.trees, ranks, columns, spread)
        several = places is not None and len(places) > 2
        self._trees = replace(trees, boxes=trees.boxes[:, places]) if several else trees
        self._weigh_inputs(grown.trees, columns, Z.shape[1])
        bag = np.zeros((len(Z), grown.bags.shape[1]), dtype=bool)
        bag[rows] = grown.bags
        return self._judge(E, y, weights, bag, kept if interval_rows is None else interval_rows)

    def _targets(self, y: Any, kept: Indices, places: Indices | None) -> tuple[Array, Array]:
        """Return targets (n, k) of usual spread, and that spread (k,); sets their centre.

        Several classes have columns in the order of ``places``, so that what they are called changes no rounding.
        """
        if self.n_classes == 2:
            self._intercept = np.zeros(1)
            return np.where(y == 1, 1.0, -1.0)[:, None], np.ones(1)
        if self.n_classes is not None and places is not None:
            self._intercept = np.zeros(self.n_classes)
            return np.eye(self.n_classes)[places[y]] - 1.0 / self.n_classes, np.ones(self.n_classes)
        values = np.asarray(y, dtype=float).reshape(len(y), -1)
        known = np.sort(values[kept], axis=0)  # sums then have the same last digits in any order of rows
        self._intercept, spread = known.mean(axis=0), known.std(axis=0)
        spread[spread == 0.0] = 1.0
        return (values - self._intercept) / spread, spread

    def _weigh_inputs(self, trees: Sequence[Nodes], columns: Indices, n_inputs: int) -> None:
        gains = np.sum([tree.gains for tree in trees], axis=0)
        behind = self._indicators.inputs[columns] if len(columns) else np.zeros(len(gains), dtype=np.intp)
        strength = np.bincount(behind, np.maximum(gains, 0.0), minlength=n_inputs)
        total = strength.sum()
        self.feature_importances_ = strength / total if total > 0 else np.full(n_inputs, 1.0 / n_inputs)

    def _judge(self, E: Array, y: Any, weights: Array, bag: Mask, rows: Indices) -> Array:
        """Return what trees say of rows out of bag, and keep what that says of new rows."""
        decision = self._intercept + self._trees.mean(E, among=~bag)
        kept = weights > 0
        if self.n_classes is not None:
            self._inverse_temperature = fit_temperature(decision[kept], y[kept], weights[kept])
            return probabilities(decision, self._inverse_temperature)
        residuals = np.asarray(y, dtype=float).reshape(decision.shape) - decision
        self._mean_square = np.average(residuals[kept] ** 2, axis=0, weights=weights[kept])
        self._jackknife_residuals = residuals[rows]
        self._out_of_bag = ~bag[rows]
        return decision

    def decision_function(self, V: Array) -> Array:
        """Return decision values (m,) of two classes, else (m, k)."""
        decided = self._decide(V)
        return decided[:, 0] if self.n_classes == 2 else decided

    def _decide(self, V: Array) -> Array:
        """Return decision values or predicted numbers, (m, k)."""
        return self._intercept + self._trees.mean(self._indicators(V))

    def predict_proba(self, V: Array) -> Array:
        """Return class probabilities."""
        return probabilities(self._decide(V), self._inverse_temperature)

    def predict(self, V: Array, return_std: bool = False) -> Array | tuple[Array, Array]:
        """Return predicted numbers, with ``return_std`` also the deviation of rows out of bag."""
        mean = self._decide(V)
        return (mean, np.tile(np.sqrt(self._mean_square), (len(V), 1))) if return_std else mean

    def _predicted_without(self, V: Array) -> Array:
        """Return what the bags without one of the rows of intervals each predict, (n, m, k)."""
        said = self._trees.by_bag(self._indicators(V), self._out_of_bag.shape[1])  # (m, B, k)
        shares = self._out_of_bag / np.maximum(self._out_of_bag.sum(axis=1, keepdims=True), 1)
        return np.asarray(self._intercept + np.tensordot(shares, said, axes=(1, 1)), dtype=float)

    def _left_out_variance(self) -> Array:
        """Return the variance (1, k) that is claimed for rows left out."""
        return self._mean_square[None]
