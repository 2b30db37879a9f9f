"""The page on new rows: whether they are like the training rows of a model."""

from __future__ import annotations

from pathlib import Path

from kernelect.facts.drift_record import DriftPageFacts
from kernelect.files import write_whole
from kernelect.report.page import part, templates

#: Levels of the verdict whose colours a page has: rows that differ, and rows that do not.
_DIFFER, _ALIKE = 4, 5


def render_drift(facts: DriftPageFacts) -> str:
    """Return the page as self-contained HTML without a script.

    Parameters
    ----------
    facts : dict
        What :func:`kernelect.tabular.drift.drift_page_of` returned.
    """
    level = _DIFFER if facts["columns"] or not facts["looked_at"] else _ALIKE
    return str(templates().get_template("drift.html.j2").render(facts=facts, level=level, style=part("report.css")))


def write_drift(path: str | Path, facts: DriftPageFacts, *, force: bool = False) -> None:
    """Write the page to ``path``, whole or not at all."""
    write_whole(Path(path), render_drift(facts).encode("utf-8", "replace"), force)
