"""What a search needs to know about the data: the candidates' Gram matrix, streamed in blocks of rows.

Notation (letters of Barrio et al. if they have one)
    D    (N, M)  design matrix of the whole dictionary, never stored
    T    (N, k)  targets, k outputs                                          paper: t
    S    (N,)    sample weights: a row of weight 2 counts as two rows
    G    (M, M)  D^T S D                  ``gram``
    b    (M, k)  D^T S T                  ``projections``
    tt   (k,)    diag T^T S T             ``energy``

With an intercept, D and T are centred on their weighted means. That is the model with a constant
under a flat prior, integrated out: N - 1 replaces N.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import blas

from kernelect.dictionaries.base import Candidates, evaluated
from kernelect.exceptions import InvalidArgument, NotEnoughMemory
from kernelect.numerics import NEVER, Deadline, binary_unit, product, symmetrize_from_lower
from kernelect.numerics.memory import available_bytes
from kernelect.typing import Array, Indices, Mask

#: Elements of a block of rows of the design matrix: 16 MiB of doubles.
_BLOCK_ELEMENTS = 1 << 21

#: Peak of a search in (M, M) arrays, the factored model's rows at half the dictionary included.
_PEAK_SQUARES = 3.0

#: A column whose squared norm falls below this share of its uncentred one is null: rounding leaves 1e-31.
_NULL = 1e-28

#: Columns whose squared distance is below this share of their squared norms are the same.
_DUPLICATE = 1e-13


#: Residuals that a model has to leave, in degrees of freedom. With fewer, a search finds functions that happen to leave
#: hardly any: with one, 18 of 40 fits to 4 rows of pure noise had a standard deviation below a tenth of the noise.
_RESIDUALS = 3

#: Energy of a centred target below this share of its uncentred one: the target is constant.
_CONSTANT = 1e-24


@dataclass(frozen=True, kw_only=True)
class SubsetRows:
    """Rows to learn from: inputs (n, d), targets (n, k), positive weights (n,), and the intercept."""

    X: Array
    T: Array
    weights: Array
    intercept: bool

    def __len__(self) -> int:
        return len(self.X)

    @property
    def target_means(self) -> Array:
        """Weighted means of the targets, 0 without an intercept."""
        return self.weights @ self.T / self.weights.sum() if self.intercept else np.zeros(self.T.shape[1])

    @property
    def varying(self) -> Mask:
        """Which targets vary (about 0, without an intercept)."""
        largest = np.abs(self.T).max(axis=0)
        scaled = self.T / np.where(largest > 0.0, largest, 1.0)
        centred = scaled - replace(self, T=scaled).target_means
        return np.asarray(self.weights @ centred**2 > _CONSTANT * (self.weights @ scaled**2), dtype=bool)

    def in_own_units(self) -> tuple[Array, SubsetRows]:
        """Return powers of two near the targets' size, and the sample with targets divided by them."""
        units = np.array([binary_unit(column) for column in (self.T - self.target_means).T])
        return units, replace(self, T=self.T / units)

    @property
    def most_functions(self) -> int:
        """Functions that leave enough residuals to tell the noise; with all but one, a model may have none at all."""
        distinct = len(np.unique(np.column_stack([self.X, self.T]), axis=0))
        return max(distinct - int(self.intercept) - _RESIDUALS, 0)

    def rows(self, chosen: Indices) -> SubsetRows:
        """Return the sample restricted to some rows."""
        return replace(self, X=self.X[chosen], T=self.T[chosen], weights=self.weights[chosen])

    def blocks(self, width: int) -> Iterator[slice]:
        """Yield blocks of rows, so short that ``width`` columns of them stay small.

        A block takes its rows from the whole sample, so the first few blocks represent the whole.
        """
        count = -(-len(self) // max(64, _BLOCK_ELEMENTS // max(width, 1)))
        for first in range(count):
            yield slice(first, len(self), count)


@dataclass(frozen=True, kw_only=True)
class SubsetMoments:
    """Everything the evidence of a subset depends on.

    Attributes
    ----------
    gram, projections, energy
        G, b and tt, see the module's notation.
    n_rows : float
        Total weight, minus 1 with an intercept.
    log_constant : float
        What the integrated intercept and the units of the targets add to every ln likelihood.
    means : ndarray of shape (M,)
        What was subtracted from the columns, 0 without an intercept.
    candidates : ndarray of shape (M,)
        Index of each column in the dictionary; null and duplicate columns are dropped.
    n_null, n_duplicate : int
        Number of columns dropped.
    rows : ndarray of int, optional
        The rows behind the sums, if there was no time for all rows.
    most_functions : int, optional
        Largest number of functions that leaves enough residuals.
    """

    gram: Array
    projections: Array
    energy: Array
    n_rows: float
    log_constant: float
    means: Array
    candidates: Indices
    n_null: int = 0
    n_duplicate: int = 0
    rows: Indices | None = None
    most_functions: int | None = None

    def __len__(self) -> int:
        return len(self.gram)

    @property
    def n_outputs(self) -> int:
        """Number of targets k."""
        return len(self.energy)

    def in_units(self, units: Array) -> SubsetMoments:
        """Return the moments of targets divided by ``units``; the likelihood stays that of the original targets."""
        return replace(self, log_constant=self.log_constant - self.n_rows * float(np.log(units).sum()))

    def take(self, kept: Indices) -> SubsetMoments:
        """Return the moments of these columns only."""
        return replace(
            self,
            gram=self.gram[np.ix_(kept, kept)],
            projections=self.projections[kept],
            means=self.means[kept],
            candidates=self.candidates[kept],
        )


@dataclass(frozen=True, kw_only=True)
class _Sums:
    """Sums over the rows, of columns less ``shift`` and targets less their means."""

    gram: Array
    projections: Array
    columns: Array  # (M,) sums of the shifted columns
    squares: Array  # (M,) sums of squares of the columns as they are
    shift: Array
    targets: Array  # (k,) sums of the shifted targets
    energy: Array
    total: float  # sum of the weights
    rows: Indices | None  # those that were seen, if not all were


def gathered_moments(candidates: Candidates, sample: SubsetRows, deadline: Deadline = NEVER) -> SubsetMoments:
    """Stream the dictionary's moments: O(N M^2) time in ``syrk``, O(M^2) memory.

    If ``deadline`` passes before the last block, the sums cover the rows seen so far.
    """
    M, k = len(candidates), sample.T.shape[1]
    _require_memory(M)
    shift = None if sample.intercept else np.zeros(M)
    sums = _stream(candidates, sample, shift, sample.target_means, deadline)
    total, gram, projections, energy = sums.total, sums.gram, sums.projections, sums.energy
    if sample.intercept:
        gram = blas.dsyr(-1.0 / total, sums.columns, lower=1, a=gram, overwrite_a=1)
        # Targets are centred on the mean of all rows: a part of them has one of its own.
        projections = projections - np.outer(sums.columns, sums.targets / total)
        energy = energy - sums.targets**2 / total
    moments = SubsetMoments(
        gram=_symmetric(gram),
        projections=projections,
        energy=energy,
        n_rows=total - 1.0 if sample.intercept else total,
        log_constant=-0.5 * k * float(np.log(total)) if sample.intercept else 0.0,
        means=sums.shift + sums.columns / total if sample.intercept else np.zeros(M),
        candidates=np.arange(M),
        rows=sums.rows,
        most_functions=(sample if sums.rows is None else sample.rows(sums.rows)).most_functions,
    )
    return _cleaned(moments, sums.squares)


def gather_about(
    candidates: Candidates, sample: SubsetRows, means: Array, target_means: Array, deadline: Deadline = NEVER
) -> SubsetMoments:
    """Stream the moments of other rows about given means; they give the squared errors on these rows."""
    sums = _stream(candidates, sample, means, target_means, deadline)
    everything = np.arange(len(candidates))
    return SubsetMoments(
        gram=_symmetric(sums.gram),
        projections=sums.projections,
        energy=sums.energy,
        n_rows=sums.total,
        log_constant=0.0,
        means=means,
        candidates=everything,
        rows=sums.rows,
    )


def _stream(
    candidates: Candidates, sample: SubsetRows, shift: Array | None, target_means: Array, deadline: Deadline
) -> _Sums:
    """Add up one block of rows after the other, until time is up; one is always done.

    Without a ``shift`` it is the means of the first block: near enough to the true ones that
    correcting for them afterwards subtracts little, so centring costs neither digits nor a
    second pass.
    """
    M, targets = len(candidates), sample.T - target_means
    gram = np.zeros((M, M), order="F")
    projections, columns, squares = np.zeros((M, targets.shape[1])), np.zeros(M), np.zeros(M)
    seen = np.zeros(len(sample), dtype=bool)
    for rows in sample.blocks(M):
        if seen.any() and deadline.passed:
            break
        seen[rows] = True
        block, weights = evaluated(candidates, sample.X[rows]), sample.weights[rows]
        shift = block.mean(axis=0) if shift is None else shift
        squares += weights @ block**2
        block -= shift
        columns += weights @ block
        projections += product(block.T, weights[:, None] * targets[rows])
        block *= np.sqrt(weights)[:, None]
        gram = blas.dsyrk(1.0, block.T, beta=1.0, c=gram, lower=1, overwrite_c=1)
    assert shift is not None
    part = None if seen.all() else np.flatnonzero(seen)
    s = np.where(seen, sample.weights, 0.0)
    energy = np.einsum("i,ij,ij->j", s, targets, targets)
    return _Sums(
        gram=gram,
        projections=projections,
        columns=columns,
        squares=squares,
        shift=shift,
        targets=s @ targets,
        energy=energy,
        total=float(s.sum()),
        rows=part,
    )


def _symmetric(lower: Array) -> Array:
    """Fill the upper triangle, in place; the transpose of the symmetric result is in C order."""
    return symmetrize_from_lower(lower).T


def _cleaned(moments: SubsetMoments, squares: Array) -> SubsetMoments:
    """Drop null columns (constant ones, with an intercept) and repeated ones."""
    norms = np.diagonal(moments.gram)
    alive = np.flatnonzero((norms > _NULL * squares) & (norms > 0.0))
    if not len(alive):
        what = "constant" if np.any(moments.means) else "zero"
        raise InvalidArgument(
            f"All {len(moments)} functions of the dictionary are {what} at the training rows: there is nothing to "
            "choose from. Give functions that vary over the data."
        )
    distinct = alive[_first_of_each(moments.gram[np.ix_(alive, alive)] if len(alive) < len(moments) else moments.gram)]
    kept = moments if len(distinct) == len(moments) else moments.take(distinct)
    return replace(kept, n_null=len(moments) - len(alive), n_duplicate=len(alive) - len(distinct))


def _first_of_each(gram: Array) -> Indices:
    """Return the indices of columns that repeat no earlier one, from |p - q|^2 = p.p + q.q - 2 p.q."""
    norms, keep = np.diagonal(gram), np.ones(len(gram), dtype=bool)
    for j in range(1, len(gram)):
        both = norms[:j] + norms[j]
        keep[j] = not np.any((both - 2.0 * gram[j, :j] <= _DUPLICATE * both) & keep[:j])
    return np.flatnonzero(keep)


def _require_memory(M: int) -> None:
    if M == 0:
        raise InvalidArgument("dictionary is empty: give at least one candidate function, such as dictionary='rbf'.")
    needed, free = 8.0 * _PEAK_SQUARES * M**2, available_bytes()
    if needed > free:
        most = int((free / (8.0 * _PEAK_SQUARES)) ** 0.5)
        raise NotEnoughMemory(
            f"A dictionary of {M} functions needs about {needed / 2**30:.1f} GiB, {free / 2**30:.1f} GiB are free: "
            f"about {most} functions would fit. Lower max_centres, the degree or the order of the dictionary."
        )
