"""The pictures of a model as records, each with what it shows and what to see in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from kernelect.exceptions import MissingCapability
from kernelect.facts.dependence import Dependence
from kernelect.facts.estimates import Assessment
from kernelect.facts.history import SearchHistory, Sizes
from kernelect.facts.mixtures import Weights
from kernelect.facts.names import with_input_names
from kernelect.facts.numbers import number
from kernelect.facts.outcomes import Calibration, Confusion, Residuals
from kernelect.facts.plain import record_as_plain
from kernelect.facts.record import PictureFacts
from kernelect.facts.relevance import Relevance, most_relevant, relevance_by_column
from kernelect.facts.sources import input_names, machine_of, require_selection
from kernelect.facts.surface import Landscape, Surface
from kernelect.typing import Array

#: Bars of the relevance picture, and from how many columns a table has many.
_BARS, MANY_COLUMNS = 20, 14

#: Columns with a partial dependence of their own, and how many in a table of many columns.
_DEPENDENCES, _DEPENDENCES_OF_MANY = 3, 4

#: Points along each side of the criterion surface: most where an evaluation has a closed form, fewest where it is
#: a search of its own.
_SIDES = {"LSSVC": 15, "LSSVR": 15, "SVC": 11, "GPC": 11, "RVC": 9, "RVR": 9}

#: What a picture's kind is called -> its record.
RECORDS: dict[str, type] = {
    "relevance": Relevance,
    "dependence": Dependence,
    "confusion": Confusion,
    "residuals": Residuals,
    "calibration": Calibration,
    "trace": SearchHistory,
    "surface": Surface,
    "sizes": Sizes,
    "weights": Weights,
}


@dataclass(frozen=True, kw_only=True)
class Material:
    """A fitted model (and the pipeline in it, where it is a table model) and all that its pictures are made from."""

    model: Any
    estimator: Any
    X: Any
    y: Array
    task: str
    assessment: Assessment
    landscape: Landscape | None
    generator: np.random.Generator

    @property
    def machine(self) -> Any:
        """The machine itself, without what prepares its inputs."""
        return machine_of(self.estimator)

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


def draw_up(material: Material) -> list[PictureFacts]:
    """Return all pictures that this machine has."""
    pictures: list[PictureFacts] = []
    for builder in _BUILDERS:
        try:
            pictures.extend(builder(material))
        except MissingCapability:  # this machine has no such picture
            continue
    return pictures


def _picture(section: str, record: Any, title: str, caption: str) -> PictureFacts:
    kind = next(name for name, record_type in RECORDS.items() if isinstance(record, record_type))
    return PictureFacts(section=section, kind=kind, title=title, caption=caption, record=record_as_plain(record))


def _relevance(material: Material) -> Iterator[PictureFacts]:
    record = Relevance.from_estimator(material.estimator).gathered(_BARS)
    yield _picture(
        "matters",
        record,
        "Relevance of columns",
        "How much the output changes when a column moves by its own spread, as a share of all columns. The dashed line "
        "marks equal shares. All inputs made from one column are added up.",
    )


def _dependence(material: Material) -> Iterator[PictureFacts]:
    many = len(relevance_by_column(material.estimator)[0]) > MANY_COLUMNS
    for column in most_relevant(material.estimator, _DEPENDENCES_OF_MANY if many else _DEPENDENCES):
        record = Dependence.of(material.estimator, material.X, column, material.generator)
        faint = "" if record.outputs else " Faint lines are single rows."
        yield _picture(
            "matters",
            record,
            f"Partial dependence on {record.name}",
            f"Mean prediction when every row gets the same value of this column and keeps its other values.{faint}"
            + ("" if record.levels else " Ticks at the bottom mark values that occur."),
        )


def _outcomes(material: Material) -> Iterator[PictureFacts]:
    source = material.assessment.best_source
    if source is None:
        return
    if material.task == "classification":
        confusion = Confusion.from_predictions(source.y_true, source.prediction, classes=material.machine.classes_)
        caption = (
            f"Rows are true classes, columns predicted classes, measured by {source.name}. {confusion.wrong} of "
            f"{int(confusion.counts.sum())} rows are misclassified."
        )
        yield _picture("good", confusion, "Confusion matrix", caption)
        return
    residuals = Residuals.from_predictions(source.y_true, source.prediction)
    caption = (
        f"Measured by {source.name}. In the band, 90 % of the rows differ from their prediction by "
        f"{number(residuals.lower)} to {number(residuals.upper)}. The dashed line marks perfect predictions."
    )
    yield _picture("good", residuals, "Observed against predicted", caption)


def _calibration(material: Material) -> Iterator[PictureFacts]:
    source, record = material.assessment.best_source, material.calibration()
    if source is None or record is None:
        return
    caption = (
        f"Measured by {source.name}. On the dashed line, probabilities come true as often as they claim; bars and "
        f"numbers count the rows. Brier score {number(record.brier)}; calibration error {number(record.ece, 2)}, where "
        f"chance alone would give {number(record.chance, 2)}."
    )
    yield _picture("good", record, "Calibration of probabilities", caption)


def _weights(material: Material) -> Iterator[PictureFacts]:
    record = Weights.from_estimator(material.estimator)
    yield _picture(
        "found",
        record,
        "Weights of the candidates",
        "How much each candidate (machine, kernel, view of the inputs) adds to a prediction. Candidates that predict "
        "rows left out better weigh more. The dashed line marks equal weights.",
    )


def _history(material: Material) -> Iterator[PictureFacts]:
    require_selection(material.machine)
    selection = material.machine.selection_
    record = SearchHistory.from_selection(selection)
    if not np.isfinite(record.value).any():
        return
    yield _picture(
        "found",
        record,
        "The criterion during the search",
        "Smaller is better. Dots are evaluations; each line is the best value so far of one stage or restart. How the "
        f"search ended: {material.status}.",
    )


def _surface(material: Material) -> Iterator[PictureFacts]:
    if material.landscape is None:
        return
    side = _SIDES.get(type(material.machine).__name__, 9)
    record = Surface.of(material.landscape, material.estimator, size=side, n_samples=len(material.y))
    part = "" if record.n_rows == record.n_samples else f", on {record.n_rows} of {record.n_samples} rows"
    refined = " The selected point was then refined on the log-loss, so it need not be the lowest."
    yield _picture(
        "found",
        record,
        "The criterion around the selected point",
        f"Rise of {record.label} above its lowest point, in nats, when the most influential parameters change and all "
        f"others stay ({side} values each{part}). Differences of about 1 are noise; differences of 10 or more are "
        "clear." + (refined if "log-loss" in material.machine.selection_.status else ""),
    )


def _sizes(material: Material) -> Iterator[PictureFacts]:
    record = Sizes.from_estimator(material.estimator, material.X, material.y)
    selection = material.machine.selection_
    if len(record.path_size):
        caption = (
            f"The best subset of every size that the search ({selection.strategy}) visited. How the search ended: "
            f"{material.status}."
        )
    else:
        caption = "What is left when the weakest functions are removed first and all precisions are fitted again."
    yield _picture("found", record, "Evidence by number of functions", caption)


_BUILDERS: tuple[Callable[[Material], Iterator[PictureFacts]], ...] = (
    _relevance,
    _dependence,
    _outcomes,
    _calibration,
    _weights,
    _history,
    _surface,
    _sizes,
)
