"""What ``kernelect compare --json`` printed, read again: other methods on the same table, for the report on a model."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any, get_args, get_type_hints

from kernelect.exceptions import UnusableTable
from kernelect.facts.names import plain_name
from kernelect.facts.record import ComparisonFacts
from kernelect.tabular.typed import fits

#: Bytes beyond which a file is no comparison.
_MOST_BYTES = 10_000_000


def read_comparison(path: str | Path, target: str) -> ComparisonFacts:
    """Return a comparison of methods that predict ``target``, or one sentence why the file cannot be used."""
    name = Path(path).name
    try:
        with Path(path).open("rb") as file:
            text = file.read(_MOST_BYTES + 1)
        found = _comparison(json.loads(text))
    except FileNotFoundError as error:
        raise UnusableTable(f"There is no file {str(path)!r}: check the name, or leave out --compared.") from error
    except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
        raise UnusableTable(
            f"{name} is not what kernelect compare --json prints: write it with "
            f"kernelect compare TABLE --json > {name}."
        ) from error
    if found["target"] != plain_name(target):
        raise UnusableTable(
            f"{name} compares predictions of {found['target']!r}, and the model predicts {plain_name(target)!r}: "
            "compare methods on the table of the model."
        )
    return found


def _comparison(facts: Any) -> ComparisonFacts:
    """Return the record, rebuilt of what it may hold: the file may come from anywhere."""
    found: ComparisonFacts = _taken(facts, ComparisonFacts)
    for one in found["candidates"]:
        one["scores"] = [score for score in one["scores"] if score["value"] is not None]
    if not fits(found, ComparisonFacts):
        raise TypeError("it has other entries than a comparison")
    return found


def _taken(value: Any, hint: Any) -> Any:
    """Return what a declared type asks for, with texts as they may be shown and None for infinite numbers."""
    if isinstance(value, str):
        return plain_name(value)
    if value is None or isinstance(value, float):
        return value if value is not None and math.isfinite(value) else None
    hint = next(iter(get_args(hint)), hint)  # of a list, or beside None
    if isinstance(value, list):
        return [_taken(each, hint) for each in value]
    if isinstance(value, dict):
        return {key: _taken(value[key], each) for key, each in get_type_hints(hint).items()}
    return value
