"""Tables in JSON: a list of rows, one row a line, columns by name, or names and rows apart."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd

from kernelect.exceptions import UnusableTable, reason_of
from kernelect.tabular.text import decoded


def read_json(data: bytes, source: str) -> pd.DataFrame:
    """Return the table in a JSON text.

    Four forms are known: ``[{"a": 1}, {"a": 2}]``, the same rows one a line, ``{"a": [1, 2]}`` (or with the number of
    each row, as pandas writes it), and ``{"columns": ["a"], "data": [[1], [2]]}``.
    """
    found = _parsed(decoded(data, source)[0].lstrip("\ufeff"), source)
    try:
        frame = _frame(found)
    except (ValueError, TypeError, AttributeError) as error:
        raise _not_a_table(source, reason_of(error)) from error
    if frame is None:
        raise _not_a_table(source, f"it holds {_in_words(found)}")
    nested = next((name for name in frame.columns if frame[name].map(lambda c: isinstance(c, list | dict)).any()), None)
    if nested is not None:
        raise _not_a_table(source, f"cells of {str(nested)!r} hold lists or objects")
    return frame.infer_objects()


def _parsed(text: str, source: str) -> Any:
    try:
        return json.loads(text)
    except RecursionError as error:
        raise _not_a_table(source, "it is nested too deeply") from error
    except ValueError as error:
        lines = [line for line in text.splitlines() if line.strip()]
        try:
            if len(lines) > 1:
                return [json.loads(line) for line in lines]
        except (ValueError, RecursionError):
            pass
        raise _not_a_table(source, reason_of(error)) from error


def _frame(found: Any) -> pd.DataFrame | None:
    """Return the table in one of the known forms, None if it is none of them."""
    if isinstance(found, list) and found and all(isinstance(row, dict) for row in found):
        return pd.DataFrame(found, dtype=object)
    if not isinstance(found, dict) or not found:
        return None
    if isinstance(found.get("columns"), list) and isinstance(found.get("data"), list):
        return pd.DataFrame(found["data"], columns=found["columns"], dtype=object)
    if all(isinstance(column, list) for column in found.values()):
        return pd.DataFrame(found, dtype=object)
    if all(isinstance(column, dict) for column in found.values()):
        return pd.DataFrame({name: pd.Series(column, dtype=object) for name, column in found.items()})
    return None


def _in_words(found: Any) -> str:
    kinds = {dict: "one object", list: "a list that is not one of rows", str: "a text", bool: "true or false"}
    return kinds.get(type(found), "nothing" if found is None else "a number")


def _not_a_table(source: str, why: str) -> UnusableTable:
    return UnusableTable(
        f"{source} is JSON without a table that can be read ({why}): write a list of rows such as "
        '[{"a": 1, "b": 2}], one row a line, or CSV (in Python: pandas.json_normalize(...).to_csv).'
    )
