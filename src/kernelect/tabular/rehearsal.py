"""Whether a loaded model and its table belong together: checked, and tried on three rows."""

from __future__ import annotations

import numpy as np
import pandas as pd

from kernelect.tabular.predict import predict_table
from kernelect.tabular.schema import Schema
from kernelect.tabular.table_model import TableModel
from kernelect.tabular.usable import TASKS


def check_table(found: TableModel) -> None:
    """Raise ValueError with the reason, a part of a sentence, if a model is not one of its table."""
    schema, model = found.schema, found.model
    _check_schema(schema)
    names = tuple(column.name for column in schema.columns)
    if model.coding is None or model.names != names:
        raise ValueError("its columns are not those of its table")
    kinds = tuple(column.kind for column in schema.columns)
    if any(role.kind not in (kind, "unused") for role, kind in zip(model.coding.roles, kinds, strict=True)):
        raise ValueError("it codes columns as other kinds than its table has")
    classes = tuple(model.labels.classes.tolist()) if model.is_classifier else None
    if classes != schema.classes:
        raise ValueError(f"it predicts {str(classes)[:80]} where its table has {str(schema.classes)[:80]}")
    for column in schema.columns:
        edges, counts = found.seen.get(column.name, ((), ()))
        parts = len(column.categories) if column.kind == "category" else len(edges)
        if counts and (len(counts) != parts + 2 or min(counts) < 0 or not any(counts) or list(edges) != sorted(edges)):
            raise ValueError(f"what it keeps of its column {column.name[:80]!r} does not belong together")
    _rehearse(found)


def _check_schema(schema: Schema) -> None:
    if schema.task not in TASKS or (schema.classes is None) != (schema.task == "regression"):
        raise ValueError(f"its table has the task {schema.task[:40]!r} and the classes {str(schema.classes)[:80]}")
    for column in schema.columns:
        ends = (column.low, column.high)
        if column.kind not in ("number", "date", "category") or (column.kind != "category" and None in ends):
            raise ValueError(f"its column {column.name[:80]!r} has the kind {column.kind[:40]!r} and the range {ends}")
    if len({column.name for column in schema.columns}) < len(schema.columns):
        raise ValueError("its table has a column twice")


def _rehearse(found: TableModel) -> None:
    """Predict three rows: the lowest cells of the training table, the highest, and none at all."""
    X = _rows(found.schema)
    answers = predict_table(found, X, None if found.schema.classes is not None else 0.9)
    numbers = answers.drop(columns="prediction") if found.schema.classes is not None else answers
    if len(answers) != len(X) or any(values.dtype.kind != "f" for _, values in numbers.items()):
        raise ValueError(f"its predictions are a table of {answers.shape} where {len(X)} rows of numbers are expected")


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
