"""A file with rows and named columns becomes a frame, or one sentence gives the reason.

Text, Parquet, Feather, Excel, JSON and svmlight, also compressed. Text goes through the csv module first, for the one
thing pandas does silently: it fills rows that are too short.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import pandas as pd

from kernelect.exceptions import InvalidArgument, NotEnoughMemory, UnusableTable, reason_of, unknown_name
from kernelect.extras import load_extra
from kernelect.numerics import available_bytes
from kernelect.tabular.text import (
    Words,
    decoded,
    parse_text,
    require_different_names,
    require_rows,
    separator_of,
    with_words,
    without_heading,
)

#: How a table may be written, by the end of the file's name.
SUFFIXES = {
    ".csv": "csv",
    ".txt": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".feather": "feather",
    ".arrow": "feather",
    ".xlsx": "excel",
    ".xlsm": "excel",
    ".json": "json",
    ".jsonl": "json",
    ".ndjson": "json",
    ".svm": "svmlight",
    ".svmlight": "svmlight",
    ".libsvm": "svmlight",
}
FORMATS = tuple(dict.fromkeys(SUFFIXES.values()))

_ZIP = b"PK\x03\x04"

#: First bytes of compressed files, and how they are compressed.
_COMPRESSED = {
    _ZIP: "zip",
    b"\x1f\x8b": "gzip",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstandard",
}

#: First bytes of files without a telling name.
_MAGIC = {b"PAR1": "parquet", b"ARROW1": "feather", b"FEA1": "feather", b"[{": "json", b'{"': "json"}

#: First bytes of what people try, in small letters, and what to do about it.
_WEB_PAGE = "a web page (HTML): open it in a spreadsheet program, and save the table as .xlsx or CSV"
_FOREIGN = {
    b"\xd0\xcf\x11\xe0": "an old Excel file (.xls): save the sheet as .xlsx or CSV",
    b"7z\xbc\xaf": "a 7z archive: unpack it first",
    b"\x80": "a pickle, which is never loaded: save the table as CSV or Parquet",
    b"sqlite": "an SQLite database: export the table as CSV",
    b"<!doctype html": _WEB_PAGE,
    b"<html": _WEB_PAGE,
    b"<table": _WEB_PAGE,
    b"%pdf": "a PDF: save the table that it shows as CSV",
    b"\x89png": "a picture: type its numbers into a table",
}

#: Name of the target in svmlight files, which name nothing.
SVMLIGHT_TARGET = "target"

#: Memory that a table read as a whole takes, over what Parquet says its cells take, and the share of what is free.
_SWELL, _SHARE = 4.0, 0.8

#: Inputs of an svmlight file at most: one absurd index would make millions of columns, each with a name.
_MOST_INPUTS = 100_000

#: Cells of a sparse file beyond which it is not made dense.
_MOST_CELLS = 200_000_000


@dataclass(frozen=True)
class Table:
    """A frame, where it came from and what was noticed while reading it.

    Attributes
    ----------
    frame : DataFrame
    source : str
        Name of the file without its folder, or "standard input".
    remarks : tuple of str
    absent_is_zero : bool
        Whether absent columns are zeros (sparse files).
    decimal : "." or ",", optional
        Decimal sign of a text, None if cells have types.
    words : tuple of str
        Words of the target that may be a class or stand for missing cells, such as None and NA.
    """

    frame: pd.DataFrame
    source: str
    remarks: tuple[str, ...] = ()
    absent_is_zero: bool = False
    decimal: str | None = None
    words: Words = ()


def read_table(
    path: str | Path,
    format: str | None = None,
    target: str | None = None,
    spelled: Collection[str] = (),
    sheet: str | int | None = None,
) -> Table:
    """Return the table in a file; ``-`` stands for standard input.

    Parameters
    ----------
    path : str or Path
        Files compressed by gzip, bzip2, xz or zip (with one file in it) are read as they are.
    format : "csv", "tsv", "parquet", "feather", "excel", "json" or "svmlight", optional
        By default it follows from the name of the file or its first bytes. ``"csv"`` finds comma, semicolon, tab or
        vertical bar by itself.
    target : str, optional
        Column to predict. Words such as None and NA, which are missing cells elsewhere, stay texts among its texts.
    spelled : collection of str
        Columns of a text whose cells stay as they are written, since a model knows how to read them.
    sheet : str or int, optional
        Name of the sheet of an Excel file, or its number counted from 1; by default the first one with cells.
    """
    if format is not None and format not in FORMATS:
        raise unknown_name("format", format, list(FORMATS))
    data, source = _bytes_of(path)
    data, name = _unpacked(data, source)
    return parse_table(data, source, format or _guessed(data, name), target, spelled, sheet)


def _unpacked(data: bytes, source: str) -> tuple[bytes, str]:
    """Return what a compressed file holds, and the name that tells its format; other files as they are."""
    how = next((how for magic, how in _COMPRESSED.items() if data.startswith(magic)), None)
    if how is None:
        return data, source
    from kernelect.tabular.unpacking import is_spreadsheet, unpacked

    return (data, source) if is_spreadsheet(data) else unpacked(data, source, how)


def parse_table(
    data: bytes,
    source: str,
    format: str,
    target: str | None = None,
    spelled: Collection[str] = (),
    sheet: str | int | None = None,
) -> Table:
    """Return the table in bytes that are not compressed; the arguments are those of :func:`read_table`."""
    if not data.strip():
        raise UnusableTable(f"{source} is empty: give a table with a line of column names and rows below it.")
    if sheet is not None and format != "excel":
        raise InvalidArgument(f"--sheet {str(sheet)!r} is for Excel files, and {source} is none: leave it out.")
    if format in _SEPARATED:
        table = _read_text(data, source, target, _SEPARATED[format], spelled)
    else:
        table = _read_excel(data, source, target, sheet) if format == "excel" else _READERS[format](data, source)
    return replace(table, frame=_checked(table.frame, source))


def require_table(path: str | Path) -> None:
    """Refuse a file that is not there, before anything else is checked; ``-`` is standard input."""
    if str(path) != "-" and not Path(path).exists():
        raise _absent(path)


def _absent(path: str | Path) -> UnusableTable:
    return UnusableTable(f"There is no file {str(path)!r}: check the name and the folder.")


def _bytes_of(path: str | Path) -> tuple[bytes, str]:
    """Return what the file holds and what to call it in messages."""
    if str(path) == "-":
        return _standard_input(), "standard input"
    try:
        return Path(path).read_bytes(), Path(path).name
    except FileNotFoundError as error:
        raise _absent(path) from error
    except IsADirectoryError as error:
        raise UnusableTable(f"{str(path)!r} is a folder: give the file with the table.") from error
    except (OSError, ValueError) as error:  # ValueError: a null character in the name
        reason = getattr(error, "strerror", None) or error
        raise UnusableTable(f"{str(path)!r} cannot be read ({reason}).") from error


def _standard_input() -> bytes:
    try:
        if sys.stdin is None:  # closed by whoever started the program
            raise ValueError("it is closed")
        return sys.stdin.buffer.read()
    except (OSError, ValueError) as error:
        raise UnusableTable(
            f"Standard input cannot be read ({error}): give the name of a file, or send a table through a pipe."
        ) from error


def _guessed(data: bytes, name: str) -> str:
    """Return the format by first bytes, else by name, else text."""
    if data.startswith(_ZIP):
        from kernelect.tabular.unpacking import is_spreadsheet

        if is_spreadsheet(data):
            return "excel"
    for magic, format in _MAGIC.items():
        if data.startswith(magic):
            return format
    first = data[:64].removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    for magic, what in _FOREIGN.items():
        if first.startswith(magic):
            raise UnusableTable(f"{name!r} is {what}.")
    return SUFFIXES.get(Path(name).suffix.lower(), "csv")


def _checked(frame: pd.DataFrame, source: str) -> pd.DataFrame:
    """Return the frame with names that are text, after making sure it has rows and no name twice."""
    require_rows(len(frame), source)
    frame = frame.set_axis([str(name).strip() for name in frame.columns], axis=1)
    require_different_names(frame.columns, source)
    return frame.reset_index(drop=True)


def _read_text(
    data: bytes, source: str, target: str | None, separator: str | None, spelled: Collection[str] = ()
) -> Table:
    text, remarks = decoded(data, source)
    text, above = without_heading(text)
    remarks = [*remarks, *above]
    separator = separator or separator_of(text)
    frame, decimal = parse_text(text, source, separator, spelled)
    words: Words = ()
    if target is not None:
        frame, words = with_words(frame, text, source, separator, target)
    return Table(frame, source, tuple(remarks), decimal=decimal, words=words)


def _read_arrow(data: bytes, source: str, read: Callable[[io.BytesIO], pd.DataFrame], name: str) -> Table:
    load_extra("pyarrow", caller=f"{source} is a {name} file and", extra="parquet")
    try:
        return Table(read(io.BytesIO(data)), source)
    except Exception as error:  # a damaged file fails in pyarrow with errors of many types
        reason = reason_of(error)
        raise UnusableTable(
            f"{source} cannot be read as a {name} file ({reason}): write it again, or save the table as CSV."
        ) from error


def _read_json(data: bytes, source: str) -> Table:
    from kernelect.tabular.json_table import read_json

    return Table(read_json(data, source), source)


def _read_excel(data: bytes, source: str, target: str | None, sheet: str | int | None) -> Table:
    from kernelect.tabular.excel import read_sheet

    frame, remarks, words = read_sheet(data, source, target, sheet)
    return Table(frame, source, remarks, words=words)


def _read_svmlight(data: bytes, source: str) -> Table:
    from sklearn.datasets import load_svmlight_file

    try:
        # Columns are named by the written index: whether a file counts from 0 or 1 cannot be known from a part of it.
        X, y = load_svmlight_file(io.BytesIO(data), zero_based=True)
    except (ValueError, IndexError, OverflowError) as error:
        raise UnusableTable(
            f"{source} cannot be read as an svmlight file ({error}): write each line as a label and index:value pairs."
        ) from error
    if X.shape[1] > _MOST_INPUTS:
        raise UnusableTable(
            f"{source} has the index {X.shape[1] - 1}, and every index up to it is an input: number the inputs without "
            f"gaps, {_MOST_INPUTS} of them at most."
        )
    if X.shape[0] * X.shape[1] > _MOST_CELLS:
        raise UnusableTable(
            f"{source} has {X.shape[0]} rows and {X.shape[1]} inputs, more than {_MOST_CELLS} cells when written out: "
            "keep fewer inputs or rows."
        )
    frame = pd.DataFrame(X.toarray(), columns=[f"x{j}" for j in range(X.shape[1])])
    if "x0" in frame and not frame["x0"].any():
        frame = frame.drop(columns="x0")
    return Table(frame.assign(**{SVMLIGHT_TARGET: y}), source, absent_is_zero=True)


_READERS: dict[str, Callable[[bytes, str], Table]] = {
    "json": _read_json,
    "parquet": partial(_read_arrow, read=pd.read_parquet, name="Parquet"),
    "feather": partial(_read_arrow, read=pd.read_feather, name="Feather"),
    "svmlight": _read_svmlight,
}

#: Separator of each form of text, None if it is to be found.
_SEPARATED: dict[str, str | None] = {"csv": None, "tsv": "\t"}


def require_room(path: str) -> None:
    """Raise if a Parquet file, or another of known size, would not fit into memory when read as a whole."""
    if not os.path.isfile(path):  # no name is too long for it
        return
    needed, free = _SWELL * _cell_bytes(path), available_bytes()
    if needed > _SHARE * free:
        raise NotEnoughMemory(
            f"{path!r} needs about {needed / 2**30:.1f} GiB when it is read as a whole, {free / 2**30:.1f} GiB are "
            "free: read it piece by piece with --engine local."
        )


def _cell_bytes(path: str) -> int:
    """Return the bytes of a file's cells."""
    if Path(path).suffix.lower() not in (".parquet", ".pq"):
        return Path(path).stat().st_size
    from kernelect.tabular.parquet import opened_parquet

    with opened_parquet(path) as file:
        return sum(file.metadata.row_group(k).total_byte_size for k in range(file.metadata.num_row_groups))
