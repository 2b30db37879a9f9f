"""Models of tables on disk: the file of a model, with the table and its report as further texts in it.

``table.json`` holds what predictions need to read the cells of a table; ``report.json`` holds what reports show, and is
read for these alone.
"""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from kernelect import __version__
from kernelect.exceptions import UnusableModel
from kernelect.model.archive import Archive, Text, opened
from kernelect.model.checks import check_record
from kernelect.model.file import read_model
from kernelect.model.reading import Reader
from kernelect.tabular.predict import predict_table
from kernelect.tabular.schema import Schema
from kernelect.tabular.table_model import Seen, TableModel, TableReport
from kernelect.typing import CLASSIFICATION, REGRESSION

TABLE, REPORT = "table.json", "report.json"

#: Fields of a table model that are plain values, and their types.
_PLAIN = {"machine": str, "estimator": str, "versions": dict[str, str], "title": str, "n_rows": int}


def save_model(model: TableModel, path: str | Path, force: bool = False) -> None:
    """Write a model of a table to a file, whole or not at all; :func:`kernelect.load` reads the model in it."""
    table = {"schema": model.schema, **{name: getattr(model, name) for name in _PLAIN}}
    table["seen"] = {name: list(seen) for name, seen in model.seen.items()}
    sections: dict[str, Any] = {TABLE: table}
    if model.report is not None:
        sections[REPORT] = {field.name: getattr(model.report, field.name) for field in fields(TableReport)}
    from kernelect.model.saving import save

    save(model.model, path, force=force, sections=sections)


def load_model(path: str | Path, *, training: bool = True, report: bool = True) -> tuple[TableModel, list[str]]:
    """Return a model of a table and remarks on it; nothing in the file is executed.

    Parameters
    ----------
    path : str or Path
    training : bool
        Whether to read what the model keeps of its training rows, which smaller models need.
    report : bool
        Whether to read what reports show.
    """
    with opened(path) as archive:
        model = read_model(archive, training=training)
        if TABLE not in archive:
            raise UnusableModel(
                f"{archive.name} holds a model without a table: use it in Python (kernelect.load), or fit the table "
                "with kernelect fit."
            )
        text, reader = archive.text(TABLE), Reader(archive)
        plain: dict[str, Any] = {name: reader.value(text.get(name), hint, name) for name, hint in _PLAIN.items()}
        found = TableModel(
            model=model,
            seen=reader.value(text.get("seen", {}), dict[str, Seen], "seen"),
            schema=reader.record(text.get("schema"), (Schema,), "schema"),
            report=_report(archive, reader) if report else None,
            **plain,
        )
        check_record("schema", found.schema)
        _check_table(found)
    return found, _on_version(found.versions)


def _report(archive: Archive, reader: Reader) -> TableReport:
    from kernelect.facts import Assessment
    from kernelect.facts.kept import Kept

    text = archive.text(REPORT)
    assessment = reader.record(text.get("assessment"), (Assessment,), "assessment")
    kept = reader.record(text.get("kept"), (Kept,), "kept")
    check_record("assessment", assessment)
    check_record("kept", kept)
    return TableReport(
        assessment=assessment,
        facts=_facts(text),
        kept=kept,
        remarks=reader.value(text.get("remarks"), tuple[str, ...], "remarks"),
        seconds=reader.value(text.get("seconds"), float, "seconds"),
        seed=reader.value(text.get("seed"), int, "seed"),
    )


def _facts(text: Text) -> Any:
    from kernelect.facts import Facts
    from kernelect.tabular.typed import fits

    found = text.get("facts")
    if not fits(found, Facts):
        raise ValueError("its facts are not those of a model")
    return found


def _on_version(versions: dict[str, str]) -> list[str]:
    then = versions.get("kernelect", "unknown")
    if then == __version__:
        return []
    return [f"The model was saved with kernelect {then} and is used with {__version__}: fit it again if in doubt."]


def _check_table(found: TableModel) -> None:
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
    if schema.task not in (CLASSIFICATION, REGRESSION) or (schema.classes is None) != (schema.task == REGRESSION):
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
