"""``kernelect report``: write the page about a saved model again."""

from __future__ import annotations

from pathlib import Path

import click

from kernelect import tabular
from kernelect.cli import _guard as options
from kernelect.files import check_free


@click.command(cls=options.GuardedCommand)
@options.rows_to_read
@options.file_to_write("File for the page.", "report.html")
@options.compared
@options.private
@options.force
@options.as_json
def report_command(
    model: Path,
    table: str,
    format_: str | None,
    sheet: str | None,
    out: Path,
    compared: Path | None,
    private: bool,
    force: bool,
    as_json: bool,
) -> None:
    """Write the report on MODEL again, with the rows of TABLE (its training table).

    A model file keeps the facts and the out-of-fold predictions, not the cells of the table,
    which some pictures need.
    """
    from kernelect.cli._show import Terminal, print_facts, print_json, print_remarks, say
    from kernelect.cli.fit import beside, write_report_for
    from kernelect.tabular.known_rows import rows_for

    check_free(out, force)
    loaded, remarks = tabular.load_model(model)
    read = tabular.read_table(table, format_, loaded.schema.target, loaded.schema.spelled, sheet)
    rows, more = rows_for(loaded, read)
    facts = beside(loaded, compared)
    held = write_report_for(loaded, rows, out, facts, private=private, force=force)
    if as_json:
        print_json({**facts, "file": str(out), "on_loading": [*remarks, *more]})
        return
    print_remarks(Terminal(stderr=True), [*remarks, *more])
    print_facts(Terminal(), facts)
    say(Terminal(), f"Written: {out}")
    say(Terminal(), held)
