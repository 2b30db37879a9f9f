"""A forest of survival times as a member of a mixture: hazards of boxes, judged out of bag.

Trees are grown on martingale residuals, events less the hazard that all rows together have up to the time of each
(Nelson and Aalen): rows whose event came earlier than that of others have large ones. A box has the logarithm of its
events over the sum of these hazards, its relative hazard (LeBlanc & Crowley 1992). The forest is the mean over trees;
a straight line takes it to the scale of the times, where rows out of bag tell intercept, slope and noise.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from scipy.optimize import minimize
from sklearn.tree import DecisionTreeRegressor

from kernelect.mixture.base import CANDIDATES, TIMES, MixtureTask
from kernelect.mixture.forest import FEWEST_TREES, bagged
from kernelect.mixture.partitions import Ground, Grown, PartitionCandidate, Partitions
from kernelect.mixture.partly import log_likelihood, stand_ins
from kernelect.mixture.trees import GrownTree
from kernelect.model import Component, EvenSpread
from kernelect.numerics import Deadline
from kernelect.typing import Array, Indices, Mask

#: Rows that a box has at least, share of the inputs that a cut may look at, and events by which boxes are drawn to the
#: hazard of all rows.
_LEAF, _SHARE, _DRAWN = 6, 0.4, 1.0


class HazardTrees(Partitions):
    """Random partitions of rows with what is known of their times."""

    most_rows = 20_000
    n_classes = None

    def __init__(self, n_trees: int, seed: int) -> None:
        self.n_trees, self.seed = n_trees, seed

    @property
    def status(self) -> str:
        if self.n_trees_ < self.n_trees:
            return f"time was up after {self.n_trees_} of {self.n_trees} trees"
        return f"{self.n_trees} trees"

    def _targets(self, y: Any, kept: Indices, places: Indices | None) -> tuple[Array, Array, Array]:
        """Return martingale residuals and events (n, 2); boxes have one value."""
        time, event = stand_ins(y), y[:, 0] == y[:, 1]
        hazard = _hazard(time, event, kept)
        return np.column_stack([event - hazard, event]), np.zeros(1), np.ones(1)

    def _grow(self, ground: Ground, deadline: Deadline) -> Grown:
        residuals, event = ground.targets.T
        generator, columns = np.random.default_rng(self.seed), ground.R.shape[1]
        grown: list[GrownTree] = []
        bags: list[Mask] = []
        for number in range(self.n_trees):
            if deadline.passed and number >= FEWEST_TREES:
                break
            counts = bagged(ground, generator)
            bag, weights = counts > 0, counts * ground.weights
            tree = DecisionTreeRegressor(
                min_samples_leaf=_LEAF,
                max_features=max(1, round(_SHARE * columns)),
                random_state=int(generator.integers(2**31)),
            )
            tree.fit(ground.R[bag], residuals[bag], sample_weight=weights[bag])
            leaf, size = tree.apply(ground.R[bag]), tree.tree_.node_count
            seen = np.bincount(leaf, (weights * event)[bag], minlength=size)
            expected = np.bincount(leaf, (weights * (event - residuals))[bag], minlength=size)
            value = np.log((seen + _DRAWN) / (expected + _DRAWN))
            grown.append(replace(GrownTree.of_tree(tree.tree_), value=value[:, None]))
            bags.append(bag)
        return Grown(trees=grown, bags=np.array(bags).T)

    def _judged(
        self, component: Component, decision: Array, y: Any, weights: Array, out: Mask, rows: Indices
    ) -> Component:
        kept = weights > 0
        intercept, slope, noise = _line(decision[kept, 0], y[kept], weights[kept])
        return replace(
            component,
            parts=tuple(part.times(-slope) for part in component.parts),
            constant=np.array([intercept]),
            spread=EvenSpread(size=np.array([noise])),
            left_out=intercept - slope * decision,
            claimed=np.full_like(decision, noise),
        )


def _hazard(time: Array, event: Mask, kept: Indices) -> Array:
    """Return the hazard of all rows together up to the time of each, by Nelson and Aalen."""
    moments, deaths = np.unique(time[kept][event[kept]], return_counts=True)
    there = len(kept) - np.searchsorted(np.sort(time[kept]), moments)
    sums = np.append(0.0, np.cumsum(deaths / np.maximum(there, 1)))
    return np.asarray(sums[np.searchsorted(moments, time, side="right")], dtype=float)


def _line(hazard: Array, limits: Array, weights: Array) -> tuple[float, float, float]:
    """Return intercept, slope and noise of times on their scale against minus the logarithm of relative hazards."""
    numbers = stand_ins(limits)
    usual = float(numbers.std()) or 1.0

    def line(place: Array) -> tuple[float, float, float]:
        return numbers.mean() + usual * place[0], usual * max(float(place[1]), 0.0), usual * float(np.exp(place[2]))

    def loss(place: Array) -> float:
        intercept, slope, noise = line(place)
        said = np.column_stack([intercept - slope * hazard, np.full(len(hazard), noise)])
        return -float(weights @ log_likelihood(limits, said)) + 0.5 * float(place[1] ** 2)

    return line(minimize(loss, np.array([0.0, 0.5, 0.0]), method="Nelder-Mead", options={"maxiter": 400}).x)


@dataclass(frozen=True, kw_only=True)
class SurvivalForest(PartitionCandidate):
    """A forest of survival times."""

    machine: ClassVar[str] = "survival forest"

    n_trees: int = field(default=100, compare=False)

    def takes_part(self, task: MixtureTask) -> bool:
        return task.situation == TIMES

    def _trees(self, task: MixtureTask) -> HazardTrees:
        return HazardTrees(self.n_trees, task.seed)


CANDIDATES.register(SurvivalForest, "survival-forest")
