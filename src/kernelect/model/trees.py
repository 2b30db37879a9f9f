"""Trees as flat arrays: they cut the inputs into boxes, and every box has a value.

Notation: T trees with N nodes in all and L boxes, as many trees in each of B bags, E (n, e) numbers and indicators of
levels.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kernelect.exceptions import InvalidArgument
from kernelect.model.parts import Part
from kernelect.model.spreads import Jackknife
from kernelect.typing import Array, Indices, Mask

if TYPE_CHECKING:
    from kernelect.model.component import Component

#: Rows times trees that go down together: numbers that fit into the cache.
_TOGETHER = 16_384

#: Rows in boxes are set aside as soon as no more than this share of all moves on.
_STILL_MOVING = 0.7

#: Numbers that what all trees say of some rows may take at a time.
_SAID = 4_000_000


@dataclass(frozen=True, kw_only=True)
class Trees:
    """T trees in one row of nodes.

    A row at node i with ``feature[i] >= 0`` goes to node i + 1 if E[feature] <= threshold, else to
    ``right[i]``. At a box ``feature[i]`` is -1, and ``right[i]`` is its place in ``boxes``.

    Attributes
    ----------
    roots : ndarray of shape (T,)
    feature, right : ndarray of shape (N,)
    threshold : ndarray of shape (N,)
    boxes : ndarray of shape (L, k)
        What every box predicts.
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
        trees, ways = max(1, _TOGETHER // max(rows, 1)), self._ways()
        for first in range(0, len(E), rows or 1):
            block = slice(first, first + rows)
            for tree in range(0, len(self), trees):
                out[block, tree : tree + trees] = self._down(E[block], self.roots[tree : tree + trees], *ways)
        return out

    def _ways(self) -> tuple[Indices, Indices, Mask]:
        """Return the input that every node looks at, where rows go from it (2 N,), and which nodes are no boxes.

        Node i sends rows to place 2 i or 2 i + 1. A box sends them to itself, so that all rows can take a step.
        """
        here, inner = np.arange(len(self.feature)), self.feature >= 0
        ways = np.column_stack([np.where(inner, here + 1, here), np.where(inner, self.right, here)])
        return np.where(inner, self.feature, 0), ways.ravel(), inner

    def _down(self, E: Array, roots: Indices, feature: Indices, ways: Indices, inner: Mask) -> Indices:
        cells, first = np.ascontiguousarray(E).ravel(), np.repeat(np.arange(len(E)) * E.shape[1], len(roots))
        out = np.broadcast_to(roots, (len(E), len(roots))).ravel().copy()
        at, moving = out, np.arange(len(out))
        for _ in range(len(feature)):  # a forged tree ends too
            on = inner.take(at)
            if np.count_nonzero(on) < _STILL_MOVING * len(on):
                out[moving] = at
                at, first, moving = at[on], first[on], moving[on]
            if not len(at):
                break
            right = ~(cells.take(first + feature.take(at)) <= self.threshold.take(at))
            at = ways.take(2 * at + right)
        out[moving] = at
        return self.right[out].reshape(len(E), len(roots))

    def by_bag(self, E: Array, n_bags: int) -> Array:
        """Return the mean of what the trees of every bag say, (m, B, k)."""
        places = self.places(E).reshape(len(E), n_bags, -1)
        out = np.zeros((len(E), n_bags, self.boxes.shape[1]))
        for tree in range(places.shape[2]):
            out += self.boxes[places[:, :, tree]]
        return out / places.shape[2]

    def mean(self, E: Array, among: Mask | None = None) -> Array:
        """Return the mean of what the trees say, (m, k), or of those of the bags ``among`` (m, B); 0 if none are."""
        out = np.zeros((len(E), self.boxes.shape[1]))
        rows = max(1, _SAID // (len(self) * self.boxes.shape[1]))
        for first in range(0, len(E), rows):
            part = slice(first, first + rows)
            shares = np.ones((len(E[part]), len(self))) if among is None else among[part].astype(float)
            said = self.by_bag(E[part], shares.shape[1])
            out[part] = np.einsum("mb,mbk->mk", shares, said) / np.maximum(shares.sum(axis=1), 1.0)[:, None]
        return out

    def total(self, E: Array, boxes: Array) -> Array:
        """Return the sum of values (L, k) over the boxes in which every row lies, (m, k)."""
        out = np.zeros((len(E), boxes.shape[1]))
        for places in self.places(E).T:
            out += boxes[places]
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


@dataclass(frozen=True, eq=False, kw_only=True)
class BoxPart(Part):
    """The sum of what trees say: one box in each of them, with coefficients (n_boxes, k)."""

    trees: Trees

    def values(self, V: Array) -> Array:
        return self.trees.total(V, self.coefficients)


@dataclass(frozen=True, eq=False, kw_only=True)
class BagJackknife(Jackknife):
    """Trees in bags: those that a row is not in speak of it as a machine without it does.

    Attributes
    ----------
    rows, residuals
        As for :class:`Jackknife`.
    out : ndarray of bool of shape (n, n_bags)
        Which bags each of these rows is not in.
    mean_square : ndarray of shape (k,)
        Of the residuals of all rows out of bag.
    """

    rows: Indices
    residuals: Array
    out: Mask
    mean_square: Array

    def deviation(self, component: Component, V: Array) -> Array:
        return np.tile(np.sqrt(self.mean_square), (len(V), 1))

    def without(self, component: Component, batches: Iterable[Array]) -> Iterator[Array]:
        (part,) = component.parts
        assert isinstance(part, BoxPart)
        shares = self.out / np.maximum(self.out.sum(axis=1, keepdims=True), 1)
        for V in batches:
            said = part.trees.by_bag(V, self.out.shape[1])  # (m, B, k)
            yield np.asarray(component.constant + np.tensordot(shares, said, axes=(1, 1)), dtype=float)

    def left_out_variance(self) -> Array:
        return self.mean_square[None]
