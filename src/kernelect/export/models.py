"""Fitted models as programs: estimators, pipelines that end in one, table models."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from kernelect.explain.adapters import TableLike
from kernelect.export.cells import Retyped, Sheet
from kernelect.export.graph import Node
from kernelect.export.inputs import bounded, coded
from kernelect.export.intervals import ends_of
from kernelect.export.mixtures import outputs_of
from kernelect.export.program import Program
from kernelect.export.rewriting import shared
from kernelect.export.steps import changes_types_only, traced
from kernelect.inputs import Coding
from kernelect.inputs.readings import number_codes
from kernelect.kernels.scale import spread_rows
from kernelect.mixture import Door
from kernelect.mixture.candidates import AS_IS
from kernelect.typing import Array

#: Rows of the training inputs that rounding is measured on.
_SOME = 100


def program_of(model: Any, interval: float | None = None) -> Program:
    """Return a fitted model as plain operations on the cells of one row.

    Parameters
    ----------
    model : estimator, Pipeline or TableModel
    interval : float in (0, 1), optional
        Coverage of an interval around the predicted number.
    """
    schema = model.schema if isinstance(model, TableLike) else None
    pipeline = model.pipeline if isinstance(model, TableLike) else model
    check_is_fitted(pipeline)
    steps, machine = (pipeline[:-1], pipeline[-1]) if isinstance(pipeline, Pipeline) else (None, pipeline)
    kinds = {} if schema is None else {j: column.kind for j, column in enumerate(schema.columns)}
    while True:
        sheet = Sheet(names=_names(pipeline), kinds=dict(kinds))
        try:
            return replace(
                _written(sheet, steps, machine, _codes(schema), interval), choice=getattr(model, "decision", None)
            )
        except Retyped:  # a column that an encoder takes for text
            kinds = sheet.kinds


def _codes(schema: Any) -> list[tuple[float, ...]] | None:
    """Return the codes for missing cells of every column of a table, None where the model is no table's."""
    return None if schema is None else [number_codes(column.reading) for column in schema.columns]


def _written(
    sheet: Sheet, steps: Any, machine: Any, codes: list[tuple[float, ...]] | None, interval: float | None
) -> Program:
    x = _inputs(sheet, steps, machine, codes)
    found = outputs_of(machine, x)
    nodes = {"result": found.result, "inputs": x, "decision": found.decision}
    nodes["ends"] = None if interval is None else ends_of(machine, x, interval)
    known = {name: node for name, node in nodes.items() if node is not None}
    written = dict(zip(known, shared(list(known.values())), strict=True))
    return Program(
        columns=sheet.columns(),
        result=written["result"],
        decision=written.get("decision"),
        ends=written.get("ends"),
        classes=found.classes,
        inputs=written["inputs"],
        vectors=_vectors(machine),
        title=type(machine).__name__,
    )


def _inputs(sheet: Sheet, steps: Any, machine: Any, codes: list[tuple[float, ...]] | None) -> Node:
    """Return what the machine takes, made of the cells of a row."""
    cells = sheet.raw()
    has_steps = steps is not None and len(steps) > 0
    if codes is not None and any(codes):
        cells = bounded(cells, sheet, codes)
    if isinstance(machine, Door):
        coding: Coding = machine._views.coding
        if not has_steps or all(changes_types_only(step) for _, step in steps.steps):
            sheet.kinds.update({j: role.kind for j, role in enumerate(coding.roles) if role.kind != "unused"})
        return coded(coding, traced(steps, cells, sheet) if has_steps else cells, sheet)
    if has_steps:
        cells = traced(steps, cells, sheet)
    elif hasattr(machine, "X_fit_"):
        sheet.remember(cells, *_mean_and_spread(machine.X_fit_))
    return sheet.numbers(cells)


def _vectors(machine: Any) -> Array | None:
    """Return some of the inputs that a machine was fitted on, where it keeps any."""
    if isinstance(machine, Door):
        return next((_vectors(m.estimator) for m in machine._members if m.candidate.view == AS_IS), None)
    for name in ("X_fit_", "support_vectors_", "relevance_vectors_"):
        kept = getattr(machine, name, None)
        if kept is not None and len(kept):
            return np.asarray(kept[spread_rows(kept, _SOME)], dtype=float)
    return None


def _mean_and_spread(X: Array) -> tuple[Array, Array]:
    """Return mean and standard deviation of every column, whose squares may be beyond double precision."""
    unit = np.abs(X).max(axis=0, initial=0.0)
    unit[unit == 0.0] = 1.0
    return unit * (X / unit).mean(axis=0), unit * (X / unit).std(axis=0)


def _names(model: Any) -> list[str]:
    names = getattr(model, "feature_names_in_", None)
    return [f"x{j}" for j in range(int(model.n_features_in_))] if names is None else [str(name) for name in names]
