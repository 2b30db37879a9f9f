"""``kernelect predict``: labels, probabilities, deviations and intervals for new rows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kernelect.cli import _guard as options

if TYPE_CHECKING:
    import pandas as pd


@click.command(cls=options.GuardedCommand)
@options.model_argument
@options.table_argument
@options.format_option
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="File for the predictions, as CSV.")
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
    type=click.IntRange(min=1),
    metavar="K",
    help="Add the K strongest reasons of each prediction (see kernelect explain).",
)
@options.fill_missing
@options.force
@options.as_json
@options.quiet
def command(
    model: Path,
    table: str,
    format_: str | None,
    out: Path | None,
    interval: float | None,
    ids: tuple[str, ...],
    explain: int | None,
    fill_missing: bool,
    force: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Predict the rows of TABLE by MODEL (a model.skops), printed as CSV or written to --out.

    Columns are matched by name. In CSV, texts that a spreadsheet would calculate (they begin
    with = + - @) get an apostrophe in front; numbers, signs alone and JSON stay as they are.
    """
    from rich.console import Console

    from kernelect.cli._show import print_json, print_remarks
    from kernelect.files import check_free, write_whole
    from kernelect.tabular import load_model, match_columns, predict_table, read_table, without_formulas
    from kernelect.tabular.choices import check_name

    if out is not None:
        check_free(out, force)
    loaded, remarks = load_model(model)
    read = read_table(table, format_)
    for name in ids:
        check_name(read.frame, name, "--id")
    ids = ids or tuple(name for name in loaded.schema.ids if name in read.frame.columns)
    X, surprises = match_columns(loaded.schema, read, fill_missing)
    predictions = predict_table(loaded, X, interval, explain)
    named = _with_ids(read.frame, ids, predictions)
    remarks = [*remarks, *read.remarks, *surprises]
    if not quiet and not as_json:
        print_remarks(Console(stderr=True), remarks)
    if out is not None:
        write_whole(out, without_formulas(named).to_csv(index=False).encode(), force)
    if as_json:
        print_json(_document(named, remarks, out))
    elif out is None:
        click.echo(without_formulas(named).to_csv(index=False), nl=False)
    elif not quiet:
        click.echo(f"{len(named)} predictions written to {out}")


def _with_ids(frame: pd.DataFrame, ids: tuple[str, ...], predictions: pd.DataFrame) -> pd.DataFrame:
    import pandas as pd

    carried = frame[list(ids)].rename(columns={name: f"{name} (id)" for name in ids if name in predictions.columns})
    return pd.concat([carried, predictions], axis=1)


def _document(frame: pd.DataFrame, remarks: list[str], out: Path | None) -> dict[str, Any]:
    """Return the predictions as JSON; missing cells of carried columns are null."""
    rows = frame.astype(object).where(frame.notna(), None).to_dict("records")
    plain = [{name: getattr(cell, "item", lambda cell=cell: cell)() for name, cell in row.items()} for row in rows]
    return {"predictions": plain, "remarks": remarks, "file": None if out is None else str(out)}
