"""What is known of a fitted model, as plain dicts: what JSON prints, terminal and page show, model files keep."""

# Without annotations as text: only then does a TypedDict know at run time which keys are not required.
from typing import Any, NotRequired, TypedDict

from kernelect.facts.page_record import PictureFacts, RowFacts, ThresholdFacts, WhatIfFacts

#: Counts changes that readers of older facts would not understand.
SCHEMA = 4


class ClassFacts(TypedDict):
    """One class and how many rows it has."""

    name: str
    rows: int


class DataFacts(TypedDict):
    """The table: ``inputs`` are what the machine sees, ``words`` shows it all in one line."""

    rows: int
    columns: int
    inputs: int
    missing_cells: int
    classes: list[ClassFacts] | None
    words: str


class ColumnFacts(TypedDict):
    """One column of the table: ``missing`` is a share; the range is that of numbers, or of dates as text.

    ``read_as`` is there if cells were not read as they stand (decimal comma, codes for missing cells).
    """

    name: str
    kind: str
    missing: float
    categories: NotRequired[int]
    low: NotRequired[float | str | None]
    high: NotRequired[float | str | None]
    read_as: NotRequired[str]


class ParameterFacts(TypedDict):
    """One selected value; ``at_bound`` shows at which edge of its range the search left it."""

    name: str
    kind: str
    value: float
    words: str
    length_scale: float | None
    meaning: str
    at_bound: str | None


MachineFacts = TypedDict(
    "MachineFacts",
    {
        "class": str,
        "name": str,
        "kernel": str,
        "criterion": str,
        "criterion_in_words": str,
        "prior": str,
        "sentence": str,
        "search": str,
        "size": str,
        "vectors": int,
        "status": str,
        "outcome": str,
        "converged": bool,
        "value": float,
        "evaluations": int,
        "seconds": float,
        "parameters": list[ParameterFacts],
        "parameters_not_listed": int,
    },
)
MachineFacts.__doc__ = """The machine and what it selected, in words and numbers."""


class ScoreFacts(TypedDict):
    """One figure: as a number, and in the words that are shown everywhere."""

    name: str
    value: float
    standard_error: float | None
    larger_is_better: bool
    words: str


class EstimateFacts(TypedDict):
    """How good the model is by one estimate; ``role`` is "outer folds", "leave-one-out" or "baseline"."""

    role: str
    name: str
    scores: list[ScoreFacts]


class QualityFacts(TypedDict):
    """All estimates, the most honest first; ``shown`` is the role of the one to believe, ``main`` its first score."""

    main: str
    shown: str | None
    headline: str
    estimates: list[EstimateFacts]


class DecisionFacts(TypedDict):
    """How probabilities become classes, if the prediction is not simply the most probable class.

    ``rule`` is "cost" or "F1". ``threshold`` is that of the class ``positive``, or None for more than two classes.
    ``costs`` has a row for each true class.
    """

    rule: str
    positive: str
    threshold: float | None
    costs: list[list[float]] | None
    sentence: str


class InputShare(TypedDict):
    """Relevance of one input that was made of a column."""

    name: str
    share: float
    words: str


class ShareFacts(TypedDict):
    """Relevance of one column; ``inputs`` are listed where more than one was made of it."""

    name: str
    share: float
    words: str
    inputs: list[InputShare]


class HeldOutFacts(TypedDict):
    """By how much the loss of rows held out rises when one column is shuffled."""

    name: str
    rise: float
    standard_error: float
    words: str


class RelevanceFacts(TypedDict):
    """All columns, the most relevant first; ``carrying`` of them have nine tenths of the relevance.

    ``held_out`` lists the columns by what shuffling them costs on rows held out, if there were any. ``certain`` is
    how many of them cost more than two standard errors, and ``cost`` names what they cost.
    """

    columns: int
    carrying: int
    shares: list[ShareFacts]
    held_out: NotRequired[list[HeldOutFacts]]
    certain: NotRequired[int]
    cost: NotRequired[str]


class InfluenceFacts(TypedDict):
    """Nats by which the criterion rises when a parameter is divided or multiplied by 10."""

    name: str
    kind: str
    below: float | None
    above: float | None


class CalibrationFacts(TypedDict):
    """Expected calibration error, what chance alone would give, and the Brier score."""

    ece: float
    chance: float
    brier: float


