"""Leaving out whole groups of rows of a least-squares machine, in closed form.

Notation as in full.py; g a group of rows, P_gg the block of P that belongs to it. The residuals of the machine
trained without the group are r_g = P_gg^-1 alpha_g; for groups of one row this is alpha_i / c_i.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kernelect.typing import Array, Indices

#: Fewest groups of a part of the rows, if there are as many: with fewer of them, leaving one out tells too little.
_LEAST_GROUPS = 200

#: Rows of some groups of one size (G, m) -> their blocks of P (G, m, m).
Blocks = Callable[[Indices], Array]


class Groups:
    """Which rows are left out together.

    Groups of the same size are handled in one go, so a thousand small groups cost as much as a few.

    Parameters
    ----------
    index : ndarray of int, shape (n,)
        The group of every row.
    """

    def __init__(self, index: Indices) -> None:
        _, self.index = np.unique(index, return_inverse=True)
        order, sizes = np.argsort(self.index, kind="stable"), np.bincount(self.index)
        ends = np.cumsum(sizes)
        #: Rows of all groups of one size, (G, m), size after size.
        self.rows = [
            np.array([order[end - size : end] for end in ends[sizes == size]]) for size in np.unique(sizes).tolist()
        ]

    def __len__(self) -> int:
        return int(self.index.max()) + 1

    def of(self, rows: Indices) -> Groups:
        """Return the groups of some of the rows."""
        return Groups(self.index[rows])

    def part(self, order: Indices, count: int) -> Indices:
        """Return about ``count`` of the rows, sorted: whole groups, which are evenly spaced in an order of the rows.

        Single rows would leave their groups torn, and a row left out alone tells nothing of new groups. Of large groups
        there are 200 at least, with a share of their rows each.

        Parameters
        ----------
        order : ndarray of int
            Numbers of the rows that may be taken.
        count : int
        """
        if len(order) <= count:
            return np.sort(order)
        of_rows = self.index[order]
        first = np.unique(of_rows, return_index=True)[1]
        groups = of_rows[np.sort(first)]
        many = min(max(round(count * len(groups) / len(order)), _LEAST_GROUPS), len(groups))
        chosen = order[np.isin(of_rows, groups[(np.arange(many) * (len(groups) / many)).astype(np.intp)])]
        share = min(count / len(chosen), 1.0)
        if many > _LEAST_GROUPS or share == 1.0:
            return np.sort(chosen)
        by_group = chosen[np.argsort(self.index[chosen], kind="stable")]
        return np.sort(by_group[(np.arange(max(int(share * len(chosen)), 2)) / share).astype(np.intp)])

    def solve(self, blocks: Blocks, right: Array) -> Array:
        """Return P_gg^-1 right_g of every group, (n, k)."""
        out = np.empty_like(right)
        for rows in self.rows:
            out[rows] = np.linalg.solve(blocks(rows), right[rows])
        return out

    def inverse_diagonal(self, blocks: Blocks) -> Array:
        """Return the diagonal (n,) of all P_gg^-1: variances of rows whose group is left out, in the kernel's unit."""
        out = np.empty(len(self.index))
        for rows in self.rows:
            inverse = np.linalg.inv(blocks(rows))
            out[rows] = np.diagonal(inverse, axis1=1, axis2=2)
        return out

    def outer_times(self, left: Array, right: Array, P: Array) -> Array:
        """Return N P (n, n), N the block-diagonal matrix of the symmetric parts of left_g right_g^T."""
        out = np.empty_like(P)
        for rows in self.rows:
            outer = left[rows] @ right[rows].swapaxes(1, 2)  # (G, m, m), summed over outputs
            out[rows] = 0.5 * (outer + outer.swapaxes(1, 2)) @ P[rows]
        return out

    def sums(self, values: Array) -> Array:
        """Return the sum of ``values`` (n, ...) over each row's group, for every row."""
        totals = np.zeros((len(self), *values.shape[1:]))
        np.add.at(totals, self.index, values)
        return np.asarray(totals[self.index], dtype=float)


def blocks_of(P: Array) -> Blocks:
    """Return the blocks of a matrix by the rows of groups."""
    return lambda rows: P[rows[:, :, None], rows[:, None, :]]
