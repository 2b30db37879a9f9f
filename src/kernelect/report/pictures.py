"""The pictures of a report as records, each with what it shows and what to see in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from kernelect.exceptions import MissingCapability
from kernelect.plots import (
    CalibrationDisplay,
    ConfusionDisplay,
    DependenceDisplay,
    RelevanceDisplay,
    ResidualsDisplay,
    SizesDisplay,
    SurfaceDisplay,
    TraceDisplay,
)
from kernelect.plots._leave_one_out import left_out_labels, left_out_probabilities, left_out_values
from kernelect.plots._names import selection_words
from kernelect.plots._sources import input_names, machine_inputs, machine_of
from kernelect.plots.dependence import most_relevant
from kernelect.report.numbers import record_as_plain, shown
from kernelect.report.quality import best_source
from kernelect.selection import Influence, SelectionObjective
from kernelect.tabular.assess import Assessment
from kernelect.typing import Array

#: Bars of the relevance picture, and from how many on it is as tall as two other pictures.
_BARS, _TALL = 20, 14

#: Inputs with a partial dependence of their own: what fills the rows beside and below the relevances.
_DEPENDENCES, _DEPENDENCES_BESIDE_TALL = 3, 4

#: Points along each side of the criterion surface: most where an evaluation has a closed form, fewest where it is
#: a search of its own.
_SIDES = {"LSSVC": 15, "LSSVR": 15, "SVC": 11, "GPC": 11, "RVC": 9, "RVR": 9}

Picture = dict[str, Any]

#: What a picture's kind is called -> the class that draws it.
DISPLAYS: dict[str, type] = {
    "relevance": RelevanceDisplay,
    "dependence": DependenceDisplay,
    "confusion": ConfusionDisplay,
    "residuals": ResidualsDisplay,
    "calibration": CalibrationDisplay,
    "trace": TraceDisplay,
    "surface": SurfaceDisplay,
    "sizes": SizesDisplay,
}


@dataclass(frozen=True)
class Material:
    """A fitted machine and all that pictures of it are made from."""

    estimator: Any
    X: Any
    y: Array
    task: str
    assessment: Assessment | None
    objective: SelectionObjective | None
    theta: Array
    influence: Influence | None
    columns: list[Any] | None
    relevance: Array | None
    generator: np.random.Generator

    @property
    def machine(self) -> Any:
        """The machine itself, without what prepares its inputs."""
        return machine_of(self.estimator)


def gather_pictures(material: Material) -> tuple[list[Picture], dict[str, float] | None]:
    """Return the pictures, and the figures of the calibration where there is one."""
    pictures: list[Picture] = []
    for builder in _BUILDERS:
        try:
            pictures.extend(builder(material))
        except MissingCapability:  # this machine has no such picture
            continue
    records = {picture["kind"]: picture["record"] for picture in pictures}
    found = records.get("calibration")
    return pictures, None if found is None else {name: found[name] for name in ("ece", "chance", "brier")}


def _picture(section: str, record: Any, title: str, caption: str) -> Picture:
    kind = next(name for name, display in DISPLAYS.items() if isinstance(record, display))
    return {"section": section, "kind": kind, "title": title, "caption": caption, "record": record_as_plain(record)}


def is_tall(picture: Picture) -> bool:
    """Tell whether a picture takes the height of two others."""
    return picture["kind"] == "relevance" and len(picture["record"]["names"]) > _TALL


def _relevance(material: Material) -> Iterator[Picture]:
    if material.columns is None or material.relevance is None:
        return
    record = RelevanceDisplay.from_values(material.relevance, material.columns).gathered(_BARS)
    yield _picture(
        "matters",
        record,
        "Relevance of inputs",
        "How much the machine's output changes when an input moves by its own spread, as a share of all. Dashed: if "
        "all mattered alike. What was made of one column of the table is summed.",
    )


def _dependence(material: Material) -> Iterator[Picture]:
    tall = material.columns is not None and len(material.columns) > _TALL
    for column in most_relevant(material.estimator, _DEPENDENCES_BESIDE_TALL if tall else _DEPENDENCES):
        record = DependenceDisplay.of(material.estimator, material.X, column, material.generator)
        faint = "" if record.outputs else " Faint: single rows."
        yield _picture(
            "matters",
            record,
            f"Partial dependence on {record.name}",
            f"Mean prediction when all rows get the same value, all else as it is.{faint}"
            + ("" if record.levels else " Ticks at the bottom: values that occur."),
        )


def _outcomes(material: Material) -> Iterator[Picture]:
    if material.task == "classification":
        y_true, prediction, words = _predictions(material, left_out_labels)
        record = ConfusionDisplay.from_predictions(y_true, prediction, classes=material.machine.classes_)
        wrong = int(record.counts.sum() - np.trace(record.counts))
        caption = f"Rows: true class, columns: predicted, by {words}. {wrong} of {int(record.counts.sum())} are wrong."
        yield _picture("good", record, "Confusion matrix", caption)
        return
    y_true, prediction, words = _predictions(material, left_out_values)
    spread = ResidualsDisplay.from_predictions(y_true, prediction)
    caption = (
        f"By {words}. Band: 90 % of the rows lie between {shown(spread.lower)} and {shown(spread.upper)} of what was "
        "predicted. Dashed: perfect."
    )
    yield _picture("good", spread, "Observed against predicted", caption)


def _predictions(material: Material, exact: Callable[[Any], Array]) -> tuple[Array, Array, str]:
    """Return targets and predictions of rows that were left out, and how."""
    source = best_source(material.assessment)
    if source is None or source.y_true is None or source.prediction is None:
        return material.y, exact(material.estimator), "leave-one-out"
    return source.y_true, source.prediction, source.name


def _calibration(material: Material) -> Iterator[Picture]:
    if material.task != "classification":
        return
    source, classes = best_source(material.assessment), material.machine.classes_
    if source is None:
        y_true, words = material.y, "leave-one-out"
        probability = left_out_probabilities(material.estimator, y_true)
    else:
        y_true, probability, words = source.y_true, source.probability, source.name
    if probability is None:
        return
    record = CalibrationDisplay.from_predictions(y_true, probability, classes=classes)
    caption = (
        f"By {words}. On the dashed line probabilities mean what they say; bars and numbers count the rows. Brier "
        f"score {shown(record.brier)}, calibration error {shown(record.ece, 2)} (chance: {shown(record.chance, 2)})."
    )
    yield _picture("good", record, "Calibration of probabilities", caption)


def _trace(material: Material) -> Iterator[Picture]:
    selection = material.machine.selection_
    if not hasattr(selection, "runs") or not np.isfinite(selection.trace.value).any():
        return
    record = TraceDisplay.from_selection(selection)
    yield _picture(
        "found",
        record,
        "The criterion along its search",
        "Smaller is better. Dots: every evaluation; line: best so far of each stage or restart. The search "
        f"{selection.status}.",
    )


def _surface(material: Material) -> Iterator[Picture]:
    if material.objective is None or material.influence is None:
        return
    side = _SIDES.get(type(material.machine).__name__, 9)
    record = SurfaceDisplay.from_objective(
        material.objective,
        material.theta,
        material.influence.strongest(2),
        label=selection_words(material.machine.selection_),
        size=side,
        n_samples=len(material.y),
    ).renamed(input_names(material.estimator))
    part = "" if record.n_rows == record.n_samples else f", on {record.n_rows} of {record.n_samples} rows"
    polished = " Ridge and overall width were then set by log-loss, so the point need not be the lowest."
    yield _picture(
        "found",
        record,
        "The criterion around what was selected",
        f"Nats by which {record.label} rises above its lowest point when the most influential parameters move, "
        f"all others held{part}; {side} values each. A rise of 1 is noise, of 10 is plain."
        + (polished if "log-loss" in material.machine.selection_.status else ""),
    )


def _sizes(material: Material) -> Iterator[Picture]:
    machine = material.machine
    if hasattr(machine.selection_, "best_per_size"):
        record = SizesDisplay.from_selection(machine.selection_)
        caption = f"Best subset of every size that the search ({machine.selection_.strategy}) passed; it "
        caption += f"{machine.selection_.status}."
    elif hasattr(machine, "evidence_by_size"):
        inputs = machine_inputs(material.estimator, material.X)
        record = SizesDisplay.from_path(*machine.evidence_by_size(inputs, material.y))
        caption = "What is left when functions are taken away, the weakest first, with all precisions found anew."
    else:
        return
    yield _picture("found", record, "Evidence against size", caption)


_BUILDERS: tuple[Callable[[Material], Iterator[Picture]], ...] = (
    _relevance,
    _dependence,
    _outcomes,
    _calibration,
    _trace,
    _surface,
    _sizes,
)
