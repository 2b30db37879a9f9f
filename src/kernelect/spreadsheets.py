"""Tables as CSV text, in which nothing is left that a spreadsheet would calculate.

A cell that begins with = + - @ is a formula to a spreadsheet, and some formulas start programs. Cells come from other
people's files, so every CSV that is written passes through here. Spreadsheets of many countries separate cells by
semicolons: to them ``x;=1+1`` is two cells, whatever quotes stand around it.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import Any

#: Where a spreadsheet may see the beginning of a cell: that of ours, and behind any separator in it.
_BEGINNING = r"(?:^|[;\t\r\n|])[\s\"]*"

#: Signs with which formulas begin, also in the width that East Asian spreadsheets write them.
_SIGN = "[=+\\-@\N{FULLWIDTH EQUALS SIGN}\N{FULLWIDTH PLUS SIGN}\N{FULLWIDTH HYPHEN-MINUS}\N{FULLWIDTH COMMERCIAL AT}]"

_FORMULA = re.compile(rf"({_BEGINNING})({_SIGN})([^;\t\r\n|]*)")

#: What spreadsheets skip before a formula.
_SKIPPED = ("\t", "\r")


def harmless(cell: Any) -> Any:
    """Return a cell with an apostrophe before what a spreadsheet would calculate.

    Numbers, signs alone and cells that are no texts stay as they are: they calculate nothing.
    """
    if not isinstance(cell, str):
        return cell
    found = _FORMULA.sub(lambda match: _marked(match, "'"), cell)
    return "'" + found if found.startswith(_SKIPPED) else found


def harmless_json(text: str) -> str:
    r"""Return a JSON text that says the same, with such signs as \u003d: whoever reads it gets what was written."""
    return _FORMULA.sub(lambda match: _marked(match, ""), text)


def _marked(match: re.Match[str], mark: str) -> str:
    before, sign, rest = match.groups()
    if not rest.strip() or _is_number(sign + rest):
        return match.group()
    return before + (mark + sign if mark else f"\\u{ord(sign):04x}") + rest


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def csv_of_rows(rows: Iterable[Sequence[Any]]) -> str:
    """Return rows of cells, the first of them the names, as CSV."""
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator="\n").writerows([harmless(cell) for cell in row] for row in rows)
    return out.getvalue()


def harmless_frame(frame: Any) -> Any:
    """Return a pandas DataFrame whose texts and names calculate nothing."""
    texts = frame.select_dtypes(exclude=["number", "bool"])
    safe = {name: texts[name].map(harmless, na_action="ignore") for name in texts.columns}
    return frame.assign(**safe).rename(columns=harmless)


def csv_of_frame(frame: Any, *, header: bool = True, separator: str = ",") -> str:
    """Return a pandas DataFrame as CSV; ``header``: with a line of names."""
    return str(harmless_frame(frame).to_csv(index=False, header=header, sep=separator))
