"""All cells as one flat table, for other tools and to continue from (:mod:`kernelect.studies.imports`)."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kernelect.exceptions import unknown_name
from kernelect.files import write_whole
from kernelect.spreadsheets import csv_of_rows, harmless, harmless_json
from kernelect.studies.cells import Outcome
from kernelect.studies.definition import Study
from kernelect.studies.store import Results

#: Significant digits of a compact table: far more than any table prints, and half the size of all of them.
_DIGITS = 8


def rows(results: Results) -> Iterator[dict[str, Any]]:
    """Yield one flat dict per cell: its key, its result and where it ran."""
    study = results.study
    for cell in results.cells():
        yield {
            **_identity(study, cell),
            "seconds": cell.seconds,
            "seed": cell.seed,
            "ended": cell.ended,
            **{name: value for name, value in cell.figures.items() if not isinstance(value, dict)},
            "environment": cell.environment,
        }


def compact_rows(results: Results) -> Iterator[dict[str, Any]]:
    """Yield the part of each cell that tables and continued runs need, small enough to store with a page."""
    study = results.study
    shown = {name.strip() for table in study.tables for name in table.metric.split(",")} | {"split_kind"}
    if any(table.kind == "against" for table in study.tables):
        shown.add("fit_seconds")
    handed_on = {method.needs for method in study.methods.values()}
    for cell in results.cells():
        whole = cell.key.method in handed_on or not study.tables
        kept = {name: value for name, value in cell.figures.items() if whole or name in shown}
        yield {
            **_identity(study, cell),
            "version": _version(cell),
            "seconds": float(f"{cell.seconds:.4g}"),
            **{name: _shortened(value) for name, value in kept.items()},
        }


def _identity(study: Study, cell: Outcome) -> dict[str, Any]:
    known = cell.key.dataset in study.datasets and cell.key.method in study.methods
    mark = study.fingerprint(cell.key.dataset, cell.key.method) if known else ""
    return {
        "study": study.name,
        **cell.key._asdict(),
        "definition": mark,
        "state": cell.state,
        "message": cell.message,
    }


def _version(cell: Outcome) -> Any:
    """Return the version of this library, with the commit of a checkout."""
    packages, commit = cell.environment.get("packages"), cell.environment.get("commit")
    version = packages.get("kernelect", "") if isinstance(packages, dict) else ""
    return f"{version}+{commit}" if commit else version


def _shortened(value: Any) -> Any:
    """Round a number; lists are handed to other methods and stay as they are."""
    return float(f"{value:.{_DIGITS}g}") if isinstance(value, float) else value


def export(results: Results, path: Path, force: bool = False, *, compact: bool = False) -> int:
    """Write all cells to a .csv, .json or .jsonl file and return their number."""
    if path.suffix not in _WRITERS:
        raise unknown_name("the ending of --out", path.suffix, list(_WRITERS))
    found = list(compact_rows(results) if compact else rows(results))
    text = io.StringIO(newline="")
    _WRITERS[path.suffix](found, text)
    write_whole(path, text.getvalue().encode(), force)
    return len(found)


def _write_csv(found: list[dict[str, Any]], file: Any) -> None:
    names = list(dict.fromkeys(name for row in found for name in row))
    cells = ([cell_text(row[name]) if name in row else "" for name in names] for row in found)
    file.write(csv_of_rows([names, *cells]))


def cell_text(value: Any) -> str:
    """Return a value as a CSV cell: plain words as they are, anything else as JSON.

    Words that look like JSON, or like a formula of a spreadsheet, are JSON too: an import reads them as they were.
    """
    plain = isinstance(value, str) and from_text(value) == value == harmless(value)
    return str(value) if plain else harmless_json(json.dumps(value))


def from_text(text: str) -> Any:
    """Return the value of a CSV cell."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _write_json(found: list[dict[str, Any]], file: Any) -> None:
    json.dump(found, file, indent=1)


def _write_lines(found: list[dict[str, Any]], file: Any) -> None:
    file.writelines(json.dumps(row) + "\n" for row in found)


_WRITERS = {".csv": _write_csv, ".json": _write_json, ".jsonl": _write_lines}
