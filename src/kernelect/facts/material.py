"""What pictures are made from, and how they are handed over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelect.export import SizeCurve
from kernelect.facts.carried import Carried
from kernelect.facts.curves import Curve, Recalls, ResidualTrend
from kernelect.facts.dependence import Dependence
from kernelect.facts.estimates import Assessment
from kernelect.facts.explanations import Interactions, ShapleyDependence, Swarm, Waterfall
from kernelect.facts.held_out import HeldOutRelevance
from kernelect.facts.history import SearchHistory, Sizes
from kernelect.facts.learning import LearningCurve
from kernelect.facts.mixtures import Weights
from kernelect.facts.names import with_input_names
from kernelect.facts.outcomes import Calibration, Confusion, Residuals
from kernelect.facts.page_record import PictureFacts
from kernelect.facts.plain import record_as_plain
from kernelect.facts.relevance import Relevance
from kernelect.facts.sources import input_names, machine_of
from kernelect.facts.surface import Landscape, Surface
from kernelect.facts.survival import SurvivalCalibration, SurvivalCurves
from kernelect.model.decisions import Decision
from kernelect.typing import Array, Indices

if TYPE_CHECKING:
    from kernelect.facts.kept import Kept

#: What a picture's kind is called -> its record.
RECORDS: dict[str, type] = {
    "relevance": Relevance,
    "held out": HeldOutRelevance,
    "dependence": Dependence,
    "confusion": Confusion,
    "residuals": Residuals,
    "calibration": Calibration,
    "trace": SearchHistory,
    "surface": Surface,
    "sizes": Sizes,
    "weights": Weights,
    "swarm": Swarm,
    "waterfall": Waterfall,
    "shapley": ShapleyDependence,
    "interactions": Interactions,
    "vectors": SizeCurve,
    "curve": Curve,
    "recalls": Recalls,
    "trend": ResidualTrend,
    "learning": LearningCurve,
    "survival": SurvivalCurves,
    "survival calibration": SurvivalCalibration,
}


@dataclass(frozen=True, kw_only=True)
class Material:
    """A fitted model and all that its pictures are made from."""

    estimator: Any
    X: Any
    y: Array
    task: str
    assessment: Assessment
    landscape: Landscape | None
    generator: np.random.Generator
    carried: Carried | None = None
    kept: Kept | None = None  # of a table model, whose machine is gone
    places: Indices | None = None  # where rows stand in a table of which some were left out

    def row_number(self, row: int) -> int:
        """Return the number of a row in its table, counted from 1."""
        return int(row if self.places is None else self.places[row]) + 1

    @property
    def machine(self) -> Any:
        """The machine itself, without what prepares its inputs."""
        return machine_of(self.estimator)

    @property
    def decision(self) -> Decision | None:
        """How probabilities become classes, where a table model says so."""
        found: Decision | None = getattr(self.estimator, "decision", None)
        return found

    @property
    def status(self) -> str:
        """How the search ended, with names of inputs in the place of numbers."""
        return with_input_names(self.machine.selection_.status, input_names(self.estimator))

    def calibration(self) -> Calibration | None:
        """Return how well probabilities of rows that were left out came true, where there are any."""
        source = self.assessment.best_source
        if source is None or source.probability is None:
            return None
        return Calibration.from_predictions(source.y_true, source.probability, classes=self.machine.classes_)


def picture(section: str, record: Any, title: str, caption: str) -> PictureFacts:
    """Return a picture of a record as plain facts."""
    kind = next(name for name, record_type in RECORDS.items() if isinstance(record, record_type))
    return PictureFacts(section=section, kind=kind, title=title, caption=caption, record=record_as_plain(record))
