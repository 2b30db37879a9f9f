"""Many rows: a relevance vector machine has candidate functions only at some of them, the landmarks.

The work of a sparse machine grows with rows times candidates, and it keeps a few dozen of these. Landmarks that span
the other rows leave it almost the same choice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from kernelect.kernels import Kernel
from kernelect.machines.lssvm.pivots import Pivots
from kernelect.numerics import sampled_rows
from kernelect.parameters import ParameterSpace
from kernelect.typing import Array, Indices

#: Steps of the logarithms of parameters at which landmarks are drawn.
_DRAWN_AT = 1.0

#: Rows that landmarks are drawn from.
_DRAWN_FROM = 20_000


def rounded(kernel: Kernel, space: ParameterSpace) -> Kernel:
    """Return the kernel at which landmarks are drawn: what was searched is rounded.

    A search that sums rows in another order ends at the same place but for its last digits, and should draw the same
    landmarks. Widths are rounded in units of the data's own scale, so that the units of the inputs do not matter.
    """
    theta = kernel.theta
    scale, free = space.reference[: len(theta)], space.free[: len(theta)] & np.isfinite(theta)
    steps = np.round(np.where(free, theta - scale, 0.0) / _DRAWN_AT)
    return kernel.with_theta(np.where(free, scale + _DRAWN_AT * steps, theta))


def drawn_at(kernel: Kernel, X: Array, weights: Array, seed: int) -> Pivots:
    """Return the draw of landmarks from rows at a :func:`rounded` kernel; the same seed draws alike at similar ones."""
    return Pivots(X, kernel.cross, kernel.diagonal(X), np.random.default_rng(seed), weights)


@dataclass(frozen=True, kw_only=True)
class Centres:
    """Rows at which candidate functions are centred.

    Attributes
    ----------
    points : ndarray of shape (m, d)
    rows : ndarray of shape (m,)
        Which row of a problem each point is, -1 if it is none of them.
    """

    points: Array
    rows: Indices

    @classmethod
    def of(cls, X: Array, rows: Indices) -> Self:
        """Return some rows of ``X``, in the order of ``X``."""
        rows = np.unique(rows)
        return cls(points=X[rows], rows=rows)

    def on_rows(self, rows: Indices, n_rows: int) -> Centres:
        """Return the same points for a problem that has only some of the ``n_rows`` rows."""
        place = np.full(n_rows, -1, dtype=np.intp)
        place[rows] = np.arange(len(rows))
        return Centres(points=self.points, rows=np.where(self.rows >= 0, place[self.rows], -1))


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """How many rows to draw as centres, and with which seed."""

    count: int
    seed: int

    def centres(self, kernel: Kernel, X: Array, weights: Array) -> Centres | None:
        """Return rows that span the others with this kernel, None if that would be all rows.

        If fewer rows span all of them, as with wide kernels, other rows make up the number: a sparse machine does
        not mix wide functions to get another one, it takes that one.
        """
        if self.count >= len(X):
            return None
        among = sampled_rows(X, max(_DRAWN_FROM, self.count))
        rows = among[drawn_at(kernel, X[among], weights[among], self.seed).first(self.count)]
        if len(rows) < self.count:
            others = np.setdiff1d(np.arange(len(X)), rows)
            rows = np.append(rows, others[sampled_rows(X[others], self.count - len(rows))])
        return Centres.of(X, rows)
