"""Orthogonal least squares: forward selection by the training error, with a separate stopping rule.

The next function is the one that leaves the smallest sum of squares once the targets and all
candidates are made orthogonal to the model. In the factored model's letters that is the largest
Q^2 / S at lambda = 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from kernelect.exceptions import InvalidArgument, OutOfTime, unknown_name
from kernelect.subsets.factored import EXPLAINED, FactoredModel
from kernelect.subsets.holdout import Holdout
from kernelect.subsets.moments import SubsetMoments
from kernelect.subsets.results import SubsetModel
from kernelect.subsets.strategies import Strategy
from kernelect.subsets.walk import Walk
from kernelect.typing import Array

#: lambda in units of the largest squared norm: small enough to be least squares to 1e-9.
_ALMOST_ZERO = 1e-12


@dataclass(frozen=True)
class OLS(Strategy):
    """Orthogonal least squares (Chen, Cowan & Grant 1991) with a stop by validation or evidence.

    Parameters
    ----------
    stop : "validation" or "evidence"
        Where to cut the path: at the smallest error on held-out rows (the functions are then fitted
        again to all rows), or at the largest evidence.
    share : float, default=0.2
        Share of the rows that ``stop="validation"`` holds out.
    """

    stop: Literal["validation", "evidence"] = "validation"
    share: float = 0.2

    least_squares: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.stop not in ("validation", "evidence"):
            raise unknown_name("stop", self.stop, ["validation", "evidence"])
        if not 0.0 < self.share < 1.0:
            raise InvalidArgument(f"share={self.share!r} must be a number between 0 and 1, such as 0.2.")

    @property
    def holdout_share(self) -> float:
        return self.share if self.stop == "validation" else 0.0

    def run(self, walk: Walk) -> SubsetModel:
        return self._by_validation(walk) if self.stop == "validation" else self._by_evidence(walk)

    def _by_evidence(self, walk: Walk) -> SubsetModel:
        model = least_squares_model(walk.moments)
        while not walk.beyond(len(walk.best)) and len(walk) < walk.max_size:
            column = next_function(model)
            if column is None:
                break
            model.add(column)
            walk.add(column)
        return walk.best

    def _by_validation(self, walk: Walk) -> SubsetModel:
        holdout = walk.holdout
        if holdout is None:
            raise InvalidArgument("OLS(stop='validation') was given no rows to validate on: use OLS(stop='evidence').")
        columns = {int(function): column for column, function in enumerate(walk.moments.candidates)}
        # A column may be null or repeated in one part of the rows only.
        path = [columns[function] for function in validated_path(walk, holdout) if function in columns]
        try:
            for column in path:
                walk.add(column)
            walk.check_clock()  # the path may have been cut short by it
        except OutOfTime:
            walk.go_to(walk.model(path))
            raise
        return walk.model(path)


def validated_path(walk: Walk, holdout: Holdout) -> list[int]:
    """Return the functions, in order, up to the smallest error on held-out rows."""
    model = least_squares_model(holdout.training)
    errors, best = [float(holdout.aside.energy.sum() / holdout.aside.n_rows)], 0
    most = min(walk.max_size, len(holdout.training), int(holdout.training.n_rows) - 1)
    while len(model) < most and len(model) <= best + _patience(walk, best):
        column = next_function(model)
        if column is None or (len(model) and walk.out_of_time()):
            break
        model.add(column)
        errors.append(holdout.error(np.array(model.chosen, dtype=np.intp), model.coefficients()))
        best = int(np.argmin(errors))
    return [int(j) for j in holdout.training.candidates[model.chosen[:best]]]


def _patience(walk: Walk, best: int) -> int:
    """Return how many functions beyond the best to try: more than a search by the evidence needs.

    The error aside is noisy along the path: with the evidence's patience kin-8nm ended at 60 functions
    where the smallest error has 170.
    """
    patience = walk.options.patience
    return max(100, best) if patience == "auto" else patience


def least_squares_model(moments: SubsetMoments) -> FactoredModel:
    """Return an empty model whose lambda is practically 0."""
    model = FactoredModel(moments)
    model.reset(np.zeros(0, dtype=np.intp), _ALMOST_ZERO * float(np.diagonal(moments.gram).max()))
    return model


def next_function(model: FactoredModel) -> int | None:
    """Return the column that leaves the smallest sum of squares, None if all are explained."""
    reductions: Array = np.sum(model.pull**2, axis=1) / np.maximum(model.spare, np.finfo(float).tiny)
    reductions[model.spare < EXPLAINED * np.diagonal(model.moments.gram)] = -np.inf
    reductions[model.chosen] = -np.inf
    best = int(np.argmax(reductions))
    return best if np.isfinite(reductions[best]) else None
