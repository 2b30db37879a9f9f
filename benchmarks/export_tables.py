"""Exports against Python on a folder of CSV tables: the largest difference of ONNX and C, double and single.

    python benchmarks/export_tables.py FOLDER [--rows 200] [--seconds 20] [--out differences.csv]

Each table has its target in the last column. A model is fitted to some of its rows with effort "fast"; others are
predicted as they are, with a missing cell in every column in turn, with a level never seen in every column of text,
and with all numbers moved by a thousand. Probabilities are compared as they are, numbers in units of the target's
standard deviation, or of their own size where that is larger.
"""

from __future__ import annotations

import argparse
import csv
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from kernelect.exceptions import KernelectError
from kernelect.export import onnx_inputs, to_c, to_onnx
from kernelect.export.evaluate import coded_rows
from kernelect.export.models import program_of
from kernelect.extras import load_extra
from kernelect.tabular import FoldOptions, MachineOptions, TableModel, describe_table, fit_table, read_table

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from oracles.compiled import run_c

#: By how much exports may differ.
LIMITS = {"onnx double": 1e-9, "onnx float32": 1e-4, "c double": 1e-9, "c float": 1e-4}

_PLAIN = 20  # rows as they are


def fitted(path: Path, rows: int, seconds: float) -> tuple[TableModel, pd.DataFrame]:
    """Return a model of some rows of a table, and rows to try it on."""
    frame = read_table(path).frame
    frame = frame.sample(n=min(rows, len(frame)), random_state=0).reset_index(drop=True)
    schema, found, _ = describe_table(frame, str(frame.columns[-1]))
    options = MachineOptions(effort="fast", time_limit=seconds)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = fit_table(found, schema, options, FoldOptions(folds=0))
    return model, tried(found.X, {column.name: column.kind for column in schema.columns})


def tried(X: pd.DataFrame, kinds: dict[str, str]) -> pd.DataFrame:
    """Return rows as they are, and some that are unlike those of the fit."""
    parts, first = [X[:_PLAIN]], X[:1]
    for name in list(X.columns)[:40]:
        text = kinds[str(name)] == "category"
        parts.append(_changed(first, name, None if text else np.nan))
        if text:
            parts.append(_changed(first, name, "a level never seen"))
    numbers = [name for name in X.columns if kinds[str(name)] == "number"]
    moved = first.astype(object)
    for name in numbers:
        moved[name] = first[name].astype(float) + 1000.0
    parts.append(moved)
    return pd.concat([part.astype(object) for part in parts], ignore_index=True).pipe(_typed, kinds)


def _changed(row: pd.DataFrame, name: str, cell: Any) -> pd.DataFrame:
    out = row.astype(object)
    out[name] = pd.Series([cell], index=out.index, dtype=object)
    return out


def _typed(X: pd.DataFrame, kinds: dict[str, str]) -> pd.DataFrame:
    return pd.DataFrame({name: X[name] if kinds[str(name)] == "category" else X[name].astype(float) for name in X})


def in_python(model: TableModel, X: pd.DataFrame) -> np.ndarray:
    """Return probabilities, or predicted numbers, (m, k)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pipeline = model.pipeline
        said = pipeline.predict_proba(X) if model.schema.classes is not None else pipeline.predict(X)
    return np.asarray(said, dtype=float).reshape(len(X), -1)


def in_onnx(model: TableModel, X: pd.DataFrame, real: str) -> np.ndarray:
    """Return what onnxruntime makes of the exported model."""
    runtime: Any = load_extra("onnxruntime", caller="benchmarks/export_tables.py", extra="onnx")
    written = to_onnx(model, real=real)
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    session = runtime.InferenceSession(written.SerializeToString(), options, providers=["CPUExecutionProvider"])
    name = "probabilities" if model.schema.classes is not None else session.get_outputs()[-1].name
    found = session.run([name], onnx_inputs(written, X))[0]
    return np.asarray(found, dtype=float).reshape(len(X), -1)


def in_c(model: TableModel, X: pd.DataFrame, real: str) -> np.ndarray:
    """Return what the compiled header says."""
    program = program_of(model)
    coded = coded_rows(program, X[[column.name for column in program.columns]].to_numpy(dtype=object).tolist())
    with tempfile.TemporaryDirectory() as folder:
        return run_c(to_c(model, real=real), coded, Path(folder), real, sanitized=False)


def differences(model: TableModel, X: pd.DataFrame) -> dict[str, float]:
    """Return the largest difference of every export from Python."""
    expected = in_python(model, X)
    scale = np.ones_like(expected)
    if model.schema.classes is None:  # far from all rows a number may be huge, and its digits are what counts
        scale = np.maximum(float(np.std(expected[:_PLAIN])) or 1.0, np.abs(expected))
    found = {
        "onnx double": in_onnx(model, X, "double"),
        "onnx float32": in_onnx(model, X, "float32"),
        "c double": in_c(model, X, "double"),
        "c float": in_c(model, X, "float"),
    }
    return {name: float((np.abs(values - expected) / scale).max()) for name, values in found.items()}


def main() -> int:
    """Compare all tables and say how many are within the limits."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="folder with CSV files")
    parser.add_argument("--rows", type=int, default=200, help="rows that are fitted, at most")
    parser.add_argument("--seconds", type=float, default=20.0, help="time of one fit, at most")
    parser.add_argument("--budget", type=float, default=float("inf"), help="seconds for all tables together")
    parser.add_argument("--out", type=Path, help="CSV file for the differences; tables that are in it are not repeated")
    given = parser.parse_args()
    done = _read(given.out)
    began = time.monotonic()
    for path in sorted(given.folder.glob("*.csv")):
        if path.stem in done or time.monotonic() - began > given.budget:
            continue
        try:
            done[path.stem] = differences(*fitted(path, given.rows, given.seconds))
        except KernelectError as error:
            print(f"{path.stem:<24}{error}", flush=True)
            continue
        print(f"{path.stem:<24}" + "".join(f"{value:>10.0e}" for value in done[path.stem].values()), flush=True)
        _write(given.out, done)
    for name, limit in LIMITS.items():
        values = np.array([one[name] for one in done.values()])
        print(f"{name:<14}{np.sum(values <= limit):>4} of {len(values)} within {limit:g}, largest {values.max():.1e}")
    return int(any(one[name] > limit for one in done.values() for name, limit in LIMITS.items()))


def _read(path: Path | None) -> dict[str, dict[str, float]]:
    if path is None or not path.exists():
        return {}
    with path.open(newline="") as lines:
        return {line["table"]: {name: float(line[name]) for name in LIMITS} for line in csv.DictReader(lines)}


def _write(path: Path | None, done: dict[str, dict[str, float]]) -> None:
    if path is None:
        return
    with path.open("w", newline="") as lines:
        writer = csv.DictWriter(lines, ["table", *LIMITS])
        writer.writeheader()
        writer.writerows({"table": name, **values} for name, values in done.items())


if __name__ == "__main__":
    sys.exit(main())
