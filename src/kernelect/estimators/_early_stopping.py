"""Early stopping: of the points along a search, the one with the smallest error on rows set aside."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedShuffleSplit

from kernelect.exceptions import InvalidArgument
from kernelect.machines import Machine
from kernelect.results import Selection, Trace
from kernelect.selection import SelectionObjective
from kernelect.selection.objective import Memory
from kernelect.typing import Array, Indices


@dataclass(frozen=True)
class ValidationPart:
    """Rows that the search does not see."""

    inputs: Array  # kernel values against the rows searched on, for a precomputed kernel
    targets: Array
    weights: Array
    machine: Machine[Any]  # the one that predicts

    def loss(self, objective: SelectionObjective, theta: Array) -> tuple[float, float]:
        """Return the error rate at ``theta``, and the mean slack to decide between equals."""
        fitted = replace(objective, machine=self.machine, memory=Memory()).solved(theta)
        cross = objective.kernel_at(theta).cross(objective.X, self.inputs)
        decision = self.machine.decide(fitted.state, cross)
        if decision.shape[1] == 1:
            wrong = (decision[:, 0] > 0) != (self.targets[:, 0] > 0)
        else:
            wrong = np.argmax(decision, axis=1) != np.argmax(self.targets, axis=1)
        slacks = np.maximum(1.0 - self.targets * decision, 0.0).mean(axis=1)
        return float(np.average(wrong, weights=self.weights)), float(np.average(slacks, weights=self.weights))


def validation_split(index: Indices, fraction: object, seed: int) -> tuple[Indices, Indices]:
    """Return rows to search on and rows to set aside, each class in both in its share."""
    if not isinstance(fraction, Real) or isinstance(fraction, bool) or not 0.0 < fraction < 1.0:
        raise InvalidArgument(
            f"validation_fraction={fraction!r} is not possible: give a number between 0 and 1, such as 0.2."
        )
    split = StratifiedShuffleSplit(1, test_size=float(fraction), random_state=seed)
    try:
        searched, aside = next(split.split(np.zeros(len(index)), index))
    except ValueError as problem:
        raise InvalidArgument(
            f"validation_fraction={fraction!r} of {len(index)} rows leaves a class without rows to search on or to "
            "validate: change it, or use early_stopping=False."
        ) from problem
    return np.sort(searched), np.sort(aside)


def stopped_early(objective: SelectionObjective, selection: Selection, part: ValidationPart) -> Selection:
    """Return the selection at the improvement, of all its searches, with the smallest validation error."""
    rows = _improvements(selection.trace)
    losses = {row: part.loss(objective, selection.trace.theta[row]) for row in rows}
    best = min(rows, key=losses.__getitem__)
    errors = np.full(len(selection.trace), np.nan)
    errors[rows] = [losses[row][0] for row in rows]
    sentence = (
        f"{selection.ending}; taken from evaluation {best + 1} of {len(selection.trace)}, with the smallest error "
        f"on {len(part.weights)} validation rows"
    )
    theta = selection.trace.theta[best]
    at_bound = objective.space.at_bound(theta)
    return replace(
        selection,
        theta=theta,
        value=objective.value(theta),
        ending=sentence,
        at_bound=at_bound,
        validation_error=errors,
    )


def _improvements(trace: Trace) -> list[int]:
    """Return the evaluations that were the best of their run so far."""
    found = []
    for run in np.unique(trace.run):
        best = np.inf
        for row in np.flatnonzero(trace.run == run):
            if trace.value[row] < best:
                best = trace.value[row]
                found.append(int(row))
    return found
