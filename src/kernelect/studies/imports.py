"""Reads the cells of an exported table, so that a study can continue where an earlier one ended."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kernelect.exceptions import InvalidArgument
from kernelect.studies.cells import DONE, FAILED, TIMED_OUT, Key, Outcome
from kernelect.studies.definition import Study, read_study
from kernelect.studies.export import from_text
from kernelect.studies.run import seed_of

_NEEDED = ("study", "dataset", "method", "split", "definition", "state", "message", "seconds")

#: Columns that are no figures.
_ABOUT = {*_NEEDED, "seed", "ended", "environment", "version"}


def read_cells(path: Path, name: str | None = None) -> tuple[Study, list[Outcome]]:
    """Return the study of an exported .csv and its cells, after checking that all fit its present definition.

    Parameters
    ----------
    path : Path
        What ``kernelect study export`` wrote.
    name : str, optional
        A built-in study or the path of a TOML file; by default the built-in study that the file names.
    """
    table = _read(path)
    study = read_study(name) if name else _named(table[0]["study"], path)
    cells = [_cell(study, row, f"line {number} of {path}") for number, row in enumerate(table, 2)]
    if len({cell.key for cell in cells}) < len(cells):
        raise InvalidArgument(f"{path} holds a cell twice: export it again with kernelect study export.")
    return study, cells


def _named(name: str, path: Path) -> Study:
    whole, quick = name.removesuffix("-quick"), name.endswith("-quick")
    try:
        return read_study(whole, quick=quick)
    except InvalidArgument as error:
        raise InvalidArgument(
            f"{path} holds cells of {name!r}, which is not built in: name its definition with --study, such as "
            f"--study {name}.toml."
        ) from error


def _read(path: Path) -> list[dict[str, Any]]:
    try:
        with path.open(newline="", encoding="utf-8") as file:
            table = list(csv.DictReader(file, restval=""))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = getattr(error, "strerror", None) or error
        raise InvalidArgument(f"{path} cannot be read ({reason}): give a .csv of kernelect study export.") from error
    missing = [name for name in _NEEDED if not table or name not in table[0]]
    if missing or any(None in row for row in table):  # a line longer than the heading
        raise InvalidArgument(
            f"{path} has no {', '.join(missing) or 'heading for each column'}: give a .csv of kernelect study export."
        )
    return [{name: from_text(text) for name, text in row.items()} for row in table]


def _cell(study: Study, row: Mapping[str, Any], place: str) -> Outcome:
    key = Key(row["dataset"], row["method"], row["split"])
    if row["study"] != study.name or key.dataset not in study.datasets or key.method not in study.methods:
        raise InvalidArgument(
            f"{place} is {key} of {row['study']!r}, which is no cell of {study.name!r}: give the definition it was run "
            "with by --study."
        )
    if row["definition"] != study.fingerprint(key.dataset, key.method):
        raise InvalidArgument(
            f"{place} is {key}, run with another definition of its method, data set or protocol: take its rows out of "
            "the file, and run them again."
        )
    if row["state"] not in (DONE, FAILED, TIMED_OUT):
        raise InvalidArgument(f"state = {row['state']!r} in {place} must be {DONE}, {FAILED} or {TIMED_OUT}.")
    for name, kind in (("split", int), ("seconds", int | float)):
        if not isinstance(row[name], kind) or not row[name] >= 0:
            raise InvalidArgument(f"{name} = {row[name]!r} in {place} must be a number, not negative: export it again.")
    figures = {name: value for name, value in row.items() if name not in _ABOUT and value != ""}
    seed, ended = seed_of(key, study.seed), row.get("ended") or None
    return Outcome(
        key=key,
        state=row["state"],
        message=row["message"],
        figures=figures,
        seconds=row["seconds"],
        seed=seed,
        environment=_environment(row),
        ended=ended,
    )


def _environment(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return where a cell ran: all of it, or of a compact table the version of this library."""
    if row.get("environment"):
        return dict(row["environment"])
    return {"packages": {"kernelect": row["version"]}} if row.get("version") else {}
