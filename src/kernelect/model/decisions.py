"""From probabilities to classes if errors differ in cost, or if a figure such as F1 is to be best.

Probabilities do not change; only the decision does. For two classes it is a threshold, chosen on the probabilities of
rows left out. For more classes it is the class of least expected cost.

| symbol | meaning | shape |
|---|---|---|
| ``p`` | probability of the positive class, of rows left out | (n,) |
| ``t`` | threshold: positive where p > t | |
| ``C`` | cost of predicting class k when the truth is j | (k, k) |
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernelect.typing import Array, Indices, Mask

#: Standard errors by which another threshold has to be cheaper than the one that calibrated probabilities call for.
SURE = 2.0


@dataclass(frozen=True)
class Decision:
    """How probabilities become classes.

    Attributes
    ----------
    rule : str
        What the cut is best for: ``"cost"`` or ``"F1"``.
    positive : int
        Which of two classes the threshold is for.
    threshold : float or None
        The positive class is predicted if its probability is larger; None for more than two classes.
    costs : tuple of tuple of float, or None
        Cost of predicting a class (column) when the truth is another (row).
    """

    rule: str
    positive: int
    threshold: float | None
    costs: tuple[tuple[float, ...], ...] | None

    def __call__(self, probability: Array) -> Indices:
        """Return the class of every row, from probabilities (n, k)."""
        if self.threshold is not None:
            chosen = probability[:, self.positive] > self.threshold
            return np.where(chosen, self.positive, 1 - self.positive).astype(np.intp)
        return np.argmin(probability @ np.array(self.costs), axis=1)


@dataclass(frozen=True, kw_only=True)
class Sweep:
    """All ways to cut the probabilities of rows: thresholds from high to low, and the weights of rows above each."""

    thresholds: Array
    true_positives: Array
    false_positives: Array
    positives: float


def sweep(p: Array, positive: Mask, weights: Array | None = None) -> Sweep:
    """Return the counts at every threshold between two different probabilities, and beyond the ends; O(n log n)."""
    weights = np.ones(len(p)) if weights is None else weights
    order = np.argsort(-p, kind="stable")
    values, hits, misses = p[order], weights[order] * positive[order], weights[order] * ~positive[order]
    last = np.append(np.flatnonzero(np.diff(values)), len(p) - 1)  # the last row of every run of equal probabilities
    between = np.append(
        0.5 * (values[last[:-1]] + values[last[:-1] + 1]), 0.5 * values[-1] if values[-1] > 0.0 else -1.0
    )
    return Sweep(
        thresholds=np.append(0.5 * (1.0 + values[0]), between),
        true_positives=np.append(0.0, np.cumsum(hits)[last]),
        false_positives=np.append(0.0, np.cumsum(misses)[last]),
        positives=float(hits.sum()),
    )


def cheapest_threshold(
    p: Array, positive: Mask, false_positive: float, false_negative: float, weights: Array | None = None
) -> float:
    """Return the threshold of least cost on rows left out.

    Calibrated probabilities call for t = c_fp / (c_fp + c_fn) (Elkan 2001). The cheapest cut of the sweep replaces it
    if it is cheaper by more than two standard errors of the paired difference. Smaller differences are chance.
    """
    weights = np.ones(len(p)) if weights is None else weights
    theory = false_positive / (false_positive + false_negative)
    cuts = sweep(p, positive, weights)
    costs = false_positive * cuts.false_positives + false_negative * (cuts.positives - cuts.true_positives)
    best = float(cuts.thresholds[np.argmin(costs)])
    price = np.where(positive, false_negative, false_positive)
    wrong = [(p > t) != positive for t in (theory, best)]
    paired = weights * price * (wrong[0].astype(float) - wrong[1])
    error = float(np.sqrt(np.sum((paired - paired.mean()) ** 2)))
    return best if paired.sum() > SURE * error else theory


def best_f1_threshold(p: Array, positive: Mask, weights: Array | None = None) -> float:
    """Return the threshold at which F1 = 2 tp / (2 tp + fp + fn) of rows left out is largest."""
    cuts = sweep(p, positive, weights)
    f1 = 2.0 * cuts.true_positives / (cuts.true_positives + cuts.false_positives + cuts.positives)
    return float(cuts.thresholds[np.argmax(f1)])


def decide_by_cost(
    costs: Array, probability: Array | None = None, index: Indices | None = None, weights: Array | None = None
) -> Decision:
    """Return the decision of least cost; without probabilities of rows left out, the one that theory calls for.

    Parameters
    ----------
    costs : ndarray of shape (k, k)
        Row: the truth; column: what is predicted. The diagonal is 0.
    probability, index, weights : ndarrays, optional
        Of rows left out: probabilities (n, k), true classes (n,) and weights (n,).
    """
    table = tuple(tuple(float(cost) for cost in row) for row in costs)
    if len(table) != 2:
        return Decision("cost", len(table) - 1, None, table)
    false_positive, false_negative = table[0][1], table[1][0]
    if probability is None or index is None:
        return Decision("cost", 1, false_positive / (false_positive + false_negative), table)
    threshold = cheapest_threshold(probability[:, 1], index == 1, false_positive, false_negative, weights)
    return Decision("cost", 1, threshold, table)


def decide_by_f1(probability: Array, index: Indices, positive: int, weights: Array | None = None) -> Decision:
    """Return the decision of the largest F1 of one of two classes on rows left out."""
    return Decision("F1", positive, best_f1_threshold(probability[:, positive], index == positive, weights), None)
