"""What a page tells of single rows, and the page without it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kernelect.facts.numbers import counted

#: Pictures that show sums over rows and no single row; any other kind is left out of a private page.
_OF_MANY = (
    *("relevance", "held out", "confusion", "calibration", "trace", "surface", "sizes", "weights", "interactions"),
    *("vectors", "recalls", "learning"),
)

#: Doubts that name a row.
_OF_ONE = ("far-off",)

PRIVATE = "This page was made with --private: rows, What if and pictures of single rows are left out."


def without_rows(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts of a page without training rows, without names of rows, and without What if.

    What if carries the vectors of the model, which are rows of the table.
    """
    kept = {name: part for name, part in facts.items() if name != "what_if"}
    return {
        **kept,
        "pictures": [each for each in facts["pictures"] if each["kind"] in _OF_MANY],
        "worst_rows": [],
        "threshold": None,
        "doubts": [doubt for doubt in facts["doubts"] if doubt["code"] not in _OF_ONE],
        "remarks": [PRIVATE, *facts["remarks"]],
    }


def words_on_rows(facts: Mapping[str, Any], n_rows: int) -> str:
    """Return the sentence on how many training rows a page tells of."""
    what_if = facts.get("what_if") or {}
    count = n_rows if what_if.get("script") else len(what_if.get("rows", ()))
    pictures = any(each.get("kind") not in _OF_MANY for each in facts["pictures"])
    if not count and not facts.get("worst_rows") and not facts.get("threshold") and not pictures:
        return "This page contains no training row."
    what = f"values of {counted(count, 'training row')}" if count else "figures of single training rows"
    return (
        f"This page contains {what}: share it as you would share the table, or write it with --private, which leaves "
        "all rows out."
    )
