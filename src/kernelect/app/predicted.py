"""Predictions that a command wrote as CSV: the first of them for the page, and all of them as a sheet of Excel."""

from __future__ import annotations

import csv
import itertools
from pathlib import Path
from typing import Any

import pandas as pd

from kernelect.files import write_whole
from kernelect.tabular.write import writer_for


def first_rows(path: Path, count: int) -> list[list[str]]:
    """Return the names and the first rows."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(itertools.islice(csv.reader(file), count + 1))


def write_sheet(path: Path, sheet: Path) -> None:
    """Write the same cells as a sheet, unless it is there and no older."""
    if sheet.is_file() and sheet.stat().st_mtime_ns >= path.stat().st_mtime_ns:
        return
    with path.open(encoding="utf-8", newline="") as file:
        names, *rows = csv.reader(file)
    frame = pd.DataFrame([[_cell(text) for text in row] for row in rows], columns=names, dtype=object)
    write_whole(sheet, writer_for(sheet)(frame.infer_objects()), force=True)


def _cell(text: str) -> Any:
    """Return a number if it would be written in just these characters: 007 is a name."""
    for kind in (int, float):
        try:
            number = kind(text)
        except ValueError:
            continue
        if str(number) == text:
            return number
    return text or None
