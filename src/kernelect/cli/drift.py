"""``kernelect drift``: whether new rows are like the rows that a model was fitted on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from kernelect import tabular
from kernelect.cli import _guard as options
from kernelect.facts.numbers import percent
from kernelect.files import check_free

if TYPE_CHECKING:
    from kernelect.cli._show import Terminal
    from kernelect.facts.drift_record import DriftPageFacts

#: Columns that the terminal lists.
_MOST_COLUMNS = 12


@click.command(cls=options.GuardedCommand)
@options.rows_to_read
@options.file_to_write("File for a page (HTML).")
@options.fill_missing
@options.force
@options.as_json
@options.quiet
def drift_command(
    model: Path,
    table: str,
    format_: str | None,
    sheet: str | None,
    out: Path | None,
    fill_missing: bool,
    force: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Tell whether the rows of TABLE are like those that MODEL (a model.kernelect) was fitted on.

    The target is not needed. Every column is compared by itself: one is listed if it
    differs by more than chance and at least a tenth of the rows lies elsewhere. All columns together are compared as
    the model compares rows. With --out the shares of rows are on a page, too.
    """
    from kernelect.cli._show import Terminal, print_json, print_remarks, say
    from kernelect.report.drift_page import write_drift
    from kernelect.tabular.drift import drift_page_of

    if out is not None:
        check_free(out, force)
    loaded, remarks = tabular.load_model(model, training=False, report=False)
    read = tabular.read_table(table, format_, spelled=loaded.schema.spelled, sheet=sheet)
    X, surprises = tabular.match_columns(loaded.schema, read, fill_missing)
    facts = drift_page_of(loaded, X, read.source, [*remarks, *read.remarks, *surprises])
    if out is not None:
        write_drift(out, facts, force=force)
    if as_json:
        print_json({**facts, "file": None if out is None else str(out)})
        return
    if not quiet:
        print_remarks(Terminal(stderr=True), facts["remarks"])
    console = Terminal()
    _print(console, facts)
    if out is not None:
        say(console, f"Written: {out}")


def _print(console: Terminal, facts: DriftPageFacts) -> None:
    from kernelect.cli._show import figures, say

    say(console, facts["sentence"], "bold")
    say(console, facts["todo"])
    if facts["columns"]:
        console.print()
        rows = {
            one["name"]: {
                "here": one["here"],
                "in training": one["before"],
                "rows elsewhere": percent(one["distance"], 0),
            }
            for one in facts["columns"][:_MOST_COLUMNS]
        }
        title = f"Columns of {facts['title']} that differ from the training rows (the furthest first)"
        console.print(figures(title, "column", rows, ["here", "in training", "rows elsewhere"]))
        if len(facts["columns"]) > _MOST_COLUMNS:
            say(console, f"{len(facts['columns']) - _MOST_COLUMNS} more are on the page (--out) and in --json.")
