"""Selection: joins and checks kernel, machine, criterion and prior, and lets a search move their parameters."""

from kernelect.selection.centres import Centres, Drawing
from kernelect.selection.early_stopping import select_stopped_early, select_stopped_left_out
from kernelect.selection.in_time import Pace, rows_in_time
from kernelect.selection.intervals import IntervalObjective, join_intervals, noise_space, ordered_space
from kernelect.selection.landscape import ParameterInfluence, influence, surface
from kernelect.selection.lead import Lead, relative_widths
from kernelect.selection.objective import SelectionObjective
from kernelect.selection.parts import select
from kernelect.selection.problem import LeastSquaresObjective, join, rows_left_out
from kernelect.selection.recalibrate import RECALIBRATED, recalibrate, recalibrated
from kernelect.selection.relevance import CentreObjective, RelevanceObjective
from kernelect.selection.run import SelectionOptions
from kernelect.selection.searching import suited_search, with_first_step, with_settled_starts
from kernelect.selection.start import (
    SCALES_BESIDE_C,
    Rows,
    Scales,
    StartedKernel,
    ridge_space,
    settle_widths,
    slack_space,
    squared_scale,
    started_as_given,
    started_in_full,
    without_outweighing,
)

__all__ = [
    "RECALIBRATED",
    "SCALES_BESIDE_C",
    "CentreObjective",
    "Centres",
    "Drawing",
    "IntervalObjective",
    "Lead",
    "LeastSquaresObjective",
    "Pace",
    "ParameterInfluence",
    "RelevanceObjective",
    "Rows",
    "Scales",
    "SelectionObjective",
    "SelectionOptions",
    "StartedKernel",
    "influence",
    "join",
    "join_intervals",
    "noise_space",
    "ordered_space",
    "recalibrate",
    "recalibrated",
    "relative_widths",
    "ridge_space",
    "rows_in_time",
    "rows_left_out",
    "select",
    "select_stopped_early",
    "select_stopped_left_out",
    "settle_widths",
    "slack_space",
    "squared_scale",
    "started_as_given",
    "started_in_full",
    "suited_search",
    "surface",
    "with_first_step",
    "with_settled_starts",
    "without_outweighing",
]
