"""Fitted models as programs: estimators, pipelines that end in one, table models."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from kernelect.export.cells import Retyped, Sheet
from kernelect.export.components import outputs_of
from kernelect.export.graph import Node
from kernelect.export.inputs import bounded, coded, indicated
from kernelect.export.intervals import ends_of
from kernelect.export.program import Program
from kernelect.export.rewriting import shared_nodes
from kernelect.export.steps import changes_types_only, traced_step
from kernelect.inputs.readings import number_codes
from kernelect.kernels.scale import spread_rows
from kernelect.model import AS_GIVEN, KernelPart, LabelHead, Model
from kernelect.model.subject import Subject, subject_of
from kernelect.typing import Array

#: Rows of the training inputs that rounding is measured on.
_SOME = 100


def program_of(model: Any, interval: float | None = None) -> Program:
    """Return a fitted model as plain operations on the cells of one row.

    Parameters
    ----------
    model : estimator, Pipeline, TableModel or Model
    interval : float in (0, 1), optional
        Coverage of an interval around the predicted number.
    """
    subject = subject_of(model)
    schema = subject.schema
    kinds = {} if schema is None else {j: column.kind for j, column in enumerate(schema.columns)}
    choice = getattr(model, "decision", None)
    if choice is None and isinstance(subject.model.head, LabelHead):
        choice = subject.model.head.decision
    while True:
        sheet = Sheet(names=list(subject.named()), kinds=dict(kinds))
        try:
            return replace(_written(sheet, subject, interval), choice=choice)
        except Retyped:  # a column that an encoder takes for text
            kinds = sheet.kinds


def _codes(schema: Any) -> list[tuple[float, ...]] | None:
    """Return the codes for missing cells of every column of a table, None if the model is no table's."""
    return None if schema is None else [number_codes(column.reading) for column in schema.columns]


def _written(sheet: Sheet, subject: Subject, interval: float | None) -> Program:
    model, x = _in_its_view(subject.model, _inputs(sheet, subject))
    found = outputs_of(model, x)
    nodes = {"result": found.result, "inputs": x, "decision": found.decision}
    nodes["ends"] = None if interval is None else ends_of(model, x, interval)
    known = {name: node for name, node in nodes.items() if node is not None}
    written = dict(zip(known, shared_nodes(list(known.values())), strict=True))
    return Program(
        columns=sheet.columns(),
        result=written["result"],
        decision=written.get("decision"),
        ends=written.get("ends"),
        classes=found.classes,
        inputs=written["inputs"],
        vectors=_vectors(model),
        title=subject.title,
    )


def _in_its_view(model: Model, x: Node) -> tuple[Model, Node]:
    """Return a model whose components have one view without that view, and its inputs in it."""
    view = model.components[0].view
    if view.indicators is None or view.warp is not None or any(each.view is not view for each in model.components):
        return model, x
    components = tuple(replace(component, view=AS_GIVEN) for component in model.components)
    return replace(model, components=components, coding=None), indicated(view.indicators, x)


def _inputs(sheet: Sheet, subject: Subject) -> Node:
    """Return what the model takes, made of the cells of a row."""
    cells, steps, coding, codes = sheet.raw(), subject.steps, subject.model.coding, _codes(subject.schema)
    has_steps = steps is not None and len(steps) > 0
    if codes is not None and any(codes):
        cells = bounded(cells, sheet, codes)
    if coding is not None:
        if not has_steps or all(changes_types_only(step) for _, step in steps.steps):
            sheet.kinds.update({j: role.kind for j, role in enumerate(coding.roles) if role.kind != "unused"})
        return coded(coding, traced_step(steps, cells, sheet) if has_steps else cells, sheet)
    vectors = _kept_vectors(subject.model)
    if has_steps:
        cells = traced_step(steps, cells, sheet)
    elif vectors is not None:
        sheet.remember(cells, *_mean_and_spread(vectors))
    return sheet.numbers(cells)


def _kept_vectors(model: Model) -> Array | None:
    """Return the vectors of the first component that sees the inputs as they are, if there are any."""
    for component in model.components:
        for part in component.parts:
            plain = component.view.warp is None
            if plain and isinstance(part, KernelPart) and not part.is_precomputed and len(part.vectors):
                return part.vectors
    return None


def _vectors(model: Model) -> Array | None:
    """Return some of the inputs that a model was fitted on, if it keeps any."""
    kept = _kept_vectors(model)
    return None if kept is None else np.asarray(kept[spread_rows(kept, _SOME)], dtype=float)


def _mean_and_spread(X: Array) -> tuple[Array, Array]:
    """Return mean and standard deviation of every column, whose squares may be beyond double precision."""
    unit = np.abs(X).max(axis=0, initial=0.0)
    unit[unit == 0.0] = 1.0
    return unit * (X / unit).mean(axis=0), unit * (X / unit).std(axis=0)
