"""The prologue of every ``fit``: checked rows, targets and weights, without copies, as many as there is time for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Self, TypeVar

import numpy as np

from kernelect.estimators._base import Estimator
from kernelect.estimators._limits import refuse_limits
from kernelect.estimators._sklearn import check_sample_weight, validate_data
from kernelect.estimators._targets import class_weights, encode_labels, joined_groups, require_one_label, require_size
from kernelect.exceptions import InvalidArgument
from kernelect.machines import Groups, Machine
from kernelect.numerics import (
    Deadline,
    SparseRows,
    beyond_chance,
    copied_rows,
    equal_points,
    hashed_order,
    require_dense,
    spaced,
)
from kernelect.results import Selection, Status
from kernelect.selection import Pace, Rows, rows_in_time
from kernelect.selection.landmarks import CANDIDATES, ArrayTable, GroupedTable, RowTable
from kernelect.typing import Array, Indices, Mask

#: Largest ratio of two weights: beyond it the lighter rows drown in the rounding of the heavier ones.
_LARGEST_RATIO = 1e13

#: Share of the total weight that one row may have: beyond it there is one row to learn from.
_LARGEST_SHARE = 1.0 - 1e-6

#: Between 1 / this and this lies the median weight, if weights count rows and if only their ratios matter.
_LARGEST_MEDIAN_COUNT, _LARGEST_MEDIAN = 1e6, 1e15

#: Evaluations that the model takes after the search, about: its own solution, what is made of it, and a busy machine.
_AFTERWARDS = 2.0

#: Mean weight if weights count rows with normal noise: that many equal rows leave no noise to estimate.
_LARGEST_COUNT = 1e3


#: Inputs that are read as they are; all others become the first of these.
PRECISIONS = [np.float64, np.float32]


@dataclass(frozen=True, kw_only=True)
class Training:
    """What ``fit`` was given, checked; rows of weight 0 are still there.

    Attributes
    ----------
    X : ndarray of shape (n, d)
    targets : ndarray of shape (n, k)
        Labels as +-1, or real targets.
    weights : ndarray of shape (n,)
    kept : ndarray of bool
        The rows of positive weight.
    single : bool
        Whether ``y`` had one dimension.
    groups : ndarray of int or None
        The group of every row, if groups were given.
    origin : ndarray of int or None
        The first of the rows that each is a copy of, once copies have been merged.
    dropped : int
        Rows that there is no time for. They are not among the kept ones, so that they are treated as rows of weight 0.
    """

    X: Array
    targets: Array
    weights: Array
    kept: Mask
    single: bool = True
    groups: Indices | None = None
    origin: Indices | None = None
    dropped: int = 0

    @property
    def n_weighted(self) -> int:
        """Number of rows of positive weight."""
        return int(self.kept.sum())

    def in_memory(self, _: Callable[[str], str]) -> Self:
        """Return the rows as one array."""
        return replace(self, X=np.asarray(self.X))

    def in_blocks(self) -> tuple[RowTable, Indices | None]:
        """Return the rows for a machine on landmarks, and the order in which they stand; None for the given one.

        Rows of groups are put in order, so that a block of rows has whole ones.
        """
        if isinstance(self.X, SparseRows):
            require_dense(min(len(self.X), CANDIDATES), self.X.shape[1])
        if self.groups is None:
            return ArrayTable(self.X, self.targets, self.weights), None
        order = np.argsort(self.groups, kind="stable")
        X = self.X.ordered(order) if isinstance(self.X, SparseRows) else self.X[order]
        return GroupedTable(X, self.targets[order], self.weights[order], self.groups[order]), order

    @property
    def _marks(self) -> Array:
        """What tells rows with equal inputs apart, (n, k)."""
        return self.targets

    def merged(self, *, counts: bool = False, pairwise: bool = False) -> Self:
        """Return the rows with the weight of all copies of a row on the first of them, and none on the others.

        Copies say nothing new of the noise, and must leave together in leave-one-out. Groups that are copies of
        each other are one; other copies in different groups are left as they are.

        Parameters
        ----------
        counts : bool
            Whether a machine takes weights for numbers of rows. All weights are then divided by the same number, so
            that they sum to no more than the distinct rows; except for rows of a few categories, which repeat by
            themselves.
        pairwise : bool
            Whether ``X`` holds kernel values: rows are then equal if they are the same point.
        """
        inputs = equal_points(self.X)[:, None] if pairwise else self.X
        tables: list[Any] = [inputs, self._marks]
        groups = joined_groups(self.groups, self.kept, *tables)
        tables += [] if groups is None else [groups[:, None]]
        origin = copied_rows(*tables, among=np.flatnonzero(self.kept))
        weights = np.asarray(np.bincount(origin, self.weights, minlength=len(self.weights)), dtype=float)
        distinct = np.flatnonzero(weights > 0.0)
        share = float(weights.sum()) / len(distinct)
        if counts and share > 1.0 and beyond_chance(*tables, rows=distinct, times=weights[distinct]):
            weights = weights / share
        return replace(self, weights=weights, kept=weights > 0.0, groups=groups, origin=origin)

    @property
    def remark(self) -> str:
        """What a status says of copies, nothing if there are none."""
        return remark_on_copies(self.origin)

    def in_time(
        self,
        machine: Machine[Any],
        deadline: Deadline,
        *,
        pairwise: bool = False,
        whole: bool = False,
        spreads: bool = False,
    ) -> tuple[Self, Deadline]:
        """Return the rows that there is time for, all of them without a limit, and when the search has to end.

        Parameters
        ----------
        machine : Machine
            What is trained on them.
        deadline : Deadline
        pairwise : bool
            Whether ``X`` holds kernel values.
        whole : bool
            Whether no row may be dropped.
        spreads : bool
            Whether rows that are dropped are predicted with their variance.
        """
        if not np.isfinite(deadline.left()):
            return self, deadline
        pace, total, n_outputs = Pace.measured(), self.n_weighted, self.targets.shape[1]
        count = total if whole else rows_in_time(machine, total, n_outputs, deadline, pace, spreads=spreads)
        searching = deadline.earlier(_AFTERWARDS * pace.seconds(machine, count, n_outputs))
        if count == total:
            return self, searching
        kept = np.zeros(len(self.X), dtype=bool)
        kept[self._chosen(count, pairwise=pairwise)] = True
        return replace(self, kept=kept, dropped=total - int(kept.sum())), searching

    def _chosen(self, count: int, *, pairwise: bool) -> Indices:
        """Return about ``count`` of the kept rows: of every class its share, two at least, and of groups whole ones."""
        inputs = self.X.sum(axis=1, keepdims=True) if pairwise else self.X
        share = count / self.n_weighted
        orders = [hashed_order(inputs, rows) for rows in self._strata]
        if self.groups is None:
            return np.concatenate([spaced(order, max(round(share * len(order)), 2)) for order in orders])
        whole = Groups(self.groups).part(hashed_order(inputs, self.kept), count)
        rows = np.flatnonzero(self.kept)
        # Without a row of each of two groups no group can be left out.
        of_two = rows[np.unique(self.groups[rows], return_index=True)[1][:2]]
        return np.concatenate([whole, *(spaced(order, 2) for order in orders), of_two])

    @property
    def _strata(self) -> list[Mask]:
        """Kept rows of which each kind has to stay."""
        return [self.kept]

    def described(self, selection: Selection) -> Selection:
        """Return the selection with what is to be said of the rows; doubtful if there was no time for all of them."""
        selection = selection.with_remark(self.remark)
        if not self.dropped:
            return selection
        remark = f"there was time for {self.n_weighted} of {self.n_weighted + self.dropped} rows (time_limit)"
        return replace(selection.with_remark(remark), outcome=Status.TIME_LIMIT)

    def expanded(self, values: Array) -> Array:
        """Return values (n, ...) of all rows, those of a copy from the row that stands for it."""
        return values if self.origin is None else values[self.origin]

    def rows(self, *, pairwise: bool = False, order: Indices | None = None) -> Rows:
        """Return the rows of positive weight, in an order of theirs; of kernel values also the same columns only."""
        kept = np.flatnonzero(self.kept)
        kept = kept if order is None else kept[order]
        X = self.X[np.ix_(kept, kept)] if pairwise else self.X[kept]  # copies: the caller's table may change
        groups = None if self.groups is None else Groups(self.groups[kept])
        return Rows(X=np.asarray(X, dtype=float), targets=self.targets[kept], weights=self.weights[kept], groups=groups)


Data = TypeVar("Data", bound=Training)


@dataclass(frozen=True, kw_only=True)
class LabelledTraining(Training):
    """Rows with labels: the classes, and the index of every row's class among them."""

    classes: Any
    index: Indices

    @property
    def _marks(self) -> Array:
        return self.index[:, None].astype(float)

    @property
    def _strata(self) -> list[Mask]:
        return [self.kept & (self.index == each) for each in range(len(self.classes))]


