"""A fitted model becomes plain facts: the one place where terminal, JSON, page and studies get them from."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kernelect import __version__
from kernelect.exceptions import InvalidArgument, MissingCapability, OutOfTime
from kernelect.extras import versions_of
from kernelect.facts import rules as _rules  # noqa: F401  (so that they are registered)
from kernelect.facts.columns import describe_columns, missing_cells
from kernelect.facts.decisions import describe_decision
from kernelect.facts.doubts import Check, ModelEvidence, doubts_of, examine
from kernelect.facts.estimates import Assessment
from kernelect.facts.judge import Judge
from kernelect.facts.kept import Kept, KeptPicture
from kernelect.facts.learning import LearningCurve
from kernelect.facts.material import Material
from kernelect.facts.mixtures import describe_machine_of_mixture, describe_mixture, inputs_of_machine
from kernelect.facts.names import plain_name, with_input_names
from kernelect.facts.notable import worst_rows
from kernelect.facts.numbers import counted
from kernelect.facts.outcome_pictures import describe_threshold
from kernelect.facts.page_record import PageFacts, PictureFacts
from kernelect.facts.pictures import draw_up, of_search, plain_pictures
from kernelect.facts.plain import as_plain
from kernelect.facts.quality import describe_quality
from kernelect.facts.record import (
    SCHEMA,
    CalibrationFacts,
    ClassFacts,
    ColumnFacts,
    DataFacts,
    Facts,
    LearningFacts,
    MachineFacts,
    MixtureFacts,
    RelevanceFacts,
    VerdictFacts,
)
from kernelect.facts.relevance import describe_relevance, relevance_by_column
from kernelect.facts.selected import describe_functions, describe_machine, describe_stages, selected_values
from kernelect.facts.sources import is_mixture, machine_of
from kernelect.facts.surface import Landscape
from kernelect.facts.verdict import describe_verdict
from kernelect.facts.what_if import describe_what_if
from kernelect.model.decisions import Decision
from kernelect.model.subject import subject_of
from kernelect.numerics import time_is_up, watched_deadline
from kernelect.typing import Array, Indices

#: Share of the time for a page that What if may take; the rest is for the pictures that explain rows.
_FOR_WHAT_IF = 0.6


@dataclass(frozen=True, kw_only=True)
class GatherOptions:
    """What :func:`gather` should know beside the model and its rows.

    Attributes
    ----------
    title, target : str
        Names of the table (empty if it has none) and of the column that is predicted.
    assessment : Assessment, optional
        How good the model is. The default needs no further fit: exact leave-one-out if the machine has it, and a
        baseline.
    columns : sequence of ColumnFacts, optional
        What the columns are; by default this is read from ``X``.
    remarks : sequence of str
        What else the reader should know, such as how columns were read.
    seconds : float, optional
        Wall time of everything so far; by default that of the selection.
    random_state : int
        For the rows that partial dependence averages over.
    sample_weight : ndarray of shape (n,), optional
        Weights of the rows that the model was fitted on.
    checks : sequence of Check
        What came of other rules of doubt, such as those about a table.
    places : ndarray of int, optional
        Where the rows stand in their table, counted from 0, if some of it were left out.
    pictures : bool
        Whether to compute the records of pictures too, which takes more time than all the rest.
    metric : str, optional
        The score that counts most, such as ``"AUC"``; by default the error or the RMSE.
    decision : Decision, optional
        How probabilities become classes, if the prediction is not simply the most probable class.
    """

    title: str = "table"
    target: str = "target"
    assessment: Assessment | None = None
    columns: Sequence[ColumnFacts] | None = None
    remarks: Sequence[str] = ()
    seconds: float | None = None
    random_state: int = 0
    sample_weight: Array | None = None
    checks: Sequence[Check] = ()
    places: Indices | None = None
    pictures: bool = True
    metric: str | None = None
    decision: Decision | None = None


def gather(model: Any, X: Any, y: Any, options: GatherOptions | None = None) -> Facts:
    """Return what is known of a fitted model: plain lists, numbers and words, ready for JSON.

    Parameters
    ----------
    model : estimator or Pipeline
        Fitted; a pipeline's last step is one of kernelect's estimators.
    X, y : DataFrame or array, array-like
        What it was fitted on.
    options : GatherOptions, optional

    Returns
    -------
    Facts
        A dict; :class:`kernelect.facts.Facts` lists its keys. ``"schema"`` counts changes of its form.

    Examples
    --------
    >>> from kernelect import LSSVC, facts
    >>> from kernelect.datasets import sparse_inputs
    >>> X, y = sparse_inputs(60, n_features=3, random_state=0)
    >>> found = facts.gather(LSSVC().fit(X, y), X, y, facts.GatherOptions(pictures=False))
    >>> found["machine"]["class"], found["data"]["words"]
    ('LSSVC', '60 rows, 3 columns, 2 classes')
    """
    options = options or GatherOptions()
    return _gathered(_material(model, X, y, options.assessment, options.random_state, options.places), options)


def gather_for_file(model: Any, X: Any, y: Any, options: GatherOptions) -> tuple[Facts, Kept]:
    """Return the facts without pictures, and what a page needs of the machine once only its model is left."""
    material = _material(model, X, y, options.assessment, options.random_state, options.places)
    facts = _gathered(material, replace(options, pictures=False))
    pictures = tuple(KeptPicture.of(shown) for shown in of_search(material))
    try:
        relevance: Array | None = relevance_by_column(model)[1]
    except MissingCapability:
        relevance = None
    return facts, Kept(relevance=relevance, pictures=pictures, complete=not time_is_up())


def _gathered(material: Material, options: GatherOptions) -> Facts:
    facts = _without_doubts(material, options)
    evidence = ModelEvidence(facts, material.assessment, material.machine, options.places)
    checks = [*options.checks, *examine(evidence)]
    facts["doubts"], facts["checks"] = doubts_of(checks), [check.describe() for check in checks]
    facts["verdict"] = describe_verdict(facts)
    plain: Facts = as_plain(facts)
    if options.pictures:
        plain.update(_page_of(material))  # type: ignore[typeddict-item]
    return plain


def _without_doubts(material: Material, options: GatherOptions) -> Facts:
    """Return all facts on which doubts are based."""
    machine, inputs, landscape = material.machine, inputs_of_machine(material.estimator), material.landscape
    described, mixture = _describe_selected(material, options.sample_weight)
    facts = Facts(
        verdict=VerdictFacts(level=0, code="", words="", good="", sure="", todo=""),  # it follows from all the rest
        schema=SCHEMA,
        title=plain_name(options.title),
        target=plain_name(options.target),
        task=material.task,
        data=_describe_data(material),
        columns=list(describe_columns(material.X) if options.columns is None else options.columns),
        machine=described,
        parameters={} if mixture else selected_values(material.estimator),
        quality=describe_quality(material.assessment, material.task, options.metric),
        relevance=_describe_relevance(material),
        influence=[] if landscape is None else landscape.describe(inputs),
        calibration=_describe_calibration(material),
        learning=_describe_learning(material),
        stages=[] if mixture else describe_stages(machine.selection_),
        functions=describe_functions(machine),
        doubts=[],
        checks=[],
        remarks=[plain_name(with_input_names(remark, inputs)) for remark in options.remarks],
        made_with={
            "kernelect": __version__,
            **versions_of("scikit-learn", "numpy"),
            "python": platform.python_version(),
        },
        seconds=described["seconds"] if options.seconds is None else float(options.seconds),
        random_state=int(options.random_state),
        pictures=[],
    )
    if mixture is not None:
        facts["mixture"] = mixture
    if options.decision is not None:
        facts["decision"] = describe_decision(options.decision, machine.classes_.tolist())
    return facts


def gather_for_page(
    model: Any,
    X: Any,
    y: Any,
    *,
    assessment: Assessment | None = None,
    random_state: int = 0,
    places: Indices | None = None,
) -> PageFacts:
    """Return what only a page shows, for facts that were gathered without it; see :func:`gather`.

    Parameters
    ----------
    model : estimator, Pipeline or TableModel
    places : ndarray of int, optional
        Where the rows stand in their table, counted from 0, if some of it were left out: the page numbers them so.
    """
    return _page_of(_material(model, X, y, assessment, random_state, places))


def _page_of(material: Material) -> PageFacts:
    first = plain_pictures(material)
    with watched_deadline().part(_FOR_WHAT_IF).watched(firmly=False):
        what_if, carried = describe_what_if(
            material.estimator, material.X, material.y, material.assessment, material.generator, material.places
        )
        late = time_is_up() and carried is None
    material = replace(material, carried=carried)
    pictures: list[PictureFacts] = as_plain(draw_up(material, first))
    kept = material.kept
    return PageFacts(
        complete=not late and not time_is_up() and (kept is None or kept.complete),
        pictures=pictures,
        what_if=what_if,
        worst_rows=worst_rows(material),
        threshold=describe_threshold(material),
    )


def _material(
    model: Any, X: Any, y: Any, assessment: Assessment | None, random_state: int, places: Indices | None
) -> Material:
    machine, y = machine_of(model), np.asarray(y)
    if y.ndim != 1:
        raise InvalidArgument(f"y of shape {y.shape} must have one dimension: fit one model per target.")
    kept = getattr(model, "kept", None)
    if kept is None and not hasattr(machine, "candidates_" if is_mixture(machine) else "selection_"):
        raise MissingCapability(
            f"model={type(machine).__name__} has no selection_ to describe: give a fitted estimator that selects its "
            "own hyper-parameters, such as LSSVC, or a pipeline that ends in one."
        )
    task = "classification" if subject_of(model).model.is_classifier else "regression"
    if assessment is None:
        _check_rows(machine, y)
        assessment = Judge(y, machine.classes_ if task == "classification" else None).assess(machine)
    return Material(
        estimator=model,
        X=X,
        y=y,
        task=task,
        assessment=assessment,
        landscape=_landscape(model, X, y) if kept is None else None,
        generator=np.random.default_rng(random_state),
        kept=kept,
        places=places,
    )


def _landscape(model: Any, X: Any, y: Any) -> Landscape | None:
    try:
        with watched_deadline().watched():
            return Landscape.of(model, X, y)
    except (MissingCapability, OutOfTime):  # nothing was selected, or it was a search among subsets
        return None


def _describe_selected(material: Material, weights: Array | None) -> tuple[MachineFacts, MixtureFacts | None]:
    """Return the machine, and the candidates where several are mixed."""
    model, landscape = material.estimator, material.landscape
    if not is_mixture(model):
        return describe_machine(model, None if landscape is None else landscape.objective), None
    mixture = describe_mixture(model, material.y, weights)
    return describe_machine_of_mixture(model, mixture), mixture


def _check_rows(machine: Any, y: Any) -> None:
    for name in ("loo_decision_", "loo_prediction_", "loo_proba_"):
        fitted = len(getattr(machine, name, y))
        if fitted != len(y):
            raise InvalidArgument(
                f"y has {len(y)} rows and the model was fitted on {fitted}: give the rows that it was fitted on."
            )


def _describe_data(material: Material) -> DataFacts:
    classes = None
    if material.task == "classification":
        names, rows = np.unique(material.y, return_counts=True)
        classes = [
            ClassFacts(name=plain_name(name), rows=int(count)) for name, count in zip(names.tolist(), rows, strict=True)
        ]
    columns, inputs, missing = (
        int(material.X.shape[1]),
        len(inputs_of_machine(material.estimator)),
        missing_cells(material.X),
    )
    words = [
        counted(len(material.y), "row"),
        counted(columns, "column") + (f" ({counted(inputs, 'input')} after coding)" if inputs != columns else ""),
        *([f"{len(classes)} classes"] if classes else []),
        *([counted(missing, "missing cell")] if missing else []),
    ]
    return DataFacts(
        rows=len(material.y),
        columns=columns,
        inputs=inputs,
        missing_cells=missing,
        classes=classes,
        words=", ".join(words),
    )


def _describe_relevance(material: Material) -> RelevanceFacts | None:
    found, held_out = describe_relevance(material.estimator), material.assessment.held_out
    if found is not None and held_out is not None:
        found["held_out"], found["certain"] = held_out.describe(), held_out.clear()
        found["cost"] = held_out.cost
    return found


def _describe_calibration(material: Material) -> CalibrationFacts | None:
    found = material.calibration()
    return None if found is None else CalibrationFacts(ece=found.ece, chance=found.chance, brier=found.brier)


def _describe_learning(material: Material) -> LearningFacts | None:
    try:
        with watched_deadline().watched():
            return LearningCurve.from_estimator(material.estimator).describe()
    except (MissingCapability, OutOfTime):
        return None
