"""Early stopping: takes the point along a search with the smallest error on held-out rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kernelect.criteria import Criterion
from kernelect.machines import Machine
from kernelect.results import Selection, Trace
from kernelect.selection.lead import Lead
from kernelect.selection.objective import SelectionObjective
from kernelect.selection.parts import select
from kernelect.selection.run import SelectionOptions
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
    where = f"on {len(part.weights)} validation rows"
    return _stopped(smaller, selection, lambda theta: part.loss(smaller, theta), where), smaller


def select_stopped_left_out(
    objective: SelectionObjective, options: SelectionOptions, judge: Criterion, lead: Lead | None = None
) -> tuple[Selection, SelectionObjective]:
    """Select on all rows and stop where they are predicted best without themselves, by a criterion of that kind.

    Parameters
    ----------
    objective : SelectionObjective
    options : SelectionOptions
    judge : Criterion
        Its pointwise values are log probabilities of labels without their rows, (n, k).
    lead : Lead, optional
    """
    selection, objective = select(objective, options, lead)

    def loss(theta: Array) -> tuple[float, float]:
        found = judge.value(objective.solved(theta))
        likely = np.exp(found.pointwise)
        if likely.shape[1] == 1:
            wrong = likely[:, 0] < 0.5
        else:  # of every class, the probability of the label +1
            likely = np.where(objective.targets > 0, likely, 1.0 - likely)
            wrong = np.argmax(likely, axis=1) != np.argmax(objective.targets, axis=1)
        return float(np.average(wrong, weights=objective.weights)), found.value

    return _stopped(objective, selection, loss, "of rows left out one by one"), objective


def _stopped(
    objective: SelectionObjective, selection: Selection, loss: Callable[[Array], tuple[float, float]], where: str
) -> Selection:
    """Return the selection at the improvement, of all its searches, with the smallest error (then the second loss)."""
    rows = _improvements(selection.trace)
    losses = {row: loss(selection.trace.theta[row]) for row in rows}
    best = min(rows, key=losses.__getitem__)
    errors = np.full(len(selection.trace), np.nan)
    errors[rows] = [losses[row][0] for row in rows]
    remark = f"taken from evaluation {best + 1} of {len(selection.trace)}, with the smallest error {where}"
    theta = selection.trace.theta[best]
    return replace(
        selection.with_remark(remark),
        theta=theta,
        value=objective.value(theta),
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
