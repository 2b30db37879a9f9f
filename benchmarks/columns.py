"""What ``kernelect fit`` takes the columns of tables for, one line per table, to be read by eye.

Every CSV of a folder, its target in the last column, is described as ``kernelect fit`` does before it fits anything.

    python benchmarks/columns.py FOLDER [--csv columns.csv]
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

import pandas as pd

from kernelect.exceptions import KernelectError
from kernelect.tabular import describe_table, read_table
from kernelect.tabular.columns import Column
from kernelect.tabular.schema import Schema

#: Columns of a kind that are named.
_MOST_NAMES = 12


def main() -> None:
    """Describe all tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--csv", type=Path, default=Path("columns.csv"))
    given = parser.parse_args()
    with given.csv.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["table", "target", "numbers", "categories (levels)", "left out", "remarks"])
        writer.writerows(described(path) for path in sorted(given.folder.glob("*.csv")))


def described(path: Path) -> list[str]:
    """Return the cells of one table's line."""
    read = read_table(path)
    target = read.frame.columns[-1]
    try:
        schema, rows, remarks = describe_table(read.frame, target, decimal=read.decimal)
    except KernelectError as error:
        return [path.stem, str(error), "", "", "", ""]
    kinds = [_listed([_named(one, read.frame[one.name]) for one in schema.columns if one.kind == k]) for k in _KINDS]
    unused = _listed([f"{name}: {why}" for name, why in schema.unused.items()])
    asked = [remark for remark in (*read.remarks, *remarks) if not any(words in remark for words in _SHOWN)]
    return [path.stem, _target(schema, len(rows.y)), *kinds, unused, " ".join(asked)]


_KINDS = ("number", "category")

#: Remarks whose content the other cells of the line have: the task, and what was left out.
_SHOWN = ("The task is", "was left out", "columns are constant", "missing cells only")


def _target(schema: Schema, n_rows: int) -> str:
    task = "count" if schema.counts else schema.task
    classes = "" if schema.classes is None else f" ({len(schema.classes)} classes)"
    return f"{schema.target}: {task}{classes}, {n_rows} rows"


def _named(column: Column, cells: pd.Series) -> str:
    return f"{column.name} ({cells.nunique()})" if column.kind == "category" else column.name


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(names[:_MOST_NAMES]) + more


if __name__ == "__main__":
    main()