def labelled(
    estimator: Estimator,
    X: Any,
    y: Any,
    sample_weight: Any,
    class_weight: object,
    *,
    counts: bool = True,
    as_it_is: bool = False,
) -> LabelledTraining:
    """Return the rows of a classification.

    ``counts``: a weight of 2 is a row twice, or twice its slack; ``as_it_is``: inputs in single precision are not
    copied into double, and rows of a sparse matrix are read in blocks.
    """
    require_one_label(y)
    dtype = PRECISIONS if as_it_is else np.float64
    X, y = validate_data(estimator, X, y, dtype=dtype, in_blocks=as_it_is, ensure_min_samples=2)
    classes, index, targets = encode_labels(y)
    weights = _checked_weights(sample_weight, X, counts=counts) * class_weights(class_weight, classes, index)
    require_classes(classes[np.bincount(index, weights) <= 0.0].tolist())
    return LabelledTraining(X=X, targets=targets, weights=weights, kept=_kept(weights), classes=classes, index=index)


def measured(
    estimator: Estimator,
    X: Any,
    y: Any,
    sample_weight: Any,
    *,
    several: bool,
    counts: bool,
    as_it_is: bool = False,
) -> Training:
    """Return the rows of a regression.

    ``several``: there may be more than one target; ``counts``: a weight of 2 is a row twice; ``as_it_is``: inputs in
    single precision are not copied into double, and rows of a sparse matrix are read in blocks.
    """
    refuse_limits(y, type(estimator).__name__)
    dtype = PRECISIONS if as_it_is else np.float64
    options: dict[str, Any] = {"multi_output": several, "y_numeric": True, "ensure_min_samples": 2}
    X, y = validate_data(estimator, X, y, dtype=dtype, in_blocks=as_it_is, **options)
    y, weights = np.asarray(y, dtype=float), _checked_weights(sample_weight, X, counts=counts)
    targets = y.reshape(len(y), -1)
    require_size(targets)
    if counts and weights.mean() > _LARGEST_COUNT:
        raise InvalidArgument(
            f"sample_weight has a mean of {weights.mean():.3g}: weights count rows here, and rows repeated more than "
            f"{_LARGEST_COUNT:.0f} times leave no noise to estimate, so divide the weights by a constant."
        )
    return Training(X=X, targets=targets, weights=weights, kept=_kept(weights), single=y.ndim == 1)


