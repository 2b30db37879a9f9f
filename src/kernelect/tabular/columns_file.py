"""``columns.toml``: how a table was read, for people to look at and for the next table to be read the same way."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from kernelect.exceptions import UnusableTable
from kernelect.inputs.dates import FORMS, ISO, check_form
from kernelect.inputs.readings import Reading
from kernelect.inputs.roles import KINDS
from kernelect.tabular.columns import Column
from kernelect.tabular.counts import COUNT
from kernelect.tabular.schema import Schema
from kernelect.tabular.usable import ORDER

#: Counts changes that readers of older files would not understand.
FORMAT = 1

_HEAD = """\
# How kernelect read {title}. Correct what is wrong, and give the file to the next fit:
#   kernelect fit TABLE --schema columns.toml
# kind is "number", "category", "date", or "unused" for columns that are left out.
"""

#: What a column may hold, and the type of each.
_KEYS: dict[str, type] = {
    "name": str,
    "kind": str,
    "missing": float,
    "range": list,
    "levels": list,
    "decimal": str,
    "unit": str,
    "date_format": str,
    "missing_codes": list,
    "spelled": list,
    "reason": str,
}

_TOP: dict[str, type] = {
    "format": int,
    "target": str,
    "target_missing_codes": list,
    "task": str,
    "classes": list,
    "ordered": str,
    "event": str,
    "weight": str,
    "group": str,
    "time": str,
    "time_format": str,
    "ids": list,
    "dated": list,
    "column": list,
}

_WORDS = {str: "a text", float: "a number", int: "a whole number", list: "a list"}


@dataclass(frozen=True, kw_only=True)
class Known:
    """How an earlier table was read: target, task, the columns used, and why others are not.

    ``dated`` are those of the others that date the rows.
    """

    source: str
    target: str | None = None
    task: str | None = None
    weight: str | None = None
    group: str | None = None
    time: str | None = None
    ids: tuple[str, ...] = ()
    columns: tuple[Column, ...] = ()
    unused: Mapping[str, str] = field(default_factory=dict)
    dated: tuple[str, ...] = ()
    target_codes: tuple[str, ...] = ()
    time_format: str = ""
    event: str | None = None
    ordered: str | None = None


def known_of(schema: Schema, source: str) -> Known:
    """Return how the training table of a model was read."""
    own: dict[str, Any] = {
        "source": source,
        "task": COUNT if schema.counts else schema.task,
        "ordered": ORDER.join(map(str, schema.classes or ())) if schema.ordered else None,
    }
    own |= {one.name: getattr(schema, one.name) for one in fields(Known) if one.name not in own}
    return Known(**own)


def columns_text(schema: Schema, source: str) -> str:
    """Return the text of a file that says how a table was read."""
    known = known_of(schema, source)
    classes = [str(label) for label in schema.classes or ()]
    own = {"format": FORMAT, "classes": classes, "target_missing_codes": known.target_codes}
    blocks = [_lines({key: own.get(key, getattr(known, key, None)) for key in _TOP})]
    blocks += ["[[column]]\n" + _lines(_facts(column)) for column in known.columns]
    blocks += [
        "[[column]]\n" + _lines({"name": name, "kind": "unused", "reason": reason})
        for name, reason in known.unused.items()
    ]
    return _HEAD.format(title=_comment(known.source)) + "\n" + "\n".join(blocks)


def read_columns(path: str | Path) -> Known:
    """Return what a file says about columns, or one sentence why it cannot be used."""
    name = Path(path).name
    try:
        facts = tomllib.loads(Path(path).read_bytes().decode())
    except FileNotFoundError as error:
        raise UnusableTable(f"There is no file {str(path)!r}: check the name, or leave out --schema.") from error
    except (OSError, ValueError) as error:  # TOMLDecodeError and UnicodeDecodeError are ValueErrors
        reason = str(getattr(error, "strerror", None) or error).splitlines()[0]
        raise UnusableTable(f"{name} cannot be read ({reason}): fix it, or let fit write it again.") from error
    _check(facts, _TOP, name, "The file")
    if facts.get("format") != FORMAT:
        raise UnusableTable(
            f"{name} has format {facts.get('format')!r}, but this version reads {FORMAT}: let fit write it again."
        )
    entries = facts.get("column", [])
    for entry in entries:
        _check_entry(entry, name)
    used = [_column(entry) for entry in entries if entry["kind"] != "unused"]
    names = [entry["name"] for entry in entries]
    twice = next((each for each in names if names.count(each) > 1), None) if len(set(names)) < len(names) else None
    if twice is not None:
        raise UnusableTable(f"{name} describes the column {twice!r} twice: remove one of the two.")
    return Known(
        source=name,
        ids=_texts(facts, "ids"),
        columns=tuple(used),
        dated=_texts(facts, "dated"),
        unused={entry["name"]: entry.get("reason", "") for entry in entries if entry["kind"] == "unused"},
        target_codes=_texts(facts, "target_missing_codes"),
        time_format=_form(facts, name, "The file", "time_format"),
        **{key: facts.get(key) for key in ("target", "task", "weight", "group", "time", "event", "ordered")},
    )


def _texts(facts: Mapping[str, Any], key: str) -> tuple[str, ...]:
    return tuple(map(str, facts.get(key, ())))


def _facts(column: Column) -> dict[str, Any]:
    reading = column.reading
    return {
        "name": column.name,
        "kind": column.kind,
        "missing": round(column.missing, 6),
        "range": None if column.kind == "category" else [column.low, column.high],
        "levels": column.categories,
        "decimal": reading.decimal if column.kind == "number" and reading.decimal != "." else None,
        "unit": reading.unit,
        "date_format": reading.date_format if column.kind == "date" else None,
        "missing_codes": reading.missing_codes,
        "spelled": reading.spelled,
    }


def _column(entry: dict[str, Any]) -> Column:
    low, high = entry.get("range", (None, None))
    return Column(
        name=entry["name"],
        kind=entry["kind"],
        missing=float(entry.get("missing", 0.0)),
        low=low,
        high=high,
        categories=_texts(entry, "levels"),
        reading=Reading(
            decimal=entry.get("decimal", "."),
            unit=entry.get("unit", ""),
            date_format=entry.get("date_format", ISO),
            missing_codes=_texts(entry, "missing_codes"),
            spelled=_texts(entry, "spelled"),
        ),
    )


def _check(facts: Any, keys: dict[str, type], name: str, what: str) -> None:
    if not isinstance(facts, dict):
        raise UnusableTable(f"{name}: {what} must be a table of words and values.")
    for key, value in facts.items():
        if key not in keys:
            raise UnusableTable(f"{name}: {what} has {key!r}, which is not known: use {', '.join(keys)}.")
        wanted = (int, float) if keys[key] is float else keys[key]
        if not isinstance(value, wanted) or isinstance(value, bool):
            raise UnusableTable(f"{name}: {what} has {key} = {value!r}, which must be {_WORDS[keys[key]]}.")


def _check_entry(entry: Any, name: str) -> None:
    what = f"The column {entry.get('name')!r}" if isinstance(entry, dict) else "A column"
    _check(entry, _KEYS, name, what)
    if "name" not in entry:
        raise UnusableTable(f"{name}: A column has no name: give each one a name.")
    if entry.get("kind") not in (*KINDS, "unused"):
        raise UnusableTable(f"{name}: {what} has kind = {entry.get('kind')!r}: use {', '.join((*KINDS, 'unused'))}.")
    if entry.get("decimal", ".") not in (".", ","):
        raise UnusableTable(f'{name}: {what} has decimal = {entry["decimal"]!r}: use "." or ",".')
    ends = entry.get("range", [0.0, 0.0])
    if len(ends) != 2 or not all(isinstance(end, int | float) for end in ends):
        raise UnusableTable(f"{name}: {what} has range = {ends!r}: give two numbers, such as [0, 1].")
    _form(entry, name, what, "date_format")


def _form(facts: Mapping[str, Any], name: str, what: str, key: str) -> str:
    """Return the form of dates, empty if there is none."""
    form = str(facts.get(key, ""))
    if form and form not in FORMS:
        try:
            check_form(form)
        except ValueError as error:
            raise UnusableTable(f"{name}: {what}: {error}") from error
    return form


def _lines(facts: Mapping[str, Any]) -> str:
    """Return the lines of what is known; a text or a list without anything in it is left out."""
    return "".join(f"{key} = {_written(value)}\n" for key, value in facts.items() if value not in (None, "", (), []))


def _written(value: Any) -> str:
    """Return a value as TOML has it: texts and lists as in JSON, which has the same escapes."""
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_written, value))}]"
    if isinstance(value, str):
        text = "".join(
            letter if not 0xD800 <= ord(letter) <= 0xDFFF else "\N{REPLACEMENT CHARACTER}" for letter in value
        )
        return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
    return repr(value)


def _comment(title: str) -> str:
    return "".join(letter if letter.isprintable() else " " for letter in title)
