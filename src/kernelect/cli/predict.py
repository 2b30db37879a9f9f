"""``kernelect predict``: labels, probabilities, deviations and intervals for new rows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kernelect import tabular
from kernelect.cli import _guard as options
from kernelect.cli._terminal import echo, emit
from kernelect.exceptions import MissingCapability
from kernelect.files import check_free, write_whole, writing_whole
from kernelect.spreadsheets import csv_of_frame

if TYPE_CHECKING:
    import pandas as pd

    from kernelect.tabular import TableModel, Wanted


@click.command(cls=options.GuardedCommand)
@options.rows_to_read
@options.file_to_write("File for the predictions, CSV unless it ends in .tsv, .parquet, .feather or .xlsx.")
@click.option("--interval", type=float, metavar="SHARE", help="Add intervals that cover this share, such as 0.9.")
@click.option(
    "--id",
    "ids",
    multiple=True,
    metavar="COLUMN",
    help="Column to copy to the output; may be repeated.  [default: that of the fit]",
)
@click.option(
    "--explain",
    type=options.Whole(min=1),
    metavar="K",
    help="Add the K strongest reasons of each prediction (see kernelect explain).",
)
@click.option(
    "--engine",
    metavar="WHERE",
    help="Read and predict a Parquet or CSV file piece by piece: local (this process), or, for Parquet, the address of "
    "a Dask scheduler such as tcp://host:8786.  [default: read the table as a whole]",
)
@options.fill_missing
@options.force
@options.as_json
@options.quiet
def predict_command(
    model: Path,
    table: str,
    format_: str | None,
    sheet: str | None,
    out: Path | None,
    interval: float | None,
    ids: tuple[str, ...],
    explain: int | None,
    engine: str | None,
    fill_missing: bool,
    force: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Predict the rows of TABLE by MODEL (a model.kernelect), printed as CSV or written to --out.

    Columns are matched by name. In CSV, texts that a spreadsheet would calculate (they begin
    with = + - @) get an apostrophe in front; numbers, signs alone and JSON stay as they are.
    """
    from kernelect.cli._show import Terminal, print_json, print_remarks

    written = None
    if out is not None:
        from kernelect.tabular.write import writer_for

        check_free(out, force)
        written = writer_for(out)
    loaded, remarks = tabular.load_model(model, training=False, report=False)
    if explain is not None:
        from kernelect.tabular.reasons import effects_in_words

        remarks = [*remarks, *effects_in_words(loaded)]
    wanted = tabular.Wanted(interval, explain, ids, fill_missing)
    if engine is not None:
        if sheet is not None:
            raise MissingCapability(f"--engine reads no Excel files: leave it out, or leave --sheet {sheet!r} out.")
        if as_json:
            raise MissingCapability("--json holds all predictions at once: with --engine leave it out, and give --out.")
        if out is not None and out.suffix.lower() not in ("", ".csv", ".txt"):
            raise MissingCapability(f"--engine writes CSV piece by piece: name a .csv instead of --out {str(out)!r}.")
        count, surprises = _piece_by_piece(loaded, table, wanted, engine, format_, out, force)
        if not quiet:
            print_remarks(Terminal(stderr=True), [*remarks, *surprises])
            echo(f"{count} predictions written to {out}", err=True) if out is not None else None
        return
    tabular.require_room(table)
    read = tabular.read_table(table, format_, spelled=loaded.schema.spelled, sheet=sheet)
    named, surprises = tabular.predict_rows(loaded, read, wanted)
    remarks = [*remarks, *surprises]
    if not quiet and not as_json:
        print_remarks(Terminal(stderr=True), remarks)
    if out is not None and written is not None:
        write_whole(out, written(named), force)
    if as_json:
        print_json(_document(named, remarks, out))
    elif out is None:
        emit(csv_of_frame(named))
    elif not quiet:
        echo(f"{len(named)} predictions written to {out}")


def _piece_by_piece(
    model: TableModel, table: str, wanted: Wanted, engine: str, format_: str | None, out: Path | None, force: bool
) -> tuple[int, list[str]]:
    """Predict a file without reading it as a whole; return how many rows there were, and remarks."""
    from contextlib import nullcontext

    from kernelect.studies import engine_for
    from kernelect.studies.engines import Dask

    where, count, remarks = engine_for(engine, 1), 0, tabular.Remarks()
    with (
        where.client() if isinstance(where, Dask) else nullcontext() as client,
        nullcontext() if out is None else writing_whole(out, force) as file,
    ):
        write: Callable[[str], Any] = emit if file is None else lambda text: file.write(text.encode())
        for rows, said in tabular.predicted_pieces(model, table, wanted, format=format_, client=client):
            if len(rows):
                write(csv_of_frame(rows, header=count == 0))
            count += len(rows)
            remarks.add(said)
    return count, remarks.told()


def _document(frame: pd.DataFrame, remarks: list[str], out: Path | None) -> dict[str, Any]:
    """Return the predictions as JSON; missing cells of carried columns are null."""
    rows = frame.astype(object).where(frame.notna(), None).to_dict("records")
    plain = [{name: getattr(cell, "item", lambda cell=cell: cell)() for name, cell in row.items()} for row in rows]
    return {"predictions": plain, "remarks": remarks, "file": None if out is None else str(out)}