def remark_on_copies(origin: Indices | None) -> str:
    """Return a sentence on how many rows are copies of others, nothing if there are none."""
    count = 0 if origin is None else int(np.sum(origin != np.arange(len(origin))))
    if count < 2:
        return "1 row is a copy of another and counts with it" if count else ""
    return f"{count} rows are copies of others and count with them"


def _checked_weights(sample_weight: Any, X: Array, *, counts: bool) -> Array:
    weights = check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    positive = weights[weights > 0.0]
    if len(positive):
        check_weights(positive.min(), positive.max(), positive.sum(), float(np.median(positive)), counts=counts)
    return np.asarray(weights, dtype=float)


def check_weights(smallest: float, largest: float, total: float, median: float, *, counts: bool) -> None:
    """Raise if the positive weights are more than double precision can weigh up, or have an odd unit."""
    if largest > _LARGEST_RATIO * smallest:
        raise InvalidArgument(
            f"sample_weight ranges from {smallest:.3g} to {largest:.3g}, which is more than double precision can weigh "
            f"up: keep the ratio below {_LARGEST_RATIO:.0e}, or set the small ones to 0."
        )
    if total > largest > _LARGEST_SHARE * total:
        raise InvalidArgument(
            f"sample_weight gives one row {largest:.3g} of a total of {total:.3g}, so that all others count for "
            "nothing: give it less weight."
        )
    unit = _LARGEST_MEDIAN_COUNT if counts else _LARGEST_MEDIAN
    if not 1.0 / unit <= median <= unit:
        raise InvalidArgument(
            f"sample_weight has a median of {median:.3g}: divide the weights by a constant, so that most of them are "
            "about 1."
        )


def require_classes(empty: list[Any]) -> None:
    """Raise if classes have no row of positive weight."""
    if empty:
        raise InvalidArgument(
            f"sample_weight leaves class {empty[0]!r} without a row: give each class a row of positive weight, or "
            "leave the class out of y."
        )


def require_two(count: int) -> None:
    """Raise if fewer than two rows have positive weight."""
    if count < 2:
        raise InvalidArgument(f"sample_weight leaves {count} row(s) of positive weight: at least 2 are needed.")


def _kept(weights: Array) -> Mask:
    """Return the rows of positive weight, at least two."""
    kept = np.asarray(weights > 0.0)
    require_two(int(kept.sum()))
    return kept
