"""A row falls through every tree of a forest into one of its boxes: the one operation that is no arithmetic."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernelect.export.graph import Node, Shape
from kernelect.model.trees import Trees
from kernelect.typing import Array, Indices


@dataclass(frozen=True, eq=False)
class Fall(Node):
    """The sum of what the boxes say that a vector lies in, one in every tree, (k,)."""

    args: tuple[Node, ...]
    trees: Trees

    @property
    def shape(self) -> Shape:  # type: ignore[override]
        return (self.trees.boxes.shape[1],)

    def tables(self) -> tuple[Array, ...]:
        """Return all numbers of the trees."""
        trees = self.trees
        return (trees.feature.astype(float), trees.threshold, trees.right.astype(float), trees.boxes)

    def value(self, inputs: Array) -> Array:
        """Return the sums (m, k) at inputs (m, e)."""
        out = np.zeros((len(inputs), *self.shape))
        for places in self.trees.places(np.asarray(inputs, dtype=float)).T:
            out += self.trees.boxes[places]
        return out

    def circular(self) -> tuple[Indices, Array, Indices, Indices, Array]:
        """Return feature, threshold, left and right child and what is said, by node; a box is its own child."""
        trees = self.trees
        here, inner = np.arange(len(trees.feature)), trees.feature >= 0
        said = np.where(inner[:, None], 0.0, trees.boxes[np.where(inner, 0, trees.right)])
        left, right = np.where(inner, here + 1, here), np.where(inner, trees.right, here)
        return np.maximum(trees.feature, 0), trees.threshold, left, right, said

    def depth(self) -> int:
        """Return the most cuts between a root and a box."""
        _, _, left, right, _ = self.circular()
        level, depth = self.trees.roots, 0
        while (self.trees.feature[level] >= 0).any():
            level = level[self.trees.feature[level] >= 0]
            level, depth = np.concatenate([left[level], right[level]]), depth + 1
        return depth
