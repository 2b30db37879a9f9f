"""A forest by its definition: one row and one tree at a time."""

import numpy as np


def box_of(trees, tree, row):
    """Return the place of the box that a row falls into."""
    node = trees.roots[tree]
    while trees.feature[node] >= 0:
        node = node + 1 if row[trees.feature[node]] <= trees.threshold[node] else trees.right[node]
    return trees.right[node]


def mean_of(trees, chosen, row):
    """Return the mean of what chosen trees say of a row; 0 where none are chosen."""
    said = [trees.boxes[box_of(trees, tree, row)] for tree in chosen]
    return np.mean(said, axis=0) if said else np.zeros(trees.boxes.shape[1])
