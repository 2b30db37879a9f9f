"""Sheets of Excel files (.xlsx) as frames."""

from __future__ import annotations

import io
import warnings
import zipfile
from itertools import pairwise
from typing import Any

import pandas as pd

from kernelect.exceptions import InvalidArgument, UnusableTable, reason_of
from kernelect.extras import load_extra
from kernelect.facts.names import listed, plain_name
from kernelect.facts.numbers import counted
from kernelect.tabular.text import EMPTY, Words, require_different_names
from kernelect.tabular.unpacking import most_unpacked

#: Unpacked bytes that a sheet may have: a small file can hold one that fills the memory.
_MOST_BYTES = 2**31

#: Rows among which the line of names is looked for.
_HEADING = 20

#: Texts that count as missing, as in text tables; the words among them may be classes of a target.
_EMPTY = frozenset((*EMPTY, "#NV"))
_WORDS = frozenset(("NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None"))


def read_sheet(
    data: bytes, source: str, target: str | None = None, sheet: str | int | None = None
) -> tuple[pd.DataFrame, tuple[str, ...], Words]:
    """Return a sheet, remarks on what was left out, and words of the target.

    Parameters
    ----------
    data : bytes
    source : str
        What the file is called in messages.
    target : str, optional
        Column to predict. Words such as None and NA stay texts among its texts, of which they may be a class.
    sheet : str or int, optional
        Name of the sheet, or its number counted from 1; by default the first one with cells. A sheet of this
        name goes before one of this number.
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
    title = _chosen(sheets, source, target, sheet)
    filled = [name for name, rows in sheets.items() if any(map(_is_filled, rows))]
    others = "" if sheet is not None or len(filled) < 2 else f"Of {_listed(filled, source)}, {title!r} was read: "
    rows, above = _below_titles(sheets[title])
    cells = _cells(rows, source)
    words = _words_of(cells.get(target or "", []))
    frame = pd.DataFrame({name: _column(column, words if name == target else ()) for name, column in cells.items()})
    return frame, (*([f"{others}another one is read with --sheet."] if others else []), *above), words


def _chosen(sheets: dict[str, list[list[Any]]], source: str, target: str | None, sheet: str | int | None) -> str:
    """Return the title of the sheet to read."""
    filled = [title for title, rows in sheets.items() if any(map(_is_filled, rows))]
    if not filled:
        raise UnusableTable(f"{source} is empty: give a sheet with a line of column names and rows below it.")
    titles = list(sheets)
    if sheet is None:
        having = [title for title in filled if target is None or target in _names(sheets[title])]
        if having and having[0] != filled[0]:
            raise UnusableTable(
                f"The first of {_listed(filled, source)} has no column {target!r}: give --sheet {having[0]!r}."
            )
        return filled[0]
    if sheet in titles:
        title = str(sheet)
    elif str(sheet).isdecimal() and 1 <= int(sheet) <= len(titles):
        title = titles[int(sheet) - 1]
    else:
        one = "the only sheet" if len(titles) == 1 else "one"
        raise InvalidArgument(
            f"--sheet {str(sheet)!r} must be {one} of {_listed(titles, source)}, or a number from 1 to {len(titles)}."
        )
    if title not in filled:
        raise UnusableTable(f"The sheet {title!r} of {source} is empty: give --sheet {filled[0]!r}.")
    return title


def _listed(titles: list[str], source: str) -> str:
    return f"the {counted(len(titles), 'sheet')} of {source} ({listed([plain_name(title) for title in titles], 10)})"


def _names(rows: list[list[Any]]) -> set[str]:
    """Return the names of a sheet's columns."""
    line = next(row for row in _below_titles(rows)[0] if _is_filled(row))
    return {str(cell).strip() for cell in line if cell is not None}


def _below_titles(rows: list[list[Any]]) -> tuple[list[list[Any]], list[str]]:
    """Return the rows from the line of names on, and a remark on comments and titles above it.

    A title is a row of one cell over wider ones; a comment begins with ``#`` and has fewer cells than the names.
    """
    filled = [row for row in rows if _is_filled(row)]
    sizes = [sum(cell is not None for cell in row) for row in filled]
    names = next(
        (
            place
            for place, pair in enumerate(pairwise(sizes[:_HEADING]))
            if min(pair) > 1 and not _is_comment(filled, sizes, place)
        ),
        0,
    )
    if not names or not all(sizes[place] == 1 or _begins_comment(filled[place]) for place in range(names)):
        return rows, []
    first = next(str(cell) for cell in filled[0] if cell is not None)
    what = "line above the names of the columns was" if names == 1 else "lines above the names of the columns were"
    return filled[names:], [f"{names} {what} left out: {first[:60]!r}."]


def _is_comment(filled: list[list[Any]], sizes: list[int], place: int) -> bool:
    below = filled[place + 1]
    return _begins_comment(filled[place]) and (sizes[place] < sizes[place + 1] or _begins_comment(below))


def _begins_comment(row: list[Any]) -> bool:
    return str(next(cell for cell in row if cell is not None)).lstrip().startswith("#")


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
    require_different_names(spelled, source)
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
