"""A loaded model is checked against its own record before it is used.

Trusted types can still be put together wrongly: arrays of another shape, numbers that are not finite,
text where a number belongs. Three checks, each ending in one sentence: records have the types of their
fields, arrays have the shapes that belong together (:mod:`kernelect.tabular.shapes`) and are finite,
and a few rows made from the schema get predictions of the right shape.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import is_dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.pipeline import Pipeline

from kernelect.estimators import ESTIMATORS
from kernelect.exceptions import UnusableModel
from kernelect.inputs import CodedColumns
from kernelect.mixture import Door
from kernelect.tabular.hand_over import HandOver
from kernelect.tabular.predict import predict_table
from kernelect.tabular.record import TableModel
from kernelect.tabular.schema import Schema
from kernelect.tabular.shapes import check_shapes
from kernelect.tabular.typed import check_fields
from kernelect.tabular.usable import TASKS

#: Records of a search: they may hold NaN where nothing was measured, and nothing is predicted from them.
_OF_THE_SEARCH = ("selection_", "candidates_", "assessment")

#: Settings that make scikit-learn write files, start processes or print; a saved model has none of them.
_IDLE: dict[str, tuple[Any, ...]] = {"memory": (None,), "n_jobs": (None, 1), "verbose": (0, False)}

#: Kinds of cells in arrays of objects (labels and categories).
_CELLS = (str, int, float, bool, type(None), np.generic)


def check_model(model: Any) -> None:
    """Raise :class:`UnusableModel` with the reason, a part of a sentence, where a model is not whole."""
    if not isinstance(model, TableModel) or not isinstance(model.pipeline, Pipeline):
        raise UnusableModel(f"it holds a {type(model).__name__} where a table model is expected")
    _check_parts(model)
    for place, part in _parts(model, "model"):
        _check_part(place, part)
    check_shapes("model", model)
    _check_labels(model)
    _rehearse(model)


def _check_parts(model: TableModel) -> None:
    """Make sure that trusted types are put together as a model is."""
    names, parts = zip(*model.pipeline.steps, strict=True)
    before: dict[str, type] = {"columns": HandOver, "coding": CodedColumns}
    if isinstance(parts[-1], Door):  # which codes columns itself
        del before["coding"]
    if names != (*before, "machine") or [type(part) for part in parts[:-1]] != list(before.values()):
        raise UnusableModel(f"its pipeline has the steps {names!r} where {(*before, 'machine')!r} are expected")
    check_fields("model", model)
    _check_schema(model.schema)
    able = ESTIMATORS.by_machine().get(model.machine, {})
    if type(parts[-1]) is not able.get(model.schema.task):
        raise UnusableModel(
            f"its machine is a {type(parts[-1]).__name__}, which is not {model.machine!r} for {model.schema.task}"
        )
    if parts[0].kinds != tuple(column.kind for column in model.schema.columns):
        raise UnusableModel(f"its step 'columns' has the kinds {parts[0].kinds!r}, which are not those of its schema")


def _check_schema(schema: Schema) -> None:
    check_fields("schema", schema)
    if schema.task not in TASKS or (schema.classes is None) != (schema.task == "regression"):
        raise UnusableModel(f"its schema has the task {schema.task!r} and the classes {schema.classes!r}")
    for column in schema.columns:
        check_fields(f"column {column.name!r}", column)
        ends = (column.low, column.high)
        if column.kind not in ("number", "date", "category") or (column.kind != "category" and None in ends):
            raise UnusableModel(f"its column {column.name!r} has the kind {column.kind!r} and the range {ends}")
    if len({column.name for column in schema.columns}) < len(schema.columns):
        raise UnusableModel("its schema holds a column twice")


def _parts(value: Any, place: str) -> Iterator[tuple[str, Any]]:
    """Yield every object, array and number of a model once, with where it stands."""
    waiting, seen = [(place, value)], set[int]()
    while waiting:
        place, found = waiting.pop()
        if id(found) in seen or isinstance(found, type):
            continue
        seen.add(id(found))
        yield place, found
        if isinstance(found, dict):
            waiting += [(f"{place}[{key!r}]", each) for key, each in found.items()]
        elif isinstance(found, list | tuple):
            waiting += [(f"{place}[{number}]", each) for number, each in enumerate(found)]
        elif hasattr(found, "__dict__"):
            waiting += [(f"{place}.{name}", each) for name, each in vars(found).items()]


def _check_part(place: str, part: Any) -> None:
    if is_dataclass(part):
        check_fields(place, part)
    for name, idle in _IDLE.items():
        if getattr(part, name, None) not in (None, *idle):
            raise UnusableModel(f"{place}.{name} is {getattr(part, name)!r} where {idle[0]!r} is expected")
    if isinstance(part, np.ndarray) and part.dtype.kind == "O":
        _check_cells(place, part)
    elif isinstance(part, float | np.floating) or (isinstance(part, np.ndarray) and part.dtype.kind == "f"):
        _check_finite(place, part)


def _check_finite(place: str, numbers: Any) -> None:
    missing_values = place.endswith(".missing_values")  # scikit-learn's word for what an imputer replaces
    if not missing_values and not any(word in place for word in _OF_THE_SEARCH) and not np.isfinite(numbers).all():
        raise UnusableModel(f"{place} holds numbers that are not finite")


def _check_cells(place: str, cells: np.ndarray) -> None:
    for cell in cells.ravel():
        if not isinstance(cell, _CELLS):
            raise UnusableModel(f"{place} holds a {type(cell).__name__} where text or numbers are expected")


def _check_labels(model: TableModel) -> None:
    labels = getattr(model.estimator, "classes_", None)
    classes = None if labels is None else tuple(np.asarray(labels).tolist())
    if classes != model.schema.classes:
        raise UnusableModel(f"its machine has the classes {classes!r} where {model.schema.classes!r} are expected")


def _rehearse(model: TableModel) -> None:
    """Predict three rows: the lowest cells of the training table, the highest, and none at all."""
    X = _rows(model.schema)
    found = predict_table(model, X, None if model.schema.classes is not None else 0.9)
    numbers = found.drop(columns="prediction") if model.schema.classes is not None else found
    if len(found) != len(X) or any(values.dtype.kind != "f" for _, values in numbers.items()):
        raise UnusableModel(f"its predictions are a table of {found.shape} where {len(X)} rows of numbers are expected")


def _rows(schema: Schema) -> pd.DataFrame:
    cells = {
        column.name: pd.Series(
            [*(column.categories[:1] or (np.nan,)), *(column.categories[-1:] or (np.nan,)), np.nan], dtype=object
        )
        if column.kind == "category"
        else pd.Series([column.low, column.high, np.nan], dtype=float)
        for column in schema.columns
    }
    return pd.DataFrame(cells)
