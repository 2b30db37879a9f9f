"""Early stopping: takes the point along a search with the smallest error on held-out rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kernelect.machines import Machine
from kernelect.results import Selection, Trace
from kernelect.selection.objective import SelectionObjective
from kernelect.selection.run import SelectionOptions
from kernelect.selection.select import select
from kernelect.typing import Array, Indices


@dataclass(frozen=True, kw_only=True)
class ValidationPart:
    """Rows that the search does not see."""

    inputs: Array  # kernel values against the rows searched on, for a precomputed kernel
    targets: Array
    weights: Array
    machine: Machine[Any]  # the one that predicts

    @classmethod
    def of(
        cls, objective: SelectionObjective, searched: Indices, aside: Indices, machine: Machine[Any]
    ) -> ValidationPart:
        """Take the rows ``aside`` of an objective of which ``searched`` are searched on."""
        X = objective.X
        return cls(
            inputs=X[np.ix_(aside, searched)] if objective.pairwise else X[aside],
            targets=objective.targets[aside],
            weights=objective.weights[aside],
            machine=machine,
        )

    def loss(self, objective: SelectionObjective, theta: Array) -> tuple[float, float]:
        """Return the error rate at ``theta``, and the mean slack to decide between equals."""
        fitted = objective.solved_by(self.machine, theta)
        cross = objective.kernel_at(theta).cross(objective.X, self.inputs)
        decision = self.machine.decide(fitted.state, cross)
        if decision.shape[1] == 1:
            wrong = (decision[:, 0] > 0) != (self.targets[:, 0] > 0)
        else:
            wrong = np.argmax(decision, axis=1) != np.argmax(self.targets, axis=1)
        slacks = np.maximum(1.0 - self.targets * decision, 0.0).mean(axis=1)
        return float(np.average(wrong, weights=self.weights)), float(np.average(slacks, weights=self.weights))


def select_stopped_early(
    objective: SelectionObjective,
    options: SelectionOptions,
    *,
    searched: Indices,
    aside: Indices,
    machine: Machine[Any],
) -> tuple[Selection, SelectionObjective]:
    """Select on some of the rows and stop where the machine predicts the others best.

    Parameters
    ----------
    objective : SelectionObjective
        The objective of all rows.
    options : SelectionOptions
    searched, aside : ndarray of int
        Rows to search on, and rows to hold out.
    machine : Machine
        The machine that predicts.

    Returns
    -------
    selection : Selection
    objective : SelectionObjective
        The objective of the rows searched on, with the prior at its final state.
    """
    part = ValidationPart.of(objective, searched, aside, machine)
    selection, smaller = select(objective.on_rows(searched), options)
    return _stopped(smaller, selection, part), smaller


def _stopped(objective: SelectionObjective, selection: Selection, part: ValidationPart) -> Selection:
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
    return replace(
        selection,
        theta=theta,
        value=objective.value(theta),
        ending=sentence,
        at_bound=objective.space.at_bound(theta),
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
