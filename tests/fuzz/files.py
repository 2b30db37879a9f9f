"""Damaged and forged files: tables before their readers, models before the loader."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from click.testing import CliRunner
from hypothesis import strategies as st

from fuzz.harness import Broken, Watch
from fuzz.mutations import mutated, reforged
from fuzz.tables import TableCase, file_name, frame_of, table_cases, written
from kernelect.cli.commands import kernelect as group
from kernelect.exceptions import KernelectError
from kernelect.tabular import (
    FoldOptions,
    MachineOptions,
    describe_table,
    fit_table,
    load_model,
    predict_table,
    read_table,
    save_model,
)
from kernelect.tabular.predict import match_columns
from kernelect.tabular.read import Table

WATCH = Watch()

#: Models that are damaged: machine and kernel, on a table with a target of this kind.
MODELS = (
    ("lssvm", "ard", "label"),
    ("lssvm", "polynomial", "value"),
    ("svm", "rbf", "three"),
    ("gp", "rbf", "label"),
    ("rvm", "rbf", "label"),
    ("rvm", "ard", "value"),
    ("basis", "rbf", "value"),
    ("basis", "fourier", "value"),
    ("auto", None, "label"),
    ("auto", None, "value"),
    ("lssvm", "product-laplace", "three"),
)

ORDINARY = TableCase(3, 30, ("number", "category", "half missing", "date"), "label", "csv")


@dataclass(frozen=True)
class FileCase:
    """A table's bytes with some changes."""

    table: TableCase
    seed: int
    changes: int


@dataclass(frozen=True)
class ModelCase:
    """A model's bytes with some changes, blind or careful."""

    model: int
    seed: int
    changes: int
    careful: bool


@st.composite
def file_cases(draw: Any) -> FileCase:
    return FileCase(draw(table_cases()), draw(st.integers(0, 2**20)), draw(st.integers(0, 4)))


@st.composite
def model_cases(draw: Any) -> ModelCase:
    return ModelCase(
        draw(st.integers(0, len(MODELS) - 1)),
        draw(st.integers(0, 2**20)),
        draw(st.integers(1, 3)),
        draw(st.sampled_from((True, True, True, False))),
    )


def judge_file(case: FileCase) -> str:
    """Return "read" or "refused"."""
    data = mutated(written(case.table), case.seed, case.changes)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / file_name(case.table)
        path.write_bytes(data)
        try:
            with WATCH() as seen:
                found = read_table(path)
        except KernelectError as error:
            _require_line(error)
            return "refused"
    _require_harmless(seen)
    if not len(found.frame) or not found.frame.columns.is_unique:
        raise Broken("a table has rows and names", str(found.frame.shape))
    return "read"


@cache
def model_bytes(number: int) -> bytes:
    """Return a whole model file."""
    machine, kernel, _ = MODELS[number]
    effort = "fast" if machine == "auto" else None
    schema, rows, _ = describe_table(model_frame(number), "y")
    model = fit_table(rows, schema, MachineOptions(machine, kernel=kernel, effort=effort), FoldOptions(0))
    with tempfile.TemporaryDirectory() as folder:
        save_model(model, Path(folder) / "m.kernelect")
        return (Path(folder) / "m.kernelect").read_bytes()


@cache
def model_frame(number: int) -> Any:
    from dataclasses import replace

    return frame_of(replace(ORDINARY, target=MODELS[number][2]))


def judge_model(case: ModelCase) -> str:
    """Return "same", "other answers" or "refused"."""
    whole = model_bytes(case.model)
    data = (reforged if case.careful else mutated)(whole, case.seed, case.changes)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.kernelect"
        path.write_bytes(data)
        with WATCH() as seen:
            outcome = _use(path, model_frame(case.model))
    _require_harmless(seen)
    return outcome


def _use(path: Path, frame: Any) -> str:
    try:
        model, _ = load_model(path)
    except KernelectError as error:
        _require_line(error)
        return "refused"
    for words in (["inspect", str(path)], ["inspect", str(path), "--json"]):
        shown = CliRunner().invoke(group, words)
        if shown.exception is not None and not isinstance(shown.exception, SystemExit):
            error = shown.exception
            raise Broken("no traceback", f"inspect: {type(error).__name__}: {error}"[:200]) from error
    try:
        X, _ = match_columns(model.schema, Table(frame, "table"), True)
        found = predict_table(model, X, None)
    except KernelectError as error:
        _require_line(error)
        return "refused on use"
    numbers = found.select_dtypes("number").to_numpy(dtype=float)
    if not np.isfinite(numbers).all():
        raise Broken("answers are finite", f"{np.isnan(numbers).sum()} NaN from a forged model")
    return "used"


def _require_line(error: KernelectError) -> None:
    text = str(error)
    if not text or "\n" in text.strip() or len(text) > 800 or "Traceback" in text:
        raise Broken("an error is one sentence", repr(text[:200]))


def _require_harmless(seen: Watch) -> None:
    if seen.started:
        raise Broken("nothing is executed", seen.started[0])
    if seen.written:
        raise Broken("nothing is written", seen.written[0])
