"""Fits a machine to many rows: finds widths on a part, then uses all rows with as many landmarks as they need."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from kernelect.criteria.calibration import calibrated_log_loss, classes_of
from kernelect.kernels import Kernel
from kernelect.machines.lssvm.left_out import LeftOut
from kernelect.numerics import Deadline
from kernelect.results import Selection
from kernelect.selection.centres import rounded
from kernelect.selection.landmarks.number import HowMany, Ridge, rows_within
from kernelect.selection.landmarks.objective import LandmarkObjective, row_form
from kernelect.selection.landmarks.request import LandmarkRequest
from kernelect.selection.landmarks.stages import (
    GIVEN_STAGES,
    MORE_LANDMARKS,
    MORE_ROWS,
    PART_LANDMARKS,
    landmark_stages,
)
from kernelect.selection.landmarks.table import RowTable, Sample
from kernelect.selection.landmarks.whole import JUDGED, AllLeftOut, Landmarks, Score, WholeTable
from kernelect.selection.lead import Lead
from kernelect.selection.objective import SelectionObjective
from kernelect.selection.recalibrate import recalibrated
from kernelect.selection.run import SelectionOptions, carried_out
from kernelect.selection.start import sampled_part

#: Share of a time limit that the selection on a part of the rows may use.
_SHARE_OF_TIME = 0.5


@dataclass(frozen=True)
class LandmarkFit:
    """A machine on landmarks, selected and fitted on all rows.

    Attributes
    ----------
    selection : Selection
    kernel : Kernel
    landmarks : Landmarks
    left_out : AllLeftOut
        The machine with every row left out; with a row of weight 0 nothing has to be.
    sample : Sample
        Rows that stand for all.
    """

    selection: Selection
    kernel: Kernel
    landmarks: Landmarks
    left_out: AllLeftOut
    sample: Sample


@dataclass(frozen=True)
class LandmarkFitting:
    """The way to such a machine.

    Attributes
    ----------
    table : RowTable
        All rows.
    exact : SelectionObjective
        Of the exact machine on the rows of ``sample``.
    sample : Sample
        At most as many rows as landmarks are chosen among.
    request : LandmarkRequest
    options : SelectionOptions
    labelled : bool
        Whether targets stand for classes and ridge and overall width are to be refined by the log-loss.
    lead : Lead, optional
        What another selection on the same rows found.
    unit : float
        By which targets have been divided; the record of the selection speaks of the targets themselves.
    """

    table: RowTable
    exact: SelectionObjective
    sample: Sample
    request: LandmarkRequest
    options: SelectionOptions
    labelled: bool = False
    lead: Lead | None = None
    unit: float = 1.0

    @cached_property
    def seed(self) -> int:
        """A number from the generator of the options, for the choice of landmarks."""
        return int(self.options.generator.integers(np.iinfo(np.int32).max))

    @property
    def deadline(self) -> Deadline:
        """When the fit has to end."""
        return self.options.deadline

    def run(self) -> LandmarkFit:
        """Select and fit."""
        began, seed = time.monotonic(), self.seed  # drawn before anything else is
        selection, objective = self._selected()
        kernel = objective.kernel_at(selection.theta)
        level = np.average(self.sample.targets, axis=0, weights=self.sample.weights)
        few = rows_within(self.deadline, JUDGED)
        whole = WholeTable(self.table, kernel, level, self._score(objective), judged=few)
        ridge = Ridge.of(objective.space, selection.theta)
        how_many = HowMany(whole, self.request, self.sample, rounded(kernel, objective.space), ridge, self.deadline)
        landmarks, log_ridge, words = how_many.found(seed)
        left_out = whole.left_out(landmarks, log_ridge, row_form(objective))
        theta = np.append(selection.theta[:-1], log_ridge)
        value = objective.value_with(theta, left_out.value, self.sample, self.table.n_weighted, self.unit)
        selection = objective.in_units(selection, self.unit)
        selection = replace(selection, seconds=time.monotonic() - began).moved_to(
            theta,
            value,
            objective.at_bound(theta),
            label="all rows",
            remark=words,
            observe=self.options.observe,
        )
        return LandmarkFit(selection, kernel, landmarks, left_out, self.sample)

    def _selected(self) -> tuple[Selection, LandmarkObjective]:
        """Return what a part of the rows selects."""
        rows = sampled_part(self.sample.X, self.exact.criterion.groups, MORE_ROWS)
        part = self.exact.on_rows(rows)
        part = part if self.lead is None else self.lead.followed(part)
        points, stages = self.request.points, GIVEN_STAGES
        if points is None:
            few, more = (min(count, self.request.first) for count in (PART_LANDMARKS, MORE_LANDMARKS))
            if self.labelled and self.lead is not None and self.lead.start is not None:
                more = few  # of labels few tell where to go on from a part of the rows, in a third of the time
            points, stages = part.X[:1], landmark_stages(few, more, self.seed, self.lead)
        options = replace(self.options, deadline=self.deadline.part(_SHARE_OF_TIME))
        selection, objective = carried_out(stages, LandmarkObjective.of(part, points), options, self.lead)
        assert isinstance(objective, LandmarkObjective)
        if self.labelled:
            labels = classes_of(self.sample.targets[rows])
            selection = recalibrated(selection, objective, labels, self.deadline.part(0.5), self.options.observe)
        return selection, objective

    def _score(self, objective: LandmarkObjective) -> Score:
        """Return what ridges are compared by: the criterion, or the log-loss if that has the last word."""
        criterion = row_form(objective)
        return _log_loss if self.labelled else lambda block, _: criterion.value_of(block)


def _log_loss(block: LeftOut, sample: Sample) -> float:
    decision = sample.targets - block.residuals
    return calibrated_log_loss(decision, classes_of(sample.targets), sample.weights)
