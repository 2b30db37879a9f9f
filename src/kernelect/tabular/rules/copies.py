"""Rows that are copies of others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kernelect.facts.doubts import DoubtRule, Severity, Words
from kernelect.facts.numbers import counted
from kernelect.registry import register
from kernelect.tabular.evidence import TableEvidence
from kernelect.tabular.units import MANY


@register
class CopiedRows(DoubtRule[TableEvidence]):
    """Many rows occur more than once."""

    name = "copies"
    about = "copies of rows"
    severity = Severity.WEAKNESS

    def look(self, evidence: TableEvidence) -> Mapping[str, Any] | None:
        copies = evidence.rows.copies
        return {"copies": copies.surplus, "rows": len(evidence.rows.y)} if copies.share >= MANY else None

    def words(self, found: Mapping[str, Any]) -> Words:
        return Words(
            f"{counted(found['copies'], 'row')} of {found['rows']} are copies of other rows, in all inputs and in the "
            "target.",
            "A row and its copies count as one row of their joint weight and are left out together, so that the scores "
            "are those of new rows. If you did not expect copies, check how the table was made.",
        )
