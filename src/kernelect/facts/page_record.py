"""What only a page shows of a model, as plain dicts."""

from typing import Any, TypedDict

#: Reasons of a prediction that are shown one by one.
REASONS = 7


class PictureFacts(TypedDict):
    """One picture: the record that is drawn, where it belongs, and what to see in it."""

    section: str
    kind: str
    title: str
    caption: str
    record: dict[str, Any]


class OwnUnitsFacts(TypedDict):
    """The scale on which effects add up, where they are shown in other units.

    ``more`` is what its square root has added; at ``knots`` the scale of times bends, where it has the ``heights``.
    """

    name: str
    words: str
    more: float
    knots: list[float]
    heights: list[float]


class ControlFacts(TypedDict):
    """A column that a reader can change: a number or date between ``low`` and ``high``, or one of ``levels``.

    ``missing`` is whether cells of it were missing, ``other`` whether there were further levels, ``years`` whether
    its numbers are years, and ``unit`` what cells are read in, such as hours.
    """

    name: str
    kind: str
    unit: str
    missing: bool
    levels: list[str]
    other: bool
    low: float
    high: float
    whole: bool
    years: bool


class BandFacts(TypedDict):
    """What the range around a prediction is made to hold, and how much of the rows it held that were left out.

    ``held`` is empty if nobody counted, ``apart`` if Python gives the same.
    """

    share: str
    held: str
    source: str
    apart: str


class CurveFacts(TypedDict):
    """How a page gets a survival function from a median and the ends of its interval.

    ``times`` have the ``scores`` on the scale that is piecewise linear in logarithms between ``knots``, with
    ``heights``. Around the median, in units of the deviation, the ends lie at ``low`` and ``high``, and events come
    after ``at`` with the probabilities ``later``. ``start`` is the function of the first row, ``last`` the time of the
    last event.
    """

    times: list[float]
    scores: list[float]
    knots: list[float]
    heights: list[float]
    low: float
    high: float
    at: list[float]
    later: list[float]
    start: list[float]
    last: str


class ReasonFacts(TypedDict):
    """What a column with its value adds to one prediction, or all columns that are not shown one by one."""

    name: str
    effect: float


class StartFacts(TypedDict):
    """What the model says of the first row: probabilities of ``classes``, or the predicted numbers.

    ``interval`` are the ends of the range around a number; there is none around a class.
    """

    answer: str
    classes: list[str]
    numbers: list[float]
    interval: list[float]
    reasons: list[ReasonFacts]


class WhatIfFacts(TypedDict):
    """The model as JavaScript with a control for every column; ``script`` is empty if a page cannot carry it.

    ``order`` are the controls' places, the most relevant first; ``rows`` are rows to start from, the first one
    typical; ``players`` the controls that share an effect. ``signed`` is whether effects are those on a number and not
    on the predicted class; ``years`` is whether years are predicted. ``survival`` is there if times until an event are
    predicted.
    """

    script: str
    controls: list[ControlFacts]
    order: list[int]
    rows: list[list[Any]]
    row_names: list[str]
    players: list[list[int]]
    band: BandFacts | None
    survival: CurveFacts | None
    start: StartFacts | None
    years: bool
    explained: str
    own: OwnUnitsFacts | None
    signed: bool
    remarks: list[str]


class RowFacts(TypedDict):
    """A row that the model predicts badly: ``miss`` shows by how much, ``reasons`` why."""

    row: int
    observed: str
    predicted: str
    miss: str
    reasons: str


class ThresholdFacts(TypedDict):
    """Probabilities of ``positive`` for rows left out, and whether (1) each belongs to it or not (0).

    ``at`` is the model's own threshold.
    """

    positive: str
    other: str
    at: float
    miss_cost: float
    alarm_cost: float
    probability: list[float]
    truth: list[int]
    source: str


class PageFacts(TypedDict):
    """What only a page shows; ``complete`` is false where there was no time for all of it."""

    complete: bool
    pictures: list[PictureFacts]
    what_if: WhatIfFacts
    worst_rows: list[RowFacts]
    threshold: ThresholdFacts | None
