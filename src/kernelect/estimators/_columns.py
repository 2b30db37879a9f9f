"""A fit to columns in an order of the data's own, told in the order in which they were given.

Sums over columns round by the order of their terms. A machine that takes functions in and out one by one may turn at
the last bit of such a sum, so that a table with its columns in other places would give another model.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from kernelect.estimators._training import Data, LabelledTraining, Training
from kernelect.kernels import Kernel
from kernelect.numerics import canonical_classes, canonical_columns, canonical_signs
from kernelect.parameters import ParameterSpace
from kernelect.results import Evaluation, Selection
from kernelect.selection import SelectionObjective
from kernelect.selection.landmarks import LandmarkRequest
from kernelect.typing import Array, Indices, Observer

Request = TypeVar("Request", LandmarkRequest, LandmarkRequest | None)


@dataclass(frozen=True, kw_only=True)
class ColumnOrder:
    """Columns are fitted in the order ``fitted`` of those given; ``given`` is the way back."""

    fitted: Indices
    given: Indices

    @classmethod
    def of(cls, data: Training, kernel: Kernel, marks: Array) -> ColumnOrder:
        """Return the data's own order, or the given one if the kernel may distinguish columns by their places.

        ``marks`` (n, k) distinguish rows besides their inputs; see :func:`~kernelect.numerics.canonical_signs`.
        """
        as_given = np.arange(data.X.shape[1])
        if kernel.reordered(as_given) is None:
            return cls(fitted=as_given, given=as_given)
        X = data.X[data.kept]
        fitted = canonical_columns(canonical_signs(X, marks[data.kept]) * X)
        return cls(fitted=fitted, given=np.argsort(fitted))

    @property
    def is_given(self) -> bool:
        """Whether columns are fitted as they were given."""
        return np.array_equal(self.fitted, np.arange(len(self.fitted)))

    def columns_of(self, data: Data) -> Data:
        """Return the data as they are fitted."""
        return replace(data, X=np.take(data.X, self.fitted, axis=1))

    def points_of(self, request: Request) -> Request:
        """Return a request for landmarks whose points, if they are given, have the fitted columns."""
        if request is None or request.points is None:
            return request
        return replace(request, points=np.take(request.points, self.fitted, axis=1))

    def inside(self, kernel: Kernel) -> Kernel:
        """Return a kernel of the given columns as one of the fitted ones."""
        return _reordered(kernel, self.fitted)

    def outside(self, kernel: Kernel) -> Kernel:
        """Return a kernel of the fitted columns as one of the given ones."""
        return _reordered(kernel, self.given)

    def space(self, kernel: Kernel, X: Array) -> ParameterSpace:
        """Return the parameters of a kernel of the fitted columns, with the numbers of given ones in their names."""
        return kernel.space(X) if self.is_given else kernel.space(X).named_by(self.fitted.tolist())

    def places(self, objective: SelectionObjective) -> Indices:
        """Return where the entries of theta, as it is told, are among those of the objective on fitted columns."""
        if self.is_given:
            return np.arange(len(objective.space))
        fitted = self.space(objective.kernel, objective.X).names
        told = self.outside(objective.kernel).space(objective.X[:, self.given]).names
        others = range(len(told), len(objective.space))  # such as C, which comes after the kernel
        return np.array([*(fitted.index(name) for name in told), *others], dtype=np.intp)


@dataclass(frozen=True, kw_only=True)
class LabelOrder(ColumnOrder):
    """The same for rows with labels, whose outputs are also fitted in an order of the data's own.

    ``outputs`` is the way from the fitted outputs back to the order of the classes.
    """

    outputs: Indices

    @classmethod
    def of_labels(
        cls, data: LabelledTraining, kernel: Kernel, *, pairwise: bool
    ) -> tuple[LabelOrder, LabelledTraining]:
        """Return the order, and the data as they are fitted."""
        columns, kept, outputs = ColumnOrder.of(data, kernel, np.zeros_like(data.targets)), data.kept, np.zeros(1, int)
        if data.targets.shape[1] > 1:
            X = data.X[kept]
            outputs = canonical_classes(np.sort(X, axis=1) if pairwise else X, data.index[kept], data.weights[kept])
        order = cls(fitted=columns.fitted, given=columns.given, outputs=outputs)
        return order, replace(order.columns_of(data), targets=data.targets[:, np.argsort(outputs)])


def _reordered(kernel: Kernel, columns: Indices) -> Kernel:
    reordered = kernel.reordered(columns)
    return kernel if reordered is None else reordered


def told(selection: Selection, places: Indices) -> Selection:
    """Return the record with the entries of theta in other places."""
    names = tuple(selection.names[place] for place in places)
    return replace(
        selection,
        theta=selection.theta[places],
        names=names,
        at_bound=tuple(name for name in names if name in selection.at_bound),
        trace=replace(selection.trace, theta=selection.trace.theta[:, places]),
        optima=selection.optima[:, places],
    )


def telling(observe: Observer | None, places: Indices) -> Observer | None:
    """Return the observer of a search whose theta has its entries in other places than the observer knows."""
    if observe is None:
        return None

    def tell(row: Evaluation) -> None:
        observe(replace(row, theta=row.theta[places]))

    return tell
