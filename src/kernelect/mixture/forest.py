"""A forest as a member of a mixture: the kernel of random partitions, judged out of bag.

Every tree is grown on a bootstrap sample of the rows (of the groups, if there are any), and is a bag of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from sklearn.tree import DecisionTreeRegressor

from kernelect.mixture.base import CANDIDATES, MixtureTask
from kernelect.mixture.partitions import Ground, Grown, PartitionCandidate, Partitions
from kernelect.mixture.trees import GrownTree
from kernelect.numerics import Deadline
from kernelect.typing import Indices, Mask

#: Trees that are grown however little time there is.
FEWEST_TREES = 10

#: Trees of a race, which shows whether boxes have a say at all.
RACING_TREES = 50

#: Rows that a box has at least.
_LEAF = 2

#: Share of the inputs that a cut may look at, for numbers; for labels it is the root of their count.
_SHARE = 0.4


class Forest(Partitions):
    """Random partitions of coded rows.

    Parameters
    ----------
    n_trees, seed : int
    n_classes : int or None
        None for numbers.
    """

    most_rows = 20_000

    def __init__(self, n_trees: int, seed: int, n_classes: int | None) -> None:
        self.n_trees, self.seed, self.n_classes = n_trees, seed, n_classes

    @property
    def status(self) -> str:
        if self.n_trees_ < self.n_trees:
            return f"time was up after {self.n_trees_} of {self.n_trees} trees"
        return f"{self.n_trees} trees"

    def _grow(self, ground: Ground, deadline: Deadline) -> Grown:
        generator = np.random.default_rng(self.seed)
        n_columns = ground.R.shape[1]
        share = np.sqrt(n_columns) if self.n_classes else _SHARE * n_columns
        grown: list[GrownTree] = []
        bags: list[Mask] = []
        for number in range(self.n_trees):
            if deadline.passed and number >= FEWEST_TREES:
                break
            counts = bagged(ground, generator)
            bag = counts > 0
            tree = DecisionTreeRegressor(
                min_samples_leaf=_LEAF, max_features=max(1, round(share)), random_state=int(generator.integers(2**31))
            )
            tree.fit(ground.R[bag], ground.targets[bag], sample_weight=(counts * ground.weights)[bag])
            grown.append(GrownTree.of_tree(tree.tree_))
            bags.append(bag)
        return Grown(trees=grown, bags=np.array(bags).T)


def bagged(ground: Ground, generator: np.random.Generator) -> Indices:
    """Return how often every row is in the next bag: a bootstrap sample of the units."""
    n_units = int(ground.units.max()) + 1
    return np.bincount(generator.integers(n_units, size=n_units), minlength=n_units)[ground.units]


@dataclass(frozen=True, kw_only=True)
class RandomForest(PartitionCandidate):
    """A forest; the trees out of bag for a row are a little more than a third of them."""

    machine: ClassVar[str] = "forest"
    races: ClassVar[bool] = True

    n_trees: int = field(default=100, compare=False)

    def allowance(self, task: MixtureTask) -> float:
        return float("inf")

    def _trees(self, task: MixtureTask) -> Forest:
        n_trees = min(self.n_trees, RACING_TREES) if task.racing else self.n_trees
        return Forest(n_trees, task.seed, task.n_classes)


CANDIDATES.register(RandomForest, "forest")
