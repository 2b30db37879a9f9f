"""Sheets of Excel files (.xlsx) as frames."""

from __future__ import annotations

import io
import warnings
import zipfile
from typing import Any

import pandas as pd

from kernelect.exceptions import UnusableTable, reason_of
from kernelect.extras import load_extra
from kernelect.tabular.text import EMPTY, Words
from kernelect.tabular.unpacking import most_unpacked

#: Unpacked bytes that a sheet may have: a small file can hold one that fills the memory.
_MOST_BYTES = 2**31

#: Texts that count as missing, as in text tables; the words among them may be classes of a target.
_EMPTY = frozenset((*EMPTY, "#NV"))
_WORDS = frozenset(("NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None"))


def read_sheet(data: bytes, source: str, target: str | None = None) -> tuple[pd.DataFrame, tuple[str, ...], Words]:
    """Return the first sheet with a line of names, a remark if there are other sheets, and words of the target.

    Words such as None and NA stay texts in a target of texts, of which they may be a class.
    """
    openpyxl = load_extra("openpyxl", caller=f"{source} is an Excel file and", extra="excel")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            size = sum(member.file_size for member in archive.infolist())
        if size > (most := most_unpacked(len(data), _MOST_BYTES)):
            raise UnusableTable(f"{source} unpacks to more than {most // 2**20} MB: save the sheet as CSV.")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of styles and validations, which hold no cells
            book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
            sheets = {
                sheet.title: [list(row) for row in sheet.iter_rows(values_only=True)] for sheet in book.worksheets
            }
    except UnusableTable:
        raise
    except Exception as error:  # a damaged file fails in openpyxl with errors of many types
        reason = reason_of(error)
        raise UnusableTable(f"{source} cannot be read as an Excel file ({reason}): save the sheet as CSV.") from error
    filled = {title: rows for title, rows in sheets.items() if any(_is_filled(row) for row in rows)}
    if not filled:
        raise UnusableTable(f"{source} is empty: give a sheet with a line of column names and rows below it.")
    title = next(iter(filled))
    others = f"{source} has {len(filled)} sheets: the first, {title!r}, was read." if len(filled) > 1 else ""
    rows, above = _below_titles(filled[title])
    cells = _cells(rows, source)
    words = _words_of(cells.get(target or "", []))
    frame = pd.DataFrame({name: _column(column, words if name == target else ()) for name, column in cells.items()})
    return frame, (*([others] if others else []), *above), words


def _below_titles(rows: list[list[Any]]) -> tuple[list[list[Any]], list[str]]:
    """Return the rows from the line of names on, and a remark on titles above it: rows of one cell over wider ones."""
    filled = [row for row in rows if _is_filled(row)]
    sizes = [sum(cell is not None for cell in row) for row in filled]
    titles = 0
    while titles + 2 < len(filled) and sizes[titles] == 1 and min(sizes[titles + 1 : titles + 3]) > 1:
        titles += 1
    if not titles:
        return rows, []
    first = next(str(cell) for cell in filled[0] if cell is not None)
    return filled[titles:], [f"A title above the names of the columns was left out: {first[:60]!r}."]


def _cells(rows: list[list[Any]], source: str) -> dict[str, list[Any]]:
    """Return the rows below the first one that is filled, without columns that have neither name nor cell."""
    rows = [row for row in rows if _is_filled(row)]
    width = max(map(len, rows))
    padded = [[*row, *[None] * (width - len(row))] for row in rows]
    names, cells = padded[0], padded[1:]
    used = [j for j in range(width) if names[j] is not None or any(row[j] is not None for row in cells)]
    nameless = next((j for j in used if names[j] is None), None)
    if nameless is not None:
        raise UnusableTable(
            f"{source}: column {nameless + 1} has cells but no name in the first line that is filled: name it, and "
            "remove titles above the table."
        )
    spelled = [str(names[j]).strip() for j in used]
    twice = next((name for name in spelled if spelled.count(name) > 1), None)
    if twice is not None:
        raise UnusableTable(f"{source} has more than one column named {twice!r}: rename or remove all but one.")
    return {name: [row[j] for row in cells] for name, j in zip(spelled, used, strict=True)}


def _words_of(cells: list[Any]) -> Words:
    """Return the words among the cells that may be classes: other texts are there too."""
    texts = {cell.strip() for cell in cells if isinstance(cell, str)} - _EMPTY
    return tuple(sorted(texts & _WORDS)) if texts - _WORDS else ()


def _column(cells: list[Any], words: Words) -> pd.Series:
    missing = (_EMPTY | _WORDS) - set(words)
    found = [None if isinstance(cell, str) and cell.strip() in missing else cell for cell in cells]
    return pd.Series(found, dtype=object).infer_objects()


def _is_filled(row: list[Any]) -> bool:
    return any(cell is not None and str(cell).strip() for cell in row)