class StageFacts(TypedDict):
    """One stage or restart of the search."""

    name: str
    evaluations: int
    best: float | None


class FunctionFacts(TypedDict):
    """One chosen basis function."""

    name: str
    coefficient: float


class CandidateFacts(TypedDict):
    """One candidate of a mixture; without score where there was no time to fit it."""

    name: str
    view: str
    kernel: str
    machine: str
    score: float | None
    standard_error: float | None
    words: str
    weight: float
    weight_words: str
    seconds: float
    tried: bool
    status: str


class LossFacts(TypedDict):
    """Leave-one-out score of the mixture, and by how much that of the best single candidate is worse."""

    best: str
    mixture: float
    value: float
    standard_error: float
    sentence: str


class MixtureFacts(TypedDict):
    """The candidates of a mixture, the heaviest first; ``score`` is what their leave-one-out score is called."""

    effort: str
    score: str
    candidates: list[CandidateFacts]
    loss: LossFacts


class DifferenceFacts(TypedDict):
    """By how much a candidate is behind the best one of a comparison."""

    value: float
    standard_error: float | None
    words: str


class PeerFacts(TypedDict):
    """One candidate of a comparison; ``mark`` shows who ran out of time or failed, ``remark`` why."""

    name: str
    scores: list[ScoreFacts]
    difference: DifferenceFacts | None
    seconds: float
    mark: str
    remark: str


class ComparisonFacts(TypedDict):
    """What ``kernelect compare`` found: candidates on the same folds, the best first by ``score``."""

    title: str
    target: str
    folds: str
    score: str
    candidates: list[PeerFacts]
    remarks: list[str]


class VerdictFacts(TypedDict):
    """The verdict: ``level`` from 1 ("do not use it") to 5 ("use it as it is"), in ``words``, and why by its ``code``.

    One sentence each: how ``good`` the model is, how ``sure`` that is, and what is ``todo``.
    """

    level: int
    code: str
    words: str
    good: str
    sure: str
    todo: str


class LearningFacts(TypedDict):
    """By how much the loss fell from half of the rows to all of them; ``helps`` if that is beyond chance."""

    rows: int
    gain: float
    standard_error: float
    helps: bool
    sentence: str


class Doubt(TypedDict):
    """A reason not to trust the model as it is: a stable code, what was seen, and what to do.

    ``severity`` runs from 1 to 4, the gravest; ``figures`` are what the sentence is made from.
    """

    code: str
    severity: int
    sentence: str
    advice: str
    figures: dict[str, Any]


class CheckFacts(TypedDict):
    """What became of one rule of doubt: ``"found"``, ``"not found"`` or ``"not looked for"``.

    ``about`` names what the rule looks for. ``obstacle`` is the code of what kept it from looking, ``why`` the same for
    readers; both are empty if it looked, ``why`` also if the rule is about something that the model does not have.
    """

    code: str
    about: str
    outcome: str
    obstacle: str
    why: str


class Facts(TypedDict):
    """Everything that is known of one fitted model.

    ``mixture`` is there if several machines are mixed, ``peers`` if a comparison was given, and what
    :class:`PageFacts` lists if pictures were asked for. ``checks`` has an entry for every rule of doubt.
    """

    verdict: VerdictFacts
    schema: int
    title: str
    target: str
    task: str
    data: DataFacts
    columns: list[ColumnFacts]
    machine: MachineFacts
    mixture: NotRequired[MixtureFacts]
    decision: NotRequired[DecisionFacts]
    peers: NotRequired[ComparisonFacts]
    parameters: dict[str, float]
    quality: QualityFacts
    relevance: RelevanceFacts | None
    influence: list[InfluenceFacts]
    calibration: CalibrationFacts | None
    learning: LearningFacts | None
    stages: list[StageFacts]
    functions: list[FunctionFacts]
    doubts: list[Doubt]
    checks: list[CheckFacts]
    remarks: list[str]
    made_with: dict[str, str]
    seconds: float
    random_state: int
    pictures: list[PictureFacts]
    complete: NotRequired[bool]
    what_if: NotRequired[WhatIfFacts]
    worst_rows: NotRequired[list[RowFacts]]
    threshold: NotRequired[ThresholdFacts | None]
