"""Made-up tables with columns of every kind, written the way people write them."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

#: What a spreadsheet, a browser, a shell or a parser might trip over.
NASTY = (
    "=1+1",
    "<script>alert(1)</script>",
    "a,b",
    'quote"quote',
    "line\nbreak",
    "ä€😀",
    "",
    " ",
    "NA",
    "?",
    "-",
    "'",
    "1e999",
)

COLUMNS = (
    "number",
    "whole",
    "category",
    "many categories",
    "date",
    "late date",
    "flag",
    "constant",
    "row number",
    "missing",
    "half missing",
    "nasty",
    "huge",
    "mixed",
    "vast",
)

TARGETS = ("label", "label", "value", "value", "three", "flag", "rare", "mixed label", "tiny value", "missing label")

STYLES = (
    *("csv", "semicolon", "tsv", "bom", "latin1", "utf16", "crlf", "parquet", "feather", "svmlight"),
    *("gzip", "bzip2", "xz", "zip", "excel"),
)

#: How the file of each style ends.
SUFFIXES = {"tsv": ".tsv", "parquet": ".parquet", "feather": ".feather", "svmlight": ".svm", "excel": ".xlsx"}
SUFFIXES |= {"gzip": ".csv.gz", "bzip2": ".csv.bz2", "xz": ".csv.xz", "zip": ".zip"}


@dataclass(frozen=True)
class TableCase:
    """What a table holds and how it is written."""

    seed: int
    rows: int
    columns: tuple[str, ...]
    target: str
    style: str


@st.composite
def table_cases(draw: Any, styles: tuple[str, ...] = STYLES) -> TableCase:
    return TableCase(
        draw(st.integers(0, 2**16)),
        draw(st.one_of(st.integers(12, 30), st.integers(12, 30), st.integers(0, 12))),
        ("number", *draw(st.lists(st.sampled_from(COLUMNS), max_size=4))),
        draw(st.sampled_from(TARGETS)),
        draw(st.sampled_from(styles)),
    )


def frame_of(case: TableCase) -> pd.DataFrame:
    """Return the table itself; its target is the column ``y``."""
    generator = np.random.default_rng(case.seed)
    n = case.rows
    frame = pd.DataFrame({f"c{number} {kind}": _column(kind, n, generator) for number, kind in enumerate(case.columns)})
    signal = pd.to_numeric(frame.iloc[:, 0]).to_numpy(dtype=float) + 0.3 * generator.normal(size=n)
    return frame.assign(y=_target(case.target, signal, generator))


def _column(kind: str, n: int, generator: np.random.Generator) -> Any:
    numbers = generator.normal(size=n)
    half = np.where(generator.random(n) < 0.5, np.nan, numbers)
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(generator.integers(0, 900, size=n), unit="D")
    return {
        "number": lambda: numbers,
        "whole": lambda: generator.integers(-5, 100, size=n),
        "category": lambda: generator.choice(["red", "green", "blue"], size=n),
        "many categories": lambda: generator.choice([f"level {k}" for k in range(40)], size=n),
        "date": lambda: days.strftime("%Y-%m-%d"),
        "late date": lambda: np.where(numbers > 1.0, "9999-12-31", days.strftime("%Y-%m-%d")),
        "flag": lambda: numbers > 0,
        "constant": lambda: np.full(n, 7),
        "row number": lambda: np.arange(n),
        "missing": lambda: np.full(n, np.nan),
        "half missing": lambda: half,
        "nasty": lambda: generator.choice(NASTY, size=n),
        "huge": lambda: 1e200 * numbers,
        "mixed": lambda: [str(round(v, 3)) if v > 0 else "none" for v in numbers],
        "vast": lambda: np.full(n, 1e30),
    }[kind]()


def _target(kind: str, signal: Any, generator: np.random.Generator) -> Any:
    rank = np.argsort(np.argsort(signal)) / max(len(signal), 1)
    label = np.where(rank < 0.5, "low", "high").astype(object)
    return {
        "label": lambda: label,
        "value": lambda: 10.0 * signal,
        "three": lambda: np.array(["a", "b", "c"])[np.minimum((3 * rank).astype(int), 2)],
        "flag": lambda: rank < 0.4,
        "rare": lambda: np.where(rank == 0, "rare", "usual"),
        "mixed label": lambda: [str(v) if v == "low" else 3 for v in label],
        "tiny value": lambda: 1e-300 * signal,
        "missing label": lambda: np.where(generator.random(len(signal)) < 0.2, None, label),
    }[kind]()


def written(case: TableCase) -> bytes:
    """Return the bytes of the file."""
    frame = frame_of(case)
    if case.style in ("parquet", "feather"):
        return _arrow(frame, case.style)
    if case.style == "excel":
        return _excel(frame)
    if case.style == "svmlight":
        return _svmlight(frame)
    separator = {"semicolon": ";", "tsv": "\t"}.get(case.style, ",")
    text = frame.to_csv(index=False, sep=separator, lineterminator="\r\n" if case.style == "crlf" else "\n")
    encoding = {"bom": "utf-8-sig", "latin1": "latin-1", "utf16": "utf-16"}.get(case.style, "utf-8")
    return _PACKERS.get(case.style, bytes)(text.encode(encoding, errors="replace"))


def _zipped(data: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("table.csv", data)
    return file.getvalue()


_PACKERS = {"gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress, "zip": _zipped}


def _excel(frame: pd.DataFrame) -> bytes:
    file = io.BytesIO()
    frame.to_excel(file, index=False)
    return file.getvalue()


def _arrow(frame: pd.DataFrame, style: str) -> bytes:
    file = io.BytesIO()
    plain = frame.astype({name: "str" for name in frame.columns if frame[name].dtype == object})
    plain.to_parquet(file) if style == "parquet" else plain.to_feather(file)
    return file.getvalue()


def _svmlight(frame: pd.DataFrame) -> bytes:
    numbers = frame.select_dtypes("number")
    labels = pd.factorize(frame["y"].astype(str))[0]
    lines = [
        " ".join([str(label), *(f"{j + 1}:{value}" for j, value in enumerate(row) if value == value)])
        for label, row in zip(labels, numbers.to_numpy(), strict=True)
    ]
    return ("\n".join(lines) + "\n").encode()


def file_name(case: TableCase) -> str:
    return "table" + SUFFIXES.get(case.style, ".csv")
