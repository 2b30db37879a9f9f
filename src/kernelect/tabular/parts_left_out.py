"""Errors of a fitted model on parts of its rows that are left out together, for any parts, without a refit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kernelect.facts.names import plain_name
from kernelect.facts.numbers import percent, score_words
from kernelect.model import Component, ExactJackknife, LabelHead, Model
from kernelect.tabular.rows import TableRows
from kernelect.typing import Array, Indices

#: How often random parts are drawn, deviations of their mean square by which that of other parts has to be larger, and
#: how many times the score has to be as large.
_DRAWS, CLEARLY, _MARKED = 40, 4.0, 1.1

#: Share of the error by which single rows have to be easier than whole groups, so that it is told.
_EASIER = 0.02


@dataclass(frozen=True)
class PartsLeftOut:
    """The heaviest least-squares component that has all rows, at its selected hyper-parameters."""

    component: Component
    model: Model
    y: Array

    @classmethod
    def of(cls, model: Model, rows: TableRows) -> PartsLeftOut | None:
        """Return it; None if there is none."""
        for place in np.argsort(-model.head.weights, kind="stable"):
            component = model.components[place]
            if isinstance(component.spread, ExactJackknife) and len(component.spread.rows) == len(rows.y):
                return cls(component, model, rows.y.to_numpy())
        return None

    def residuals(self, partitions: Sequence[Indices]) -> list[Array]:
        """Return residuals (n, k) of rows left out with their part, for several ways to part the rows."""
        assert isinstance(self.component.spread, ExactJackknife)
        return self.component.spread.residuals_without(self.component.kernel_part, list(partitions))

    @property
    def score(self) -> str:
        """Name of the score."""
        return "error" if isinstance(self.model.head, LabelHead) else "RMSE"

    def scores(self, residuals: Sequence[Array]) -> list[float]:
        """Return the score for every way to leave rows out; an RMSE is on the scale of the component."""
        if not isinstance(self.model.head, LabelHead):
            return [float(np.sqrt(np.mean(each**2))) for each in residuals]
        classes, index = self.model.head.classes, np.unique(self.y, return_inverse=True)[1]
        if len(classes) == 2:
            signs = 2.0 * index - 1.0
            return [float(np.mean((signs - each[:, 0]) * signs <= 0.0)) for each in residuals]
        signs = np.where(index[:, None] == np.arange(len(classes)), 1.0, -1.0)
        return [float(np.mean(np.argmax(signs - each, axis=1) != index)) for each in residuals]

    def harder(self, index: Indices) -> tuple[float, float] | None:
        """Return the scores of parts (n,) and of random parts of the same sizes, if those are clearly easier."""
        generator = np.random.default_rng(0)
        residuals = self.residuals([index, *(generator.permutation(index) for _ in range(_DRAWS))])
        squares = np.array([float(np.mean(each**2)) for each in residuals])
        if squares[0] <= squares[1:].mean() + CLEARLY * squares[1:].std(ddof=1):
            return None
        own, *others = self.scores(residuals)
        random = float(np.mean(others))
        return (own, random) if own > _MARKED * random else None


def remarks_on_single_rows(model: Model, rows: TableRows, group: str | None) -> list[str]:
    """Return a remark on what single rows left out would say in the place of whole groups."""
    found = None if group is None or rows.groups is None else PartsLeftOut.of(model, rows)
    if found is None or rows.groups is None:
        return []
    whole, single = found.scores(found.residuals([rows.groups, np.arange(len(rows.y))]))
    if single >= (1.0 - _EASIER) * whole:
        return [
            f"Single rows are as hard to predict as all rows of one {plain_name(group)}: scores by row would be no "
            "better."
        ]
    if found.score == "error":
        figures = f"the error would be {score_words('error', single)} in the place of {score_words('error', whole)}"
    else:
        figures = f"the RMSE would be {percent(1.0 - single / whole, 0)} smaller"
    return [
        f"If single rows were left out, not all rows of one {plain_name(group)}, {figures}: predictions are that good "
        f"only for more rows of the same {plain_name(group)}."
    ]
