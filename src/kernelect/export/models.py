"""Fitted models as programs: estimators, pipelines that end in one, table models."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from kernelect.explain.adapters import TableLike
from kernelect.export.cells import Cell, Retyped, Sheet, made
from kernelect.export.graph import apply
from kernelect.export.machines import outputs_of
from kernelect.export.program import Program
from kernelect.export.sharing import shared
from kernelect.export.steps import traced
from kernelect.kernels.scale import spread_rows
from kernelect.typing import Array

#: Numbers of a table beyond this count as missing, as they do where it is read.
_LARGEST = 1e100

#: Rows of the training inputs that rounding is measured on.
_SOME = 100


def program_of(model: Any) -> Program:
    """Return a fitted model as plain operations on the cells of one row.

    Parameters
    ----------
    model : estimator, Pipeline or TableModel
    """
    schema = model.schema if isinstance(model, TableLike) else None
    pipeline = model.pipeline if isinstance(model, TableLike) else model
    check_is_fitted(pipeline)
    steps, machine = (pipeline[:-1], pipeline[-1]) if isinstance(pipeline, Pipeline) else (None, pipeline)
    kinds = {} if schema is None else {j: column.kind for j, column in enumerate(schema.columns)}
    while True:
        sheet = Sheet(_names(pipeline), dict(kinds))
        try:
            return _written(sheet, steps, machine, bounded=schema is not None)
        except Retyped:  # a column that an encoder takes for text
            kinds = sheet.kinds


def _written(sheet: Sheet, steps: Any, machine: Any, *, bounded: bool) -> Program:
    cells = _bounded(sheet) if bounded else sheet.raw()
    if steps is not None and len(steps):
        cells = traced(steps, cells, sheet)
    elif hasattr(machine, "X_fit_"):
        sheet.remember(cells, machine.X_fit_.mean(axis=0), machine.X_fit_.std(axis=0))
    x = sheet.numbers(cells)
    found = outputs_of(machine, x)
    result, x, *decision = shared([found.result, x, *([] if found.decision is None else [found.decision])])
    return Program(
        columns=sheet.columns(),
        result=result,
        decision=decision[0] if decision else None,
        classes=found.classes,
        inputs=x,
        vectors=_vectors(machine),
        title=type(machine).__name__,
    )


def _vectors(machine: Any) -> Array | None:
    """Return some of the inputs that a machine was fitted on, where it keeps any."""
    for name in ("X_fit_", "support_vectors_", "relevance_vectors_"):
        kept = getattr(machine, name, None)
        if kept is not None and len(kept):
            return np.asarray(kept[spread_rows(kept, _SOME)], dtype=float)
    return None


def _bounded(sheet: Sheet) -> list[Cell]:
    """Return the cells of a table's row, without numbers that are infinite or huge."""
    cells = sheet.raw()
    places = [j for j, cell in enumerate(cells) if not sheet.is_text(cell)]
    if places:
        numbers = [cells[j] for j in places]
        x = sheet.numbers(numbers)
        tamed = made(apply("where", apply("less", _LARGEST, apply("abs", x)), np.nan, x), numbers)
        for j, cell in zip(places, tamed, strict=True):
            cells[j] = cell
    return cells


def _names(model: Any) -> list[str]:
    names = getattr(model, "feature_names_in_", None)
    return [f"x{j}" for j in range(int(model.n_features_in_))] if names is None else [str(name) for name in names]
