"""Rows that are copies of others, and rows that contradict each other."""

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
    evidence = TableEvidence

    def look(self, evidence: TableEvidence) -> Mapping[str, Any] | None:
        copies = evidence.rows.copies
        return {"copies": copies.surplus, "rows": len(evidence.rows.y)} if copies.share >= MANY else None

    def words(self, found: Mapping[str, Any]) -> Words:
        return Words(
            f"{counted(found['copies'], 'row')} of {found['rows']} are copies of other rows.",
            "Copies are left out together, so that the scores are those of new rows. Check how the table was made, and "
            "remove copies that are not observations of their own.",
        )


@register
class Contradictions(DoubtRule[TableEvidence]):
    """Many rows have the inputs of another row and a different target."""

    name = "contradictions"
    about = "equal rows with different targets"
    severity = Severity.WEAKNESS
    evidence = TableEvidence

    def look(self, evidence: TableEvidence) -> Mapping[str, Any] | None:
        count, rows = evidence.rows.copies.contradictory, len(evidence.rows.y)
        return {"contradictory": count, "rows": rows} if count >= MANY * rows else None

    def words(self, found: Mapping[str, Any]) -> Words:
        return Words(
            f"{counted(found['contradictory'], 'row')} of {found['rows']} have the inputs of another row and a "
            "different target.",
            "No model can tell them apart: look for an input that is missing, or for errors in the target.",
        )
