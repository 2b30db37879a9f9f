"""The frozen list of public tables, and the rule by which it is made.

``public_candidates.csv`` names every candidate with its target, and the columns that are no inputs: identifiers,
other forms of the target and what is known only after it. A candidate is on the list if, in this order,

1. it has 150 to 5000 rows with a target, at least 3 and at most 800 inputs that vary, and at least two classes of 15
   rows or a target with at least 6 values;
2. it is no copy of a table by which the library was developed (``public_excluded.csv``, kept as hashes). A column's
   counts, sorted, say nothing of its coding or its scale. A candidate is a copy if half of its columns have the counts
   of columns of one such table, or half of its columns with 100 fractions or more have the same values;
3. it is not derived from the same source as such a table under another coding (``SAME_SOURCE``, by hand);
4. at most a tenth of its rows have the inputs of rows of a table on the list, and it is no copy of one by rule 2.

No model is fitted here, and none may be before the list is committed.

    python benchmarks/public_tables.py exclude FOLDER...   # hashes of the development tables in these folders
    python benchmarks/public_tables.py freeze              # the list, from the candidates
    python benchmarks/public_tables.py check               # whether the list is what the rule gives
"""

from __future__ import annotations

import csv
import io
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import fields, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from kernelect.datasets.public import PublicTable, file_of, packaged_frame, read_public

HERE = Path(__file__).parent
LIST = HERE.parent / "src" / "kernelect" / "datasets" / "public.csv"
CANDIDATES, EXCLUDED = HERE / "public_candidates.csv", HERE / "public_excluded.csv"

#: Begin of a name -> the development table with the same source, which another coding hides from the hashes.
SAME_SOURCE = {
    "newthyroid": "thyroid",
    "flare": "flare_solar",
    "splice": "splice",
    "titanic": "titanic",
    "carData.Titanic": "titanic",
    "banana": "banana",
    "ring": "ringnorm",
    "twonorm": "twonorm",
    "iris": "iris (the study of peers)",
    "wine,": "wine (the study of peers)",
    "ISLR.College": "colleges_usnews",
    "MASS.Pima": "pima",
    "cleveland": "heart",
    "crx": "crx",
    "hepatitis": "hepatitis",
    "ionosphere": "ionosphere",
    "sonar": "sonar",
    "wdbc": "wdbc",
}
#: Bottom hashes kept of a column with many values, and how many of them must agree.
_SKETCH, _AGREE, _MANY = 8, 6, 100


def short(text: str) -> str:
    """Return a hash of ten digits."""
    return sha256(text.encode()).hexdigest()[:10]


def counts_of(column: pd.Series) -> str | None:
    """Return a hash of how often each value occurs, whatever the values are; None if that says nothing."""
    counts = sorted(Counter(column.dropna().tolist()).values(), reverse=True)
    return None if len(counts) < 2 or counts[0] == 1 else short(repr(counts))


def sketch_of(column: pd.Series) -> tuple[str, ...] | None:
    """Return the smallest hashes of a column's values to five digits; None of one with few values or whole numbers."""
    values = pd.to_numeric(column, errors="coerce").dropna().unique()
    if len(values) < _MANY or np.all(values == np.round(values)):
        return None
    return tuple(sorted(short(f"{value:.5g}") for value in values)[:_SKETCH])


Marks = tuple[set[str], list[tuple[str, ...]]]


def marks_of(frame: pd.DataFrame) -> Marks:
    """Return the count hashes and the sketches of a table's columns."""
    counts = {mark for name in frame if (mark := counts_of(frame[name]))}
    return counts, [mark for name in frame if (mark := sketch_of(frame[name]))]


def is_copy(candidate: Marks, known: Marks) -> bool:
    """Return whether half of the columns agree with those of a known table."""
    same = len(candidate[0] & known[0])
    if same >= 2 and 2 * same >= len(candidate[0]):
        return True
    agree = sum(any(len(set(mark) & set(other)) >= _AGREE for other in known[1]) for mark in candidate[1])
    return agree >= 1 and 2 * agree >= len(candidate[1])


def development(folders: Iterable[str]) -> dict[str, Marks]:
    """Return the marks of all tables in folders: their CSV files, and NumPy archives without one."""
    found: dict[str, Marks] = {}
    for folder in map(Path, folders):
        for path in sorted([*folder.glob("*.csv"), *folder.glob("*.npz")]):
            if path.stem == "index" or path.stem in found:
                continue
            if path.suffix == ".csv":
                frame = pd.read_csv(path)
            else:
                with np.load(path, allow_pickle=False) as archive:
                    frame = pd.DataFrame(archive["X"]).assign(target=archive["y"])
            found[path.stem] = marks_of(frame)
    return found


