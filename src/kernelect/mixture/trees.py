"""Partitions of the inputs: trees as flat arrays, which predict, are stored, explained and exported.

Every tree cuts the inputs into boxes, and two rows are alike as often as they share one: the
kernel of a random forest. scikit-learn grows the trees, on ranks, so that neither units nor the
single precision of its inputs matter; what is kept are the cuts in the inputs' own numbers.

Notation: T trees with N nodes in all and L boxes, as many trees in each of B bags, E (n, e) numbers and indicators of
levels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kernelect.exceptions import InvalidArgument
from kernelect.registry import stored
from kernelect.typing import Array, Indices, Mask

#: Rows times trees that go down together: numbers that fit into the cache.
_TOGETHER = 16_384

#: Numbers that what all trees say of some rows may take at a time.
_SAID = 4_000_000


@stored
@dataclass(frozen=True, kw_only=True)
class Trees:
    """T trees in one row of nodes.

    A row at node i with ``feature[i] >= 0`` goes to node i + 1 where E[feature] <= threshold, else to
    ``right[i]``. At a box ``feature[i]`` is -1, and ``right[i]`` is its place in ``boxes``.

    Attributes
    ----------
    roots : ndarray of shape (T,)
    feature, right : ndarray of shape (N,)
    threshold : ndarray of shape (N,)
    boxes : ndarray of shape (L, k)
        What every box says.
    n_inputs : int
        e.
    """

    roots: Indices
    feature: Indices
    threshold: Array
    right: Indices
    boxes: Array
    n_inputs: int

    def __len__(self) -> int:
        return len(self.roots)

    def places(self, E: Array) -> Indices:
        """Return the box of every row in every tree, (m, T), as places in ``boxes``."""
        if E.shape[1] != self.n_inputs:
            raise InvalidArgument(f"trees of {self.n_inputs} inputs cannot take rows of {E.shape[1]}")
        out = np.empty((len(E), len(self)), dtype=np.intp)
        rows = min(len(E), _TOGETHER)
        trees = max(1, _TOGETHER // max(rows, 1))
        for first in range(0, len(E), rows or 1):
            block = slice(first, first + rows)
            for tree in range(0, len(self), trees):
                out[block, tree : tree + trees] = self._down(E[block], self.roots[tree : tree + trees])
        return out

    def _down(self, E: Array, roots: Indices) -> Indices:
        at = np.broadcast_to(roots, (len(E), len(roots))).ravel().copy()
        row = np.repeat(np.arange(len(E)), len(roots))
        moving = np.arange(len(at))
        for _ in range(len(self.feature)):  # a forged tree ends too
            feature = self.feature[at[moving]]
            inner = feature >= 0
            moving, feature = moving[inner], feature[inner]
            if not len(moving):
                break
            here = at[moving]
            left = E[row[moving], feature] <= self.threshold[here]
            at[moving] = np.where(left, here + 1, self.right[here])
        return self.right[at].reshape(len(E), len(roots))

    def by_bag(self, E: Array, n_bags: int) -> Array:
        """Return the mean of what the trees of every bag say, (m, B, k)."""
        places = self.places(E).reshape(len(E), n_bags, -1)
        out = np.zeros((len(E), n_bags, self.boxes.shape[1]))
        for tree in range(places.shape[2]):
            out += self.boxes[places[:, :, tree]]
        return out / places.shape[2]

    def mean(self, E: Array, among: Mask | None = None) -> Array:
        """Return the mean of what the trees say, (m, k), or of those of the bags ``among`` (m, B); 0 where none are."""
        out = np.zeros((len(E), self.boxes.shape[1]))
        rows = max(1, _SAID // (len(self) * self.boxes.shape[1]))
        for first in range(0, len(E), rows):
            part = slice(first, first + rows)
            shares = np.ones((len(E[part]), len(self))) if among is None else among[part].astype(float)
            said = self.by_bag(E[part], shares.shape[1])
            out[part] = np.einsum("mb,mbk->mk", shares, said) / np.maximum(shares.sum(axis=1), 1.0)[:, None]
        return out

    def bounds(self) -> tuple[Array, Array]:
        """Return lower and upper ends (L, e) of the boxes: lower < E <= upper."""
        shape = len(self.boxes), self.n_inputs
        low, high = np.full(shape, -np.inf), np.full(shape, np.inf)
        for root in self.roots.tolist():
            self._bound(root, low, high)
        return low, high

    def _bound(self, root: int, low: Array, high: Array) -> None:
        below, above = np.full(low.shape[1], -np.inf), np.full(low.shape[1], np.inf)
        stack = [(root, below, above)]
        while stack:
            node, below, above = stack.pop()
            feature, right = int(self.feature[node]), int(self.right[node])
            if feature < 0:
                low[right], high[right] = below, above
                continue
            cut = self.threshold[node]
            upper, lower = above.copy(), below.copy()
            upper[feature], lower[feature] = min(above[feature], cut), max(below[feature], cut)
            stack += [(node + 1, below, upper), (right, lower, above)]


@dataclass(frozen=True, kw_only=True)
class Nodes:
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
    def of_tree(cls, tree: Any) -> Nodes:
        """Return a regression tree of scikit-learn."""
        return cls(
            feature=np.maximum(tree.feature, -1),
            threshold=tree.threshold,
            right=tree.children_right,
            value=tree.value[:, :, 0],
            gains=tree.compute_feature_importances(normalize=False),
        )


@dataclass(frozen=True)
class Ranks:
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
    def of(cls, E: Array) -> Ranks:
        """Return the ranks of numbers, ties sharing one."""
        found = [np.unique(column, return_inverse=True) for column in E.T]
        R = np.zeros((len(E), max(1, len(found))))  # one column where there is nothing to cut
        for j, (_, inverse) in enumerate(found):
            R[:, j] = inverse.reshape(-1)
        return cls(R, [values for values, _ in found])

    def cut(self, column: int, threshold: float) -> float:
        """Return the number half way between the values on both sides of a cut among ranks."""
        values, below = self.values[column], int(np.floor(threshold))
        low, high = values[below], values[min(below + 1, len(values) - 1)]
        middle = 0.5 * low + 0.5 * high
        return float(middle if low <= middle < high else low)


def joined(grown: Sequence[Nodes], ranks: Ranks, columns: Indices, spread: Array) -> Trees:
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
