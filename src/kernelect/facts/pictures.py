"""The pictures of a model as records, each with what it shows and what to see in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from kernelect.exceptions import MissingCapability, OutOfTime
from kernelect.export.fewer import landmarks_of, least_squares_of
from kernelect.export.reduce import size_curve, sizes_of, vectors_of
from kernelect.facts.dependence import Dependence
from kernelect.facts.explained_pictures import explained_pictures
from kernelect.facts.history import SearchHistory, Sizes
from kernelect.facts.material import Material, picture
from kernelect.facts.mixtures import Weights
from kernelect.facts.notable import notable_pictures
from kernelect.facts.numbers import counted, number
from kernelect.facts.outcome_pictures import learning_pictures, outcome_pictures, threshold_pictures
from kernelect.facts.page_record import PictureFacts
from kernelect.facts.relevance import Relevance, most_important, relevance_by_column
from kernelect.facts.sources import is_mixture, require_selection
from kernelect.facts.surface import Surface
from kernelect.numerics import NEVER, Deadline, time_is_up, watched_deadline
from kernelect.selection import RECALIBRATED

Builder = Callable[[Material], Iterator[PictureFacts]]

#: Bars of the relevance picture, and from how many columns a table has many.
_BARS, MANY_COLUMNS = 20, 14

#: Columns with a partial dependence of their own, and how many in a table of many columns.
_DEPENDENCES, _DEPENDENCES_OF_MANY = 3, 4

#: Vectors of the largest of the smaller models that are tried.
_LARGEST_SIZE = 500

#: Points along each side of the criterion surface: most where an evaluation has a closed form, fewest where it is
#: a search of its own.
_SIDES = {"LSSVC": 15, "LSSVR": 15, "SVC": 11, "GPC": 11, "RVC": 9, "RVR": 9}


def plain_pictures(material: Material) -> dict[Builder, list[PictureFacts]]:
    """Return the pictures that take little time, by what makes them: a page has them whatever its time limit."""
    return {builder: _made(builder, material, NEVER) for builder in _BUILDERS if builder in _PLAIN}


def draw_up(material: Material, made: Mapping[Builder, list[PictureFacts]]) -> list[PictureFacts]:
    """Return all pictures that this machine has, or those that there is time for beside those ``made`` before."""
    return _drawn(material, _BUILDERS, made)


def of_search(material: Material) -> list[PictureFacts]:
    """Return the pictures of how a machine was found, or those that there is time for."""
    return _drawn(material, tuple(_OF_SEARCH), {})


def _drawn(
    material: Material, builders: tuple[Builder, ...], before: Mapping[Builder, list[PictureFacts]]
) -> list[PictureFacts]:
    """Return what some builders make, quick ones first; those of the search made theirs before the machine was gone."""
    made = dict(before)
    for builder in sorted((each for each in builders if each not in before), key=_SLOW.__contains__):
        if material.kept is not None and builder in _OF_SEARCH:
            kept = [each.shown() for each in material.kept.pictures]
            made[builder] = [each for each in kept if each["kind"] == _OF_SEARCH[builder]]
        elif not time_is_up():
            made[builder] = _made(builder, material, watched_deadline())
    return [picture for builder in builders for picture in made.get(builder, [])]


def _made(builder: Builder, material: Material, deadline: Deadline) -> list[PictureFacts]:
    found: list[PictureFacts] = []
    try:
        with deadline.watched():
            found.extend(builder(material))
    except (MissingCapability, OutOfTime):  # this machine has no such picture, or there is no time left for it
        pass
    return found


def _held_out(material: Material) -> Iterator[PictureFacts]:
    found = material.assessment.held_out
    if found is None or not found.names:
        return
    clear, n_columns, bars = found.clear(), len(found.names), len(found.shown().names)
    what = "R² falls" if found.score == "R²" else f"the {found.score} rises"
    rest = f" The {bars} strongest of {n_columns} are shown." if n_columns > bars else ""
    yield picture(
        "matters",
        found.shown(),
        "What predictions lose without a column",
        f"By how much {what} when a column's cells are shuffled, on {counted(found.n_rows, 'row')} that the models of "
        f"the outer folds had not seen; bars are two standard errors. {clear} of {n_columns} columns clearly "
        f"{'matters' if clear == 1 else 'matter'}. Columns that hold the same information can replace each other: then "
        f"neither seems to matter.{rest}",
    )


def _relevance(material: Material) -> Iterator[PictureFacts]:
    # As many bars as the picture beside it has.
    bars = _BARS if material.assessment.held_out is None else MANY_COLUMNS - 1
    record = Relevance.from_estimator(material.estimator).gathered(bars)
    yield picture(
        "matters",
        record,
        "Relevance inside the model",
        "How much the output changes when a column moves by its own spread, as a share of all columns. The dashed line "
        "marks equal shares. All inputs made from one column are added up.",
    )


def _dependence(material: Material) -> Iterator[PictureFacts]:
    many = len(relevance_by_column(material.estimator)[0]) > MANY_COLUMNS
    count, held_out = _DEPENDENCES_OF_MANY if many else _DEPENDENCES, material.assessment.held_out
    for column in most_important(material.estimator, count, held_out):
        record = Dependence.of(material.estimator, material.X, column, material.generator)
        mean = "Mean probability of every class" if record.outputs else f"Mean {record.label}"
        classes = len(getattr(material.machine, "classes_", ()))
        if record.outputs and len(record.outputs) < classes:
            mean = f"Mean probability of the {len(record.outputs)} most probable of {classes} classes"
        faint = "" if record.outputs else " Faint lines are single rows."
        yield picture(
            "matters",
            record,
            f"Partial dependence on {record.name}",
            f"{mean} when every row gets the same value of this column and keeps its other values.{faint}"
            + ("" if record.levels else " Ticks at the bottom mark values that occur."),
        )


def _calibration(material: Material) -> Iterator[PictureFacts]:
    source, record = material.assessment.best_source, material.calibration()
    if source is None or record is None:
        return
    caption = (
        f"Measured by {source.name}. On the dashed line, probabilities come true as often as they claim; bars and "
        f"numbers count the rows. Brier score {number(record.brier)}; calibration error {number(record.ece, 2)}, where "
        f"chance alone would give {number(record.chance, 2)}."
    )
    yield picture("good", record, "Calibration of probabilities", caption)


def _weights(material: Material) -> Iterator[PictureFacts]:
    record = Weights.from_estimator(material.estimator)
    yield picture(
        "found",
        record,
        "Weights of the candidates",
        "How much each candidate adds to a prediction. Candidates that predict "
        "rows left out better weigh more. The dashed line marks equal weights.",
    )


def _history(material: Material) -> Iterator[PictureFacts]:
    require_selection(material.machine)
    selection = material.machine.selection_
    record = SearchHistory.from_selection(selection)
    if not np.isfinite(record.value).any():
        return
    yield picture(
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
    yield picture(
        "found",
        record,
        "The criterion around the selected point",
        f"Rise of {record.label} above its lowest point, in nats, when the most influential parameters change and all "
        f"others stay ({side} values each{part}). Differences of about 1 are noise; differences of 10 or more are "
        "clear." + (refined if RECALIBRATED in material.machine.selection_.runs else ""),
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
    yield picture("found", record, "Evidence by number of functions", caption)


def _vectors(material: Material) -> Iterator[PictureFacts]:
    count = int(vectors_of(material.estimator))
    sizes = [size for size in sizes_of(material.estimator) if size < count and size <= _LARGEST_SIZE]
    if not sizes:
        return
    curve = size_curve(material.estimator, sizes)
    rows = "landmarks are kept" if landmarks_of(material.estimator) else "training rows are kept as vectors"
    if not least_squares_of(material.estimator):
        rows = "relevance vectors are kept (functions and precisions held)"
    without = " Smaller models leave Gaussian processes and trees out." if is_mixture(material.machine) else ""
    yield picture(
        "found",
        curve,
        "How small the model can be",
        f"Leave-one-out {curve.score} when fewer {rows}: kernelect export --max-vectors "
        f"makes such a model. Bars are one standard error of the difference to the whole model.{without}",
    )


#: What needs a few predictions at most.
_PLAIN = (_held_out, _relevance, _dependence, outcome_pictures, threshold_pictures, _calibration)

#: What takes evaluations, fits or explanations of many rows.
_SLOW = (learning_pictures, explained_pictures, _surface, _sizes, _vectors)

#: What only the fitted machine can tell, and the kind of picture.
_OF_SEARCH: dict[Builder, str] = {_weights: "weights", _history: "trace", _surface: "surface", _sizes: "sizes"}

_BUILDERS: tuple[Builder, ...] = (
    _held_out,
    _relevance,
    _dependence,
    outcome_pictures,
    threshold_pictures,
    _calibration,
    learning_pictures,
    explained_pictures,
    notable_pictures,
    _weights,
    _history,
    _surface,
    _sizes,
    _vectors,
)
