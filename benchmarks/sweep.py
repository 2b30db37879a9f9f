"""Leaks that are missed and doubts that nag, counted over many public tables.

    python benchmarks/sweep.py --data FOLDER --packages SITE_PACKAGES --csv sweep.csv

The tables are those of ``benchmarks/roles.py``, with at most 400 rows and 15 columns. Leaks are planted into each, one
kind at a time: columns that tell the target alone or together, as they do where a table was made carelessly. A leak
is missed if no doubt names its columns. A doubt about groups would nag if whole groups are as easy to predict as random
parts of the rows, left out exactly at the settings that ``LSSVC()`` or ``LSSVR()`` selected: it is no longer shown.
Wrong roles were counted by reading the list of ``benchmarks/roles.py``.
"""

from __future__ import annotations

import argparse
import csv
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from roles import folder_tables, packaged_tables

from kernelect.exceptions import KernelectError
from kernelect.facts.doubts import examine
from kernelect.tabular import FoldOptions, MachineOptions, describe_table, fit_table
from kernelect.tabular.evidence import TableEvidence
from kernelect.tabular.parts_left_out import PartsLeftOut
from kernelect.tabular.rules.subjects import grouping_columns

_MOST_ROWS, _MOST_COLUMNS, _LEAST_ROWS = 400, 15, 100

LEAKS = ("giveaway", "together")


def planted(y: pd.Series, classes: bool, generator: np.random.Generator) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield kinds of leaks with the columns that make them."""
    n = len(y)
    if not classes:
        share, width = generator.uniform(0.2, 0.8, n), generator.gamma(2.0, float(y.std()), n)
        yield "a copy with noise", {"leak": 2.54 * y + 0.01 * float(y.std()) * generator.normal(size=n)}
        yield "parts of a sum", {"leak 1": share * y, "leak 2": (1.0 - share) * y}
        yield "ends of a range", {"leak 1": y - width, "leak 2": y + width}
        if y.min() > 0.0:
            count = generator.integers(1, 10, n)
            yield "factors of a product", {"leak 1": y / count, "leak 2": count}
        return
    index, k = np.unique(y, return_inverse=True)[1], y.nunique()
    kind, other = generator.integers(0, 8, n), generator.integers(0, k, n)
    yield "a list of finer kinds", {"leak": [f"t{8 * i + j}" for i, j in zip(index, kind, strict=True)]}
    codes = [f"c{code}" for code in (index + other) % k]
    yield "two lists", {"leak 1": [f"d{code}" for code in other], "leak 2": codes}
    if k == 2:
        low, gap = generator.normal(size=n), generator.uniform(0.1, 2.0, n)
        yield "a difference", {"leak 1": low, "leak 2": low + np.where(index == 1, gap, -gap)}


def found_in(frame: pd.DataFrame, target: str, task: str) -> tuple[Any, Any, list[Any]]:
    """Return schema, rows and the doubts about a table."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        schema, rows, _ = describe_table(frame, target, task=task)
        return schema, rows, [each.doubt() for each in examine(TableEvidence(rows, schema)) if each.figures is not None]


def nags(schema: Any, rows: Any, column: str) -> bool:
    """Return whether whole groups of a column are as easy to predict as random parts of the rows."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = fit_table(rows, schema, MachineOptions("lssvm"), FoldOptions(folds=0))
    parts = PartsLeftOut.of(model.model, rows)
    return parts is not None and parts.harder(pd.factorize(rows.X[column])[0]) is None


def lines_of(name: str, frame: pd.DataFrame, target: str) -> Iterator[list[Any]]:
    """Yield what was found in a table as it is, and after each leak was planted."""
    generator = np.random.default_rng(len(frame))
    frame = frame[frame[target].notna()].sample(frac=1.0, random_state=0)[:_MOST_ROWS].sort_index()
    kept = [column for column in frame.columns if column != target][:_MOST_COLUMNS]
    frame = frame[[*kept, target]].reset_index(drop=True)
    task = describe_table(frame, target)[0].task
    schema, rows, doubts = found_in(frame, target, task)
    for doubt in doubts:
        yield [name, "", doubt["code"], "", doubt["sentence"]]
    if schema.group is None:
        for column, _ in list(grouping_columns(rows, schema))[:1]:
            yield [name, "", "groups", "nags" if nags(schema, rows, column) else "", column]
    if len(rows.y) < _LEAST_ROWS or any(doubt["code"] in LEAKS for doubt in doubts):
        return
    frame = frame.iloc[rows.places].reset_index(drop=True)
    for kind, columns in planted(rows.y, schema.classes is not None, generator):
        leaky = frame.drop(columns=target).assign(**columns, **{target: rows.y})
        told = [doubt for doubt in found_in(leaky, target, task)[2] if doubt["code"] in LEAKS]
        missed = not any(all(column in doubt["sentence"] for column in columns) for doubt in told)
        yield [name, kind, "", "missed" if missed else "found", " ".join(doubt["sentence"] for doubt in told)]


def main() -> None:
    """Write what was found in every table, and print how often."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--packages", type=Path)
    parser.add_argument("--count", type=int, default=160)
    parser.add_argument("--csv", type=Path, default=Path("sweep.csv"))
    parser.add_argument("--part", default="1/1", help="such as 2/8: every eighth table, from the second")
    given = parser.parse_args()
    tables = [] if given.data is None else list(folder_tables(given.data))
    tables += packaged_tables(given.packages, given.count) if given.packages else ()
    part, parts = map(int, given.part.split("/"))
    counts: Counter[tuple[str, ...]] = Counter()
    with given.csv.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["table", "planted", "doubt", "judged", "sentence"])
        for table in tables[part - 1 :: parts]:
            try:
                lines = list(lines_of(*table))
            except KernelectError:  # a table that makes no model
                continue
            writer.writerows(lines)
            file.flush()
            counts.update((planted_, doubt, judged) for _, planted_, doubt, judged, _ in lines)
            counts["", "tables", ""] += 1
    for key, count in sorted(counts.items()):
        print(count, *filter(None, key))


if __name__ == "__main__":
    main()
