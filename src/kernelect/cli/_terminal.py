"""All that commands print passes through here: no control characters of other people's files, no failing encoding.

Names, labels and messages come from tables, models and results that somebody else may have made. Printed as they are,
they could move the cursor, rewrite lines above or set the title of a window.
"""

from __future__ import annotations

import codecs
import re
import sys
import unicodedata
from typing import Any

import click

#: Ways to write what an encoding lacks; all else becomes a question mark.
_SUBSTITUTES = {
    "\N{PLUS-MINUS SIGN}": "+-",
    "\N{MINUS SIGN}": "-",
    "\N{EN DASH}": "-",
    "\N{EM DASH}": "-",
    "\N{HORIZONTAL ELLIPSIS}": "...",
    "\N{MIDDLE DOT}": "*",
    "\N{MULTIPLICATION SIGN}": "x",
    "\N{SUPERSCRIPT TWO}": "2",
    "\N{GREATER-THAN OR EQUAL TO}": ">=",
    "\N{LESS-THAN OR EQUAL TO}": "<=",
    "\N{RIGHT SINGLE QUOTATION MARK}": "'",
    "\N{NARROW NO-BREAK SPACE}": " ",
    "\N{NO-BREAK SPACE}": " ",
    "\N{FULL BLOCK}": "#",
}

_HANDLER = "kernelect.plain"

#: What JSON may hold and a terminal should not be sent: control characters above 127, marks that turn text around.
_UNSEEN = re.compile(r"[\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]")


def printable(value: object) -> str:
    """Return text with control characters spelled out, so that a name cannot move the cursor."""
    text = str(value)
    return text if text.isprintable() else "".join(_seen(letter) for letter in text)


def _seen(letter: str) -> str:
    # Python does not call narrow spaces printable, which numbers have between their thousands.
    return letter if letter.isprintable() or unicodedata.category(letter) == "Zs" else repr(letter)[1:-1]


def printable_lines(text: str) -> str:
    """Return lines with control characters other than their ends spelled out."""
    return "\n".join(map(printable, text.split("\n")))


def echo(text: object, *, err: bool = False) -> None:
    """Print words for people, as lines."""
    click.echo(printable_lines(str(text)), err=err)


def emit(text: str) -> None:
    """Write a document to standard output: as it is for the next program, printable on a terminal."""
    click.echo(printable_lines(text) if sys.stdout.isatty() else text, nl=False)


def emit_json(text: str) -> None:
    """Write a JSON document that says the same in characters that every terminal and encoding has."""
    escaped = _UNSEEN.sub(_escape, text)
    click.echo(escaped if _is_unicode(sys.stdout) else re.sub(r"[^\x00-\x7f]", _escape, escaped))


def _escape(match: re.Match[str]) -> str:
    codes = match.group().encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{codes[k : k + 2].hex()}" for k in range(0, len(codes), 2))


def _is_unicode(stream: Any) -> bool:
    return str(getattr(stream, "encoding", None) or "utf-8").lower().startswith("utf")


def forgive_encodings() -> None:
    """Let standard output and error replace what their encoding lacks, instead of failing after all work is done."""
    codecs.register_error(_HANDLER, _replaced)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors=_HANDLER)


def _replaced(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letters = error.object[error.start : error.end]
    return "".join(_SUBSTITUTES.get(letter, "?") for letter in letters), error.end