def write_excluded(found: dict[str, Marks]) -> None:
    """Keep at most 150 of each table's count hashes and 40 of its sketches."""
    lines = ["table,counts,values"]
    for name, (counts, sketches) in sorted(found.items()):
        lines.append(f"{name},{' '.join(sorted(counts)[:150])},{' '.join('-'.join(s) for s in sketches[:40])}")
    EXCLUDED.write_text("\n".join(lines) + "\n", encoding="utf-8")


def read_excluded() -> dict[str, Marks]:
    """Return the marks of the development tables."""
    csv.field_size_limit(10**7)
    with EXCLUDED.open(encoding="utf-8") as file:
        return {
            entry["table"]: (set(entry["counts"].split()), [tuple(s.split("-")) for s in entry["values"].split()])
            for entry in csv.DictReader(file)
        }


def candidates() -> list[PublicTable]:
    """Return what the list is made from."""
    with CANDIDATES.open(encoding="utf-8") as file:
        return [
            PublicTable(**{**entry, "labels": entry["labels"] == "yes", "drop": tuple(entry["drop"].split())})
            for entry in csv.DictReader(file)
        ]


def frozen() -> tuple[list[PublicTable], dict[str, str]]:
    """Return the tables that the rule admits, and the reason against each of the others."""
    development_marks, kept, reasons = read_excluded(), list[PublicTable](), dict[str, str]()
    known: dict[str, Marks] = {}
    rows: Counter[str] = Counter()
    for table in candidates():
        reason = _reason(table, development_marks, known, rows)
        if isinstance(reason, str):
            reasons[table.name] = reason
            continue
        kept.append(reason)
    return kept, reasons


def _reason(
    table: PublicTable, developed: dict[str, Marks], known: dict[str, Marks], rows: Counter[str]
) -> PublicTable | str:
    data = read_public(table)
    size, kinds = data.X.shape, len(np.unique(data.y))
    if not 150 <= size[0] <= 5000 or not 3 <= size[1] <= 800:
        return f"{size[0]} rows, {size[1]} inputs"
    if kinds < (2 if table.labels else 6):
        return f"a target with {kinds} values"
    frame = data.X.assign(**{"target of it": data.y})
    marks = marks_of(frame)
    raw = marks_of(packaged_frame(file_of(table)))  # with all rows and columns
    for name, other in developed.items():
        if is_copy(marks, other) or is_copy(raw, other):
            return f"a copy of {name}"
    for begin, name in SAME_SOURCE.items():
        if f"{table.name},".startswith(begin):
            return f"the source of {name}"
    for name, other in known.items():
        if is_copy(marks, other):
            return f"a copy of {name} on the list"
    own = {short(repr(row)) for row in _rounded(data.X).itertuples(index=False, name=None)}
    if sum(row in rows for row in own) > 0.1 * len(own):
        return "rows of a table on the list"
    known[table.name] = marks
    rows.update(own)
    digest = sha256(file_of(table).read_bytes()).hexdigest()
    return replace(table, rows=size[0], columns=size[1], sha256=digest)


def _rounded(X: pd.DataFrame) -> pd.DataFrame:
    return X.apply(lambda c: c.map(lambda v: f"{v:.5g}" if isinstance(v, float) else str(v)))


def as_csv(tables: list[PublicTable]) -> str:
    """Return the list as text."""
    out = io.StringIO()
    writer: Any = csv.writer(out, lineterminator="\n")
    names = [field.name for field in fields(PublicTable)]
    writer.writerow(names)
    for table in tables:
        values = {name: getattr(table, name) for name in names}
        values |= {"labels": "yes" if table.labels else "no", "drop": " ".join(table.drop)}
        writer.writerow([values[name] for name in names])
    return out.getvalue()


def main(command: str, *folders: str) -> None:
    """Run one of the three commands."""
    if command == "exclude":
        write_excluded(development(folders))
        return
    tables, reasons = frozen()
    if command == "freeze":
        LIST.write_text(as_csv(tables), encoding="utf-8")
        for name, reason in reasons.items():
            print(f"{name}: {reason}")
    elif LIST.read_text(encoding="utf-8") != as_csv(tables):
        sys.exit("public.csv is not what the rule gives.")
    print(f"{sum(t.labels for t in tables)} tables with labels, {sum(not t.labels for t in tables)} with numbers")


if __name__ == "__main__":
    main(*sys.argv[1:])
