"""Bytes of a text table become characters, then cells."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Collection, Iterable
from itertools import pairwise
from typing import Any

import pandas as pd

from kernelect.exceptions import UnusableTable, reason_of
from kernelect.inputs.numerals import COMMA, POINT, decimal_sign

#: Words of a target that may be classes, or stand for missing cells.
Words = tuple[str, ...]

#: Encodings told by the first bytes (a UTF-32 mark begins like a UTF-16 one, so it comes first).
_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}

#: Separators that are looked for, in the order in which ties are broken.
_SEPARATORS = (",", ";", "\t", "|")

#: A cell that is a number: no line of names below titles has one.
_A_NUMBER = re.compile(r"(^|[,;\t|])\s*[-+]?[\d.]+\s*($|[,;\t|\r])")

#: What a line without a filled cell consists of.
_FILLING = "".join(_SEPARATORS) + " \r"

#: Lines among which the line of names is looked for, if comments and titles stand above it.
_HEADING = 50

#: Cells that count as missing beside those pandas knows ("", "NA", "null", ...).
_MISSING = ["?"]

#: Cells that are missing even where words such as "NA" may be classes.
EMPTY = ("", "?", "#N/A")

#: A cell of digits that begins with a zero; and somewhere in a text, where a quick look tells that there is none.
_LEADING_ZEROS = r"\s*0\d\d+\s*"
_SOMEWHERE = re.compile(rf'(?:^|[,;|\t"]){_LEADING_ZEROS}(?:$|[,;|\t"])', re.MULTILINE)


def decoded(data: bytes, source: str) -> tuple[str, list[str]]:
    """Return the text and remarks: by its mark, else UTF-8, else Latin-1 as Windows writes it, with a remark."""
    marked = next((name for mark, name in _MARKS.items() if data.startswith(mark)), None)
    try:
        text, remarks = data.decode(marked or "utf-8"), []
    except UnicodeDecodeError as error:
        if marked is not None:
            raise UnusableTable(f"{source} begins as {marked} text but is not: save it as UTF-8.") from error
        text = _old_text(data)
        remarks = [f"{source} is not UTF-8 and was read as Windows-1252: check names and labels with accents."]
    if "\0" in text:
        raise UnusableTable(
            f"{source} is not text (it holds null characters): give CSV or TSV in UTF-8, Parquet, Feather or svmlight."
        )
    return text, remarks


def _old_text(data: bytes) -> str:
    try:
        return data.decode("cp1252")  # Latin-1 with €, quotes and dashes in the place of control characters
    except UnicodeDecodeError:
        return data.decode("latin-1")


def parse_text(
    text: str, source: str, separator: str | None = None, spelled: Collection[str] = ()
) -> tuple[pd.DataFrame, str]:
    """Return the table in a text with one line of names, and its decimal sign.

    Numbers that Python would not write so (``3.380,34``, ``9%``) stay as they are: what a column is is judged
    where its whole table is known.

    Parameters
    ----------
    text, source : str
    separator : str, optional
        Comma, semicolon, tab or vertical bar, whichever the line of names has most of, unless given.
    spelled : collection of str
        Columns that stay as they are written, whatever they look like.
    """
    separator = separator or separator_of(text)
    _check_rectangular(text, source, separator)
    frame = _parsed(text, source, separator)
    sign = _sign(frame, separator)
    zeros = _SOMEWHERE.search(text) is not None
    sure = [name for name in frame.columns if str(name).strip() in spelled]
    suspects = frame.columns if zeros or sign == COMMA else ()
    doubtful = [name for name in suspects if _may_be_misread(frame[name], sign, zeros)]
    if sure or doubtful:
        cells = _parsed(text, source, separator, usecols=[*sure, *doubtful], dtype="str")
        misread = [name for name in doubtful if _is_misread(cells[name], sign)]
        frame = frame.assign(**{name: cells[name] for name in (*sure, *misread)})
    return frame, sign


def with_words(frame: pd.DataFrame, text: str, source: str, separator: str, target: str) -> tuple[pd.DataFrame, Words]:
    """Return the table with words such as None and NA as texts in a target of texts, and which words there are.

    pandas takes them for missing cells. In a target they may be a class.
    """
    name = next((name for name in frame.columns if str(name).strip() == target), None)
    if name is None or not _has_texts_and_gaps(frame[name]):
        return frame, ()
    spelled = _parsed(text, source, separator, usecols=[name], dtype="str", keep_default_na=False, na_values=EMPTY)
    found = spelled[name][frame[name].isna()].dropna().unique()
    return (frame.assign(**{name: spelled[name]}), tuple(sorted(found))) if len(found) else (frame, ())


def _has_texts_and_gaps(column: pd.Series) -> bool:
    present = column.dropna().infer_objects()
    typed = pd.api.types.is_numeric_dtype(present) or pd.api.types.is_bool_dtype(present)
    return len(present) < len(column) and not typed


def _parsed(text: str, source: str, separator: str, **options: Any) -> pd.DataFrame:
    options = {"na_values": _MISSING, **options}
    try:
        frame = pd.read_csv(
            io.StringIO(text), sep=separator, skipinitialspace=True, index_col=False, low_memory=False, **options
        )
        # Whole numbers beyond 64 bits are objects of Python; as numbers they are doubles, as any others are.
        objects = frame.columns[[str(kind) == "object" for kind in frame.dtypes]]
        huge = [name for name in objects if pd.api.types.infer_dtype(frame[name], skipna=True) == "integer"]
        return frame.astype(dict.fromkeys(huge, float))
    except (ValueError, OverflowError) as error:  # pandas' ParserError and EmptyDataError are ValueErrors
        raise UnusableTable(f"{source} cannot be read as text with columns ({_reason(error)}).") from error


def _sign(frame: pd.DataFrame, separator: str) -> str:
    """Return the decimal sign: what texts with numbers prove, else a comma where semicolons part the cells."""
    texts = [frame[name].dropna() for name in frame.columns if not pd.api.types.is_numeric_dtype(frame[name])]
    # True and False beside empty cells are objects, which are booleans once those are left out.
    found = {decimal_sign(column) for column in texts if not pd.api.types.is_bool_dtype(column.infer_objects())}
    plain = any(pd.api.types.is_float_dtype(frame[name]) and (frame[name] % 1).any() for name in frame.columns)
    if COMMA in found and POINT not in found:
        return COMMA
    return COMMA if separator == ";" and not plain and POINT not in found else POINT


def _may_be_misread(column: pd.Series, sign: str, zeros: bool) -> bool:
    """Return whether pandas may have misread a column: 1.234 beside decimal commas, or 01234, which is no number."""
    if not pd.api.types.is_numeric_dtype(column) or pd.api.types.is_bool_dtype(column):
        return False
    broken = bool((column.dropna() % 1).any())
    return sign == COMMA if broken else zeros  # whole numbers are floats if a cell is missing


def _is_misread(spelled: pd.Series, sign: str) -> bool:
    """Tell the same of the cells as they are written."""
    return bool(
        (sign == COMMA and spelled.str.contains(POINT, regex=False).any())
        or spelled.str.fullmatch(_LEADING_ZEROS).any()
    )


def _reason(error: Exception) -> str:
    reason = reason_of(error)
    if "EOF inside string" in reason:
        return 'a double quote (") is opened and never closed: close it, or remove it'
    if "out of memory" in reason:
        return "there is too little memory for it: give fewer rows or columns, or allow more memory"
    return f"{reason}: check its quotes and separators"


def without_heading(text: str) -> tuple[str, list[str]]:
    """Return a text whose comments and titles above the line of names are blank lines, and a remark on them.

    The line of names is the first with as many cells as the line below it, more than one. All lines above it have one
    filled cell, as in ``Results`` or ``Results;;;`` of a spreadsheet, or begin with ``#``; if not, nothing is left out.
    Blank lines keep the numbers of all others.
    """
    lines = text.split("\n")
    filled = [place for place, line in enumerate(lines[:_HEADING]) if line.strip(_FILLING)]
    pairs = ((place, _separator_of_names(lines[place], lines[below])) for place, below in pairwise(filled))
    names, mark = next(((place, mark) for place, mark in pairs if mark is not None), (0, ""))
    above = [place for place in filled if place < names]
    if not all(_is_comment(lines[place]) or _is_title(lines[place], mark) for place in above):
        return text, []
    kept = ["" if place < names else line for place, line in enumerate(lines)]
    if not above:
        return "\n".join(kept), []
    first = lines[above[0]].strip(_FILLING)
    what = "line" if len(above) == 1 else "lines"
    was = "was" if len(above) == 1 else "were"
    return "\n".join(kept), [f"{len(above)} {what} above the names of the columns {was} left out: {first[:60]!r}."]


def _separator_of_names(line: str, below: str) -> str | None:
    """Return what separates the cells of a line, if it may be that of names."""
    if (_is_comment(line) and _is_comment(below)) or _A_NUMBER.search(line):
        return None
    counts = zip(_SEPARATORS, _separators(line), _separators(below), strict=True)
    found = {mark: count for mark, count, also in counts if 0 < count == also and not _is_padded(line, mark)}
    return max(found, key=found.__getitem__, default=None)


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith("#")


def _is_title(line: str, mark: str) -> bool:
    return mark not in line or _is_padded(line, mark)


def _is_padded(line: str, mark: str) -> bool:
    """Return whether a line has a single filled cell, the first, and two empty ones or more."""
    bare = line.strip(" \r")
    return bare.endswith(2 * mark) and mark not in bare.rstrip(mark)


def _separators(line: str) -> list[int]:
    """Return how often each separator stands in a line, quoted parts aside."""
    bare = "".join(line.split('"')[::2])
    return [bare.count(mark) for mark in _SEPARATORS]


def separator_of(text: str) -> str:
    """Return the separator by the line of names, quoted parts aside."""
    line = next((line for line in text.splitlines() if line.strip()), "")
    return max(zip(_SEPARATORS, _separators(line), strict=True), key=lambda each: each[1])[0]


def _check_rectangular(text: str, source: str, separator: str) -> None:
    """Make sure that no name stands twice and every row has a cell per name."""
    rows = csv.reader(io.StringIO(text), delimiter=separator, skipinitialspace=True)
    try:
        names = next((row for row in rows if row), None)
        if names is None:
            raise UnusableTable(f"{source} is empty: give a table with a line of column names and rows below it.")
        require_different_names(filter(None, map(str.strip, names)), source)
        for row in rows:
            if row and len(row) != len(names):
                raise UnusableTable(
                    f"{source}: line {rows.line_num} has {len(row)} cells, but the line of names has {len(names)}: "
                    'correct the line, or put cells that hold the separator in double quotes ("a, b").'
                )
    except csv.Error as error:
        raise UnusableTable(f"{source}: line {rows.line_num} cannot be read ({error}).") from error


def require_different_names(names: Iterable[str], source: str) -> None:
    """Raise if two columns have one name; pandas would call the second one 'x.1'."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise UnusableTable(f"{source} has more than one column named {name!r}: rename or remove all but one.")
        seen.add(name)


def require_rows(count: int, source: str) -> None:
    """Raise if a table has no rows."""
    if not count:
        raise UnusableTable(f"{source} has column names but no rows: give at least a few rows below them.")
