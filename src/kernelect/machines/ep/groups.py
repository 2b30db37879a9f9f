"""Rows that leave a posterior together.

Notation: m and Sigma mean and covariance of a group's latent values, T their sites' precisions, b its dual
coefficients. Without the group's sites their covariance is (I - Sigma T)^-1 Sigma = C, and their mean m - C b: for one
row that is :meth:`EPColumn.without_row`.
"""

from __future__ import annotations

import numpy as np

from kernelect.machines.ep.machine import EPColumn
from kernelect.typing import Array, Indices


def without_groups(column: EPColumn, gram: Array, groups: Indices) -> tuple[Array, Array]:
    """Return mean and variance of each latent value without the rows of its group.

    Parameters
    ----------
    column : EPColumn
    gram : ndarray of shape (n, n)
    groups : ndarray of shape (n,)
    """
    mean, variance = column.mean.copy(), column.variance.copy()
    if column.factor is None:
        return mean, variance
    half, total = column.factor.half_solve(column.root_precision[:, None] * gram), column.root_precision**2
    for group in np.unique(groups):
        rows = np.flatnonzero(groups == group)
        posterior = gram[np.ix_(rows, rows)] - half[:, rows].T @ half[:, rows]
        left = np.linalg.solve(np.eye(len(rows)) - posterior * total[rows], posterior)
        mean[rows] -= left @ column.dual[rows]
        variance[rows] = np.maximum(np.diagonal(left), column.variance[rows])
    return mean, variance
