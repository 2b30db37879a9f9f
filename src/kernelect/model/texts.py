"""JSON whose size, depth and number of values are limited before it is parsed."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np

from kernelect.exceptions import InvalidArgument

Text = dict[str, Any]

#: The key of a record's word: no field can have this name, which is a keyword of Python.
WORD = "is"

#: Bytes of a text; a table of 30 000 columns has about a third of it.
MOST_TEXT = 32 * 2**20

#: Values of a text: each takes up to 100 bytes as an object.
MOST_VALUES = 1_000_000

#: How deep lists and records may lie in each other.
MOST_DEPTH = 64

#: A string, or the rest of the text after one without an end (so that no text takes longer than its length).
_STRINGS = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)

_OPEN, _CLOSE = b"[{", b"]}"


def parsed(data: bytes, name: str) -> Text:
    """Return the record that a JSON text holds, or say why it is none of a model."""
    reason = _excess(data)
    if reason:
        raise ValueError(f"its {name} {reason}")
    try:
        found = json.loads(data, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"its {name} is damaged") from error
    if not isinstance(found, dict):
        raise ValueError(f"its {name} is no record")
    return found


def written(value: Text, name: str) -> bytes:
    """Return a record as JSON, or say why a file cannot hold it: what would not be read again is not written."""
    text = json.dumps(value, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    data = text.encode(errors="surrogatepass")
    reason = _excess(data)
    if reason:
        raise InvalidArgument(f"The model cannot be saved (its {name} {reason}): fit it on fewer columns.")
    return data


def _excess(data: bytes) -> str:
    """Return why a text is larger than a model's, a part of a sentence; nothing if it is not."""
    if len(data) > MOST_TEXT:
        return f"has {len(data)} bytes, more than a model's ({MOST_TEXT})"
    bare = _STRINGS.sub(b"", data)
    if sum(bare.count(sign) for sign in (b"[", b"{", b",", b":")) > MOST_VALUES:
        return f"holds more than {MOST_VALUES} values, which no model does"
    if _depth(bare) > MOST_DEPTH:
        return f"is nested deeper than {MOST_DEPTH} levels, which no model is"
    return ""


def _depth(bare: bytes) -> int:
    brackets = np.frombuffer(bare.translate(None, delete=_NO_BRACKETS), dtype=np.uint8)
    steps = np.where(np.isin(brackets, np.frombuffer(_OPEN, dtype=np.uint8)), 1, -1)
    return int(np.cumsum(steps).max(initial=0))


_NO_BRACKETS = bytes(sorted(set(range(256)) - set(_OPEN + _CLOSE)))


def _no_number(word: str) -> float:
    raise ValueError(f"{word} is no JSON")
