"""One column that alone predicts the target almost without error."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kernelect.facts.doubts import NO_TIME, DoubtRule, Obstacle, Severity, Words, few_rows
from kernelect.facts.names import plain_name
from kernelect.facts.numbers import percent
from kernelect.numerics import time_is_up
from kernelect.registry import register
from kernelect.tabular.evidence import TableEvidence
from kernelect.tabular.telling import LEAST_ROWS, left_at_once, left_by_one, rows_once

#: Error (as a share of that of guessing) and unexplained variance below which one column gives the target away.
GIVEN_AWAY = 0.02

#: Columns up to which any are tried.
MOST_COLUMNS = 300


@register
class Giveaway(DoubtRule[TableEvidence]):
    """One column alone predicts the target almost without error."""

    name = "giveaway"
    about = "columns that tell the target"
    severity = Severity.VOID

    def look(self, evidence: TableEvidence) -> Mapping[str, Any] | Obstacle | None:
        schema = evidence.schema
        if len(evidence.rows.y) < LEAST_ROWS:
            return few_rows(LEAST_ROWS)
        if len(schema.columns) > MOST_COLUMNS:
            return Obstacle(code="many-columns", why=f"there are more than {MOST_COLUMNS} columns")
        columns, y = rows_once(evidence.rows, schema)
        classes, tried = schema.classes is not None, 0
        told = [(left_at_once(values, y, classes), name) for name, values in columns.items()]
        for name, values in columns.items() if min(told)[0] >= GIVEN_AWAY else ():
            if time_is_up():
                break
            told.append((left_by_one(values, y, classes), name))
            tried += 1
        left, name = min(told)
        if left < GIVEN_AWAY:
            return {"column": plain_name(name), "left": left, "classes": classes}
        if tried < len(columns):
            return Obstacle(code=NO_TIME, why=f"time was up after {tried} of {len(columns)} columns")
        return None

    def words(self, found: Mapping[str, Any]) -> Words:
        name, what = found["column"], "error of guessing" if found["classes"] else "target's variance"
        return Words(
            f"Column {name} alone predicts the target almost without error: {percent(found['left'])} of the {what} is "
            "left.",
            f"Check that {name} is known before the target is, and was not computed from it. Otherwise leave it out "
            f"(--drop {name!r}).",
        )
