"""Rows that are dated, and scored between others in time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kernelect.facts.doubts import DOES_NOT_APPLY, DoubtRule, Obstacle, Severity, Words
from kernelect.facts.names import plain_name
from kernelect.registry import register
from kernelect.tabular.evidence import TableEvidence
from kernelect.tabular.leaks import is_birth


@register
class Dated(DoubtRule[TableEvidence]):
    """A column of dates, and no --time."""

    name = "dates"
    about = "dates"
    severity = Severity.BIAS

    def look(self, evidence: TableEvidence) -> Mapping[str, Any] | Obstacle | None:
        if evidence.schema.time is not None:
            return DOES_NOT_APPLY
        # A date that was kept as an input is a trend on top.
        kept = [
            column.name for column in evidence.schema.columns if column.kind == "date" and not is_birth(column.name)
        ]
        dated = [plain_name(name) for name in (*evidence.rows.dated, *kept)]
        return {"columns": dated} if dated else None

    def words(self, found: Mapping[str, Any]) -> Words:
        return Words(
            f"The rows are dated ({', '.join(found['columns'])}), and the scores come from rows between the others in "
            "time.",
            f"If the model is to predict later rows, fit with --time {found['columns'][0]!r}: it is then scored on "
            "rows after those it was fitted on.",
        )
