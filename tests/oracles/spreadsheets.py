"""What a spreadsheet would calculate in a text, by any separator that one may take."""

from __future__ import annotations

import csv
import re

#: Cells of other people's files: formulas behind every sign, and behind separators of other countries.
PAYLOADS = (
    "=cmd|' /C calc'!A0",
    "=1+1",
    "+cmd|' /C calc'!A0",
    "-cmd|' /C calc'!A0",
    "@SUM(A1:A9)",
    "\t=1+1",
    "\r=1+1",
    "x;=cmd|' /C calc'!A0",
    "x\t=1+1",
    "x|@SUM(A1)",
    'x;"=1+1',
    "x\n=1+1",
    "x; -cmd",
)

#: Names that move a cursor, clear a screen, set a title or turn text around.
ESCAPES = ("\x1b[2J\x1b[31m", "\x1b]0;title\x07", "\x9b31m", "\x08\x08\x08", "\u202etxt")


def formulas_in(text: str) -> list[str]:
    """Return the cells that begin with a sign of formulas and are no numbers, for each separator in turn."""
    found = []
    for separator in (",", ";", "\t", "|"):
        for quoting in (csv.QUOTE_MINIMAL, csv.QUOTE_NONE):
            lines = csv.reader(text.splitlines(), delimiter=separator, quoting=quoting)
            found += [cell for line in lines for cell in line if _calculates(cell)]
    return found


def _calculates(cell: str) -> bool:
    cell = cell.strip().lstrip('"').strip()
    if len(cell) < 2 or cell[0] not in "=+-@":
        return False
    try:  # to a program with another separator a number and what follows are one cell, and no formula
        float(re.split(r"[,;|\t]", cell.strip('"'))[0])
    except ValueError:
        return True
    return False
