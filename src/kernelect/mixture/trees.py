"""Growing trees: scikit-learn grows them on ranks, so that neither units nor the single precision of its inputs matter.

What is kept are the cuts in the inputs' own numbers (:class:`kernelect.model.trees.Trees`). Every tree cuts the inputs
into boxes, and two rows are alike as often as they share one: the kernel of a random forest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kernelect.model.trees import Trees
from kernelect.typing import Array, Indices


@dataclass(frozen=True, kw_only=True)
class GrownTree:
    """One tree as it was grown on ranks: its nodes, each followed by the branch below its cut.

    Attributes
    ----------
    feature, right : ndarray of shape (N,)
        -1 at a box; the node above the cut.
    threshold : ndarray of shape (N,)
    value : ndarray of shape (N, k)
        What the boxes say.
    gains : ndarray of shape (e,)
        How much the cuts along every column reduce the loss.
    """

    feature: Indices
    threshold: Array
    right: Indices
    value: Array
    gains: Array

    @classmethod
    def of_tree(cls, tree: Any) -> GrownTree:
        """Return a regression tree of scikit-learn."""
        return cls(
            feature=np.maximum(tree.feature, -1),
            threshold=tree.threshold,
            right=tree.children_right,
            value=tree.value[:, :, 0],
            gains=tree.compute_feature_importances(normalize=False),
        )


@dataclass(frozen=True)
class RankedColumns:
    """Columns by the ranks of their values: what trees are grown on.

    Attributes
    ----------
    R : ndarray of shape (n, e)
    values : list of ndarray
        The distinct values of every column, in order.
    """

    R: Array
    values: list[Array]

    @classmethod
    def of(cls, E: Array) -> RankedColumns:
        """Return the ranks of numbers, ties sharing one."""
        found = [np.unique(column, return_inverse=True) for column in E.T]
        R = np.zeros((len(E), max(1, len(found))))  # one column if there is nothing to cut
        for j, (_, inverse) in enumerate(found):
            R[:, j] = inverse.reshape(-1)
        return cls(R, [values for values, _ in found])

    def cut(self, column: int, threshold: float) -> float:
        """Return the number half way between the values on both sides of a cut among ranks."""
        values, below = self.values[column], int(np.floor(threshold))
        low, high = values[below], values[min(below + 1, len(values) - 1)]
        middle = 0.5 * low + 0.5 * high
        return float(middle if low <= middle < high else low)


def joined_trees(grown: Sequence[GrownTree], ranks: RankedColumns, columns: Indices, spread: Array) -> Trees:
    """Return trees as one record.

    ``columns`` are the places in E of what they were grown on, ``spread`` (k,) the unit of the targets.
    """
    roots, features, thresholds, rights, boxes = [], [], [], [], []
    nodes = leaves = 0
    for tree in grown:
        inner = tree.feature >= 0
        pairs = list(zip(tree.feature.tolist(), tree.threshold.tolist(), strict=True))
        roots.append(nodes)
        features.append([int(columns[j]) if j >= 0 else -1 for j, _ in pairs])
        thresholds.append([ranks.cut(j, cut) if j >= 0 else 0.0 for j, cut in pairs])
        rights.append(np.where(inner, nodes + tree.right, leaves + np.cumsum(~inner) - 1))
        boxes.append(spread * tree.value[~inner])
        nodes, leaves = nodes + len(inner), leaves + int((~inner).sum())
    return Trees(
        roots=np.array(roots, dtype=np.intp),
        feature=np.concatenate(features).astype(np.intp),
        threshold=np.concatenate(thresholds).astype(float),
        right=np.concatenate(rights).astype(np.intp),
        boxes=np.concatenate(boxes).astype(float),
        n_inputs=len(columns),
    )
