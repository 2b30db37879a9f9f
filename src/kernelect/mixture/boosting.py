"""Boosted partitions as a member of a mixture: trees that each correct those before them.

A kernel is equally smooth or rough everywhere. Boosted trees find steps and corners along few inputs, and with some
thousand rows they find them better than a forest does. scikit-learn's histogram boosting grows them on four fifths of
the rows, five times. The fifth that is left out judges them and says how many rounds are best; the mean of all five
predicts. So nothing is grown twice, and what is said of rows out of bag is as honest as of rows left out.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from threadpoolctl import threadpool_limits

from kernelect.mixture.bags import FOLDS, dealt
from kernelect.mixture.base import CANDIDATES, MixtureCandidate, MixtureTask
from kernelect.mixture.forest import RandomForest
from kernelect.mixture.partitions import Ground, Grown, PartitionCandidate, Partitions
from kernelect.mixture.trees import GrownTree
from kernelect.numerics import Deadline
from kernelect.typing import Array, Indices, Mask

#: Rounds after which they are judged first, and then each time that there are twice as many.
_FIRST_ROUNDS = 10

#: Rows from which boosted trees take part: with 300 to 800 errors hardly change (33 tables).
LEAST_BOOSTED_ROWS = 1000

#: Classes up to which they do, because every round has a tree for each; and no more than one target.
MOST_BOOSTED_CLASSES = 12

#: Seconds that the first rounds take for each row, column and tree of a round, about, on all bags.
_PACE = 2e-6

#: Bins of a column at most: what scikit-learn's histograms hold.
_MOST_BINS = 255

#: Trees of a bag at most: several classes have a tree each in every round.
_MOST_TREES = 800

#: Share of their weight that rows outside have in a bag which holds no other row of their class.
_ONLY_NAMED = 1e-6

#: Size of a step, boxes of a tree, rows of a box at least, share of the inputs that a cut may look at, ridge of what a
#: box says: cautious ones, since the mixture has smooth members for what is smooth.
_OPTIONS = {
    "learning_rate": 0.1,
    "max_leaf_nodes": 16,
    "min_samples_leaf": 15,
    "max_features": 0.5,
    "l2_regularization": 1.0,
    "early_stopping": False,
    "warm_start": True,
}


class Boosting(Partitions):
    """Boosted partitions of coded rows, for labels or one target.

    Parameters
    ----------
    n_rounds, seed : int
    n_classes : int or None
        None for numbers.
    """

    most_rows = 100_000

    _in_time: bool

    def __init__(self, n_rounds: int, seed: int, n_classes: int | None) -> None:
        self.n_rounds, self.seed, self.n_classes = n_rounds, seed, n_classes

    @property
    def status(self) -> str:
        per_round = FOLDS * (self.n_classes if self.n_classes and self.n_classes > 2 else 1)
        rounds = f"{self.n_trees_ // per_round} rounds"
        return f"{rounds}, chosen on rows left out" if self._in_time else f"time was up; {rounds}"

    def _grow(self, ground: Ground, deadline: Deadline) -> Grown:
        y = ground.targets[:, 0] if ground.classes is None else ground.classes
        fold = dealt(ground.units, ground.classes, self.seed)
        kind = HistGradientBoostingRegressor if self.n_classes is None else HistGradientBoostingClassifier
        models = [kind(random_state=self.seed, **_OPTIONS) for _ in range(FOLDS)]
        bins = Bins.of(ground.R)
        most = max(_FIRST_ROUNDS, min(self.n_rounds, _MOST_TREES // ground.targets.shape[1]))
        losses = list[float]()
        # One thread: sums over threads would be rounded by how many there are.
        with threadpool_limits(limits=1, user_api="openmp"):
            while len(losses) < most:
                self._in_time = not deadline.passed
                if losses and (not self._in_time or 2 * int(np.argmin(losses)) < len(losses)):
                    break
                losses = self._go_on(
                    models, replace(ground, R=bins.codes), y, fold, min(most, max(_FIRST_ROUNDS, 2 * len(losses)))
                )
        best = int(np.argmin(losses)) + 1
        sign = 1.0 if self.n_classes != 2 else float(ground.targets[ground.classes == 1, 0].max())
        k = ground.targets.shape[1]
        trees = [tree for model in models for tree in boosted_nodes(model, best, bins, n_outputs=k, sign=sign)]
        return Grown(trees=trees, bags=fold[:, None] != np.arange(FOLDS))

    def _go_on(self, models: Sequence[Any], ground: Ground, y: Any, fold: Indices, n_rounds: int) -> list[float]:
        """Grow up to so many rounds on every bag; return the loss of the rows outside after each round."""
        total = np.zeros(n_rounds)
        for number, model in enumerate(models):
            outside = fold == number
            weights = _in_bag(ground, outside)
            inside = weights > 0.0
            model.set_params(max_iter=n_rounds)
            model.fit(ground.R[inside], y[inside], sample_weight=weights[inside])
            total += _staged_losses(model, ground.R[outside], y[outside], ground.weights[outside])
        return [float(loss) for loss in total]


@dataclass(frozen=True, kw_only=True)
class BoostedTrees(PartitionCandidate):
    """Boosted trees, of so many rounds at most."""

    machine: ClassVar[str] = "boosting"

    n_rounds: int = field(default=160, compare=False)

    @property
    def noun(self) -> str:
        return "the boosted trees"

    def stays(self, raced: Collection[MixtureCandidate], staying: Collection[MixtureCandidate]) -> bool:
        """Return whether a forest stays, if one was in the race: it is grown faster, and shows what boxes say."""
        return not any(isinstance(each, RandomForest) and each not in staying for each in raced)

    def takes_part(self, task: MixtureTask) -> bool:
        most = MOST_BOOSTED_CLASSES if task.labels else 1
        return super().takes_part(task) and task.n_rows >= LEAST_BOOSTED_ROWS and task.n_outputs <= most

    def seconds(self, task: MixtureTask) -> float:
        return least_seconds(len(task.Z), task.Z.shape[1], task.n_outputs)

    def _trees(self, task: MixtureTask) -> Boosting:
        return Boosting(self.n_rounds, task.seed, task.n_classes)


CANDIDATES.register(BoostedTrees, "boosting")


def least_seconds(n_rows: int, n_columns: int, n_outputs: int) -> float:
    """Return how long the first rounds take, about: they are not interrupted."""
    return _PACE * min(n_rows, Boosting.most_rows) * n_columns * n_outputs


@dataclass(frozen=True)
class Bins:
    """Ranks in few bins of about as many rows each: what histograms are made of.

    scikit-learn makes bins of its own, which takes longer than all trees if rows have weights.

    Attributes
    ----------
    codes : ndarray of shape (n, e)
        The bin of every rank.
    last : list of ndarray
        The largest rank in every bin of a column.
    """

    codes: Array
    last: list[Array]

    @classmethod
    def of(cls, R: Array) -> Bins:
        """Return the bins of ranks."""
        last = [_last_of_bins(column) for column in R.T]
        codes = [np.searchsorted(ends, column) for ends, column in zip(last, R.T, strict=True)]
        return cls(np.column_stack(codes).astype(float), last)


def _last_of_bins(ranks: Array) -> Array:
    """Return the largest rank of every bin: each rank is one if there are few."""
    distinct = np.unique(ranks)
    if len(distinct) <= _MOST_BINS:
        return distinct
    shares = np.arange(1, _MOST_BINS + 1) / _MOST_BINS
    return np.unique(np.quantile(ranks, shares, method="inverted_cdf"))


def _in_bag(ground: Ground, outside: Mask) -> Array:
    """Return the weights of rows in a bag, 0 outside of it.

    Rows of a class that the bag lacks keep a trace of their weight: enough for the bag to have a column for the class,
    too little to learn anything of it.
    """
    weights = np.where(outside, 0.0, ground.weights)
    if ground.classes is not None:
        lacking = ~np.isin(ground.classes, ground.classes[~outside])
        weights[lacking] = _ONLY_NAMED * ground.weights[lacking]
    return weights


def _staged_losses(model: Any, R: Array, y: Any, weights: Array) -> Array:
    """Return the summed loss of rows after every round: squares, or minus the logarithm of a probability."""
    if isinstance(model, HistGradientBoostingRegressor):
        return np.array([weights @ (y - said) ** 2 for said in model.staged_predict(R)])
    rows = np.arange(len(y))
    return np.array([-(weights @ np.log(np.maximum(p[rows, y], 1e-12))) for p in model.staged_predict_proba(R)])


def boosted_nodes(model: Any, n_rounds: int, bins: Bins, *, n_outputs: int, sign: float) -> list[GrownTree]:
    """Return the trees of the first rounds, so that their mean is what the model says, times a sign.

    The trees of a bag add up, while bags are means over trees: what boxes say is multiplied by the number of
    trees. What the model says before the first tree is put into the boxes of the first round.
    """
    rounds = model._predictors[:n_rounds]
    count = sum(len(trees) for trees in rounds)
    start = np.reshape(model._baseline_prediction, -1)
    found = []
    for number, trees in enumerate(rounds):
        for output, tree in enumerate(trees):
            offset = start[output] if number == 0 else 0.0
            found.append(_nodes(tree.nodes, sign * count, offset, output=output, n_outputs=n_outputs, bins=bins))
    return found


def _nodes(nodes: Any, times: float, offset: float, *, output: int, n_outputs: int, bins: Bins) -> GrownTree:
    """Return one tree of histogram boosting, which speaks of one output, with cuts among ranks."""
    leaf: Mask = nodes["is_leaf"].astype(bool)
    feature = np.where(leaf, -1, nodes["feature_idx"].astype(np.intp))
    value = np.zeros((len(nodes), n_outputs))
    value[:, output] = times * (nodes["value"] + offset)
    cuts = [
        0.0 if j < 0 else float(bins.last[j][int(cut)])
        for j, cut in zip(feature.tolist(), nodes["num_threshold"].tolist(), strict=True)
    ]
    return GrownTree(
        feature=feature,
        threshold=np.array(cuts),
        right=nodes["right"].astype(np.intp),
        value=value,
        gains=np.asarray(np.bincount(feature[~leaf], nodes["gain"][~leaf], minlength=len(bins.last)), dtype=float),
    )
